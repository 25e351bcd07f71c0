// SPDX-License-Identifier: MIT
#include "app/units.hpp"

#include "actors/chain.hpp"
#include "actors/delivery.hpp"
#include "actors/intake.hpp"
#include "actors/rpc.hpp"
#include "app/chain_heads.hpp"
#include "app/clock.hpp"
#include "app/log.hpp"
#include "app/reconcile_orders.hpp"
#include "app/repeats.hpp"
#include "app/version.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <random>
#include <utility>

namespace tidemark::app {
namespace {

std::uint64_t seed() { return std::random_device{}(); }

std::function<void(net::client_request, net::http_client::callback)>
sender(net::http_client& client) {
  return [&client](net::client_request r, net::http_client::callback done) {
    client.send(std::move(r), std::move(done));
  };
}

/// A chain's status has several authors, the Tide, the endpoints' pool and each WebSocket endpoint,
/// on threads of their own.
class chain_board {
public:
  chain_board(std::shared_ptr<api::live> board, const config::chain& c)
      : board_(std::move(board)), asked_(c.rpc.size()), endpoints_(c.rpc.size() + c.heads.size()) {}

  void put(tide::chain_status s) {
    const std::lock_guard lock(mutex_);
    count_run(s);
    latest_ = std::move(s);
    show();
  }
  void put(std::vector<tide::endpoint_status> endpoints) {
    const std::lock_guard lock(mutex_);
    std::move(endpoints.begin(), endpoints.end(), endpoints_.begin());
    show();
  }
  void put_socket(std::size_t i, tide::endpoint_status s) {
    const std::lock_guard lock(mutex_);
    endpoints_[asked_ + i] = std::move(s);
    show();
  }

private:
  /// What has not spoken yet has no name.
  void show() {
    if (latest_.name.empty()) return;
    latest_.endpoints.clear();
    std::copy_if(endpoints_.begin(), endpoints_.end(), std::back_inserter(latest_.endpoints),
                 [](const tide::endpoint_status& e) { return !e.name.empty(); });
    board_->put(latest_);
  }

  /// A range that was read once more, or could not be: once each, though its snapshot comes often.
  void count_run(const tide::chain_status& s) {
    const auto& before = latest_.last_reconcile;
    const bool again = s.last_reconcile && (!before || before->at != s.last_reconcile->at ||
                                            before->to != s.last_reconcile->to);
    auto& meters = board_->counted();
    // A Tide that began anew counts from 0.
    const auto more = [](std::uint64_t now, std::uint64_t then) {
      return now >= then ? now - then : now;
    };
    meters.count(api::meter::reconcile_runs, {s.name, "failed"},
                 more(s.failed_scans, latest_.failed_scans));
    meters.count(api::meter::logs_undecodable, {s.name}, more(s.undecodable, latest_.undecodable));
    if (!again) return;
    const bool equal = s.last_reconcile->missing + s.last_reconcile->extra == 0;
    meters.count(api::meter::reconcile_runs, {s.name, equal ? "equal" : "differed"});
  }

  std::mutex mutex_;
  tide::chain_status latest_;
  std::shared_ptr<api::live> board_;
  const std::size_t asked_; ///< those over HTTP, which come first
  std::vector<tide::endpoint_status> endpoints_;
};

} // namespace

namespace {

/// Writes what a part has to say as a warning, with its place in the config.
std::function<void(std::string_view)> warner(component c, const char* key, std::string name) {
  return [c, key, name = std::move(name)](std::string_view t) {
    log(level::warn, c, t, {{key, name}});
  };
}

std::string in_ms(double seconds) { return std::to_string(std::llround(seconds * 1'000)); }

/// False: the line is left out, as one of too many.
bool has_room(thinner& lines, component c, const char* of) {
  const auto v = lines.next(std::chrono::duration_cast<std::chrono::milliseconds>(
                                std::chrono::steady_clock::now().time_since_epoch())
                                .count());
  if (v.left_out > 0)
    log(level::info, c, std::string(of) + " came too fast for a line each",
        {{"left_out", std::to_string(v.left_out), true}});
  return v.write;
}

/// A line an attempt.
void log_attempt(const std::string& handler, const actors::attempt_end& e) {
  static thinner lines;
  if (e.is.outcome == tide::outcome::ok && !has_room(lines, component::delivery, "attempts"))
    return;
  const auto status = e.is.http_status ? std::to_string(*e.is.http_status) : "null";
  log(e.is.outcome == tide::outcome::ok ? level::info : level::warn, component::delivery, "attempt",
      {{"handler", handler},
       {"id", std::string(e.id)},
       {"attempt", std::to_string(e.attempt), true},
       {"messages", std::to_string(e.is.count), true},
       {"outcome", std::string(tide::to_text(e.is.outcome))},
       {"http_status", status, true},
       {"ms", std::to_string(e.is.ms), true}});
}

} // namespace

/// A line a webhook.
void log_webhook(const actors::webhook_note& n) {
  using result = actors::ingest_result;
  static thinner lines;
  const bool taken = n.how == result::accepted || n.how == result::duplicate;
  if (taken && !has_room(lines, component::ingest, "webhooks")) return;
  const std::string source(n.source), how(actors::to_text(n.how));
  if (taken)
    return log(level::info, component::ingest, "webhook",
               {{"source", source},
                {"result", how},
                {"id", std::to_string(n.id), true},
                {"hints", std::to_string(n.hints), true}});
  log(level::warn, component::ingest, "webhook refused",
      {{"source", source}, {"result", how}, {"reason", std::string(n.reason)}});
}

actors::unit chain_unit(const unit_needs& needs, const config::chain& c) {
  const auto chain = std::make_shared<const config::chain>(c);
  const auto board = std::make_shared<chain_board>(needs.board, c);
  return {"chain " + c.name, [needs, chain, board] {
            actors::rpc_params r;
            r.chain = chain;
            r.send = sender(needs.nodes);
            r.now = now_ms;
            auto heads = start_heads(needs, chain, [board](std::size_t i, tide::endpoint_status s) {
              board->put_socket(i, std::move(s));
            });
            r.publish = [board, tell = teller_of_heads(heads)](
                            std::vector<tide::endpoint_status> s) mutable {
              tell(s);
              board->put(std::move(s));
            };
            r.warn = warner(component::rpc, "chain", chain->name);
            r.seed = seed();
            auto& meters = needs.board->counted();
            r.posted = [chain, &meters](std::size_t endpoint, std::string_view method,
                                        std::string_view result, double seconds) {
              meters.count(api::meter::rpc_requests,
                           {chain->name, chain->rpc[endpoint].name, method, result});
              meters.observe(api::meter::rpc_seconds, {chain->name, method}, seconds);
              log(level::debug, component::rpc, "call",
                  {{"chain", chain->name},
                   {"endpoint", chain->rpc[endpoint].name},
                   {"method", std::string(method)},
                   {"result", std::string(result)},
                   {"ms", in_ms(seconds), true}});
            };
            r.lied = [chain, &meters](std::size_t endpoint, std::string_view kind) {
              if (endpoint < chain->rpc.size())
                meters.count(api::meter::rpc_lies, {chain->name, chain->rpc[endpoint].name, kind});
            };
            const auto rpc = needs.system.spawn(actors::make_rpc, std::move(r));

            actors::chain_params p;
            p.settings = actors::tide_settings(*chain, *needs.config);
            p.wants = [chain, config = needs.config](const tide::counting& counts) {
              return actors::interest_of(*chain, *config, counts);
            };
            p.store = needs.store;
            p.rpc = rpc;
            p.now = now_ms;
            p.publish = [board](tide::chain_status s) { board->put(std::move(s)); };
            p.log = [name = chain->name](bool warning, std::string_view t) {
              log(warning ? level::warn : level::info, component::chain, t, {{"chain", name}});
            };
            p.hold_back = [space = needs.space] { return space->trouble(); };
            p.progress = note_progress(chain->id, needs.switchboard, needs.store);
            const auto a = needs.system.spawn(actors::make_chain, std::move(p));
            needs.switchboard.connect(chain->id, a);
            std::vector all{caf::actor_cast<caf::actor>(a), caf::actor_cast<caf::actor>(rpc)};
            for (auto& h : heads)
              all.push_back(caf::actor_cast<caf::actor>(h));
            return all;
          }};
}

actors::unit delivery_unit(const unit_needs& needs, const config::handler& h) {
  const auto handler = std::make_shared<const config::handler>(h);
  return {"delivery " + h.name(),
          [needs, handler] {
            actors::delivery_params p;
            p.handler = handler;
            p.store = needs.store;
            p.send = sender(needs.handlers);
            p.now = now_ms;
            p.publish = [board = needs.board](tide::handler_status s) { board->put(std::move(s)); };
            p.warn = warner(component::delivery, "handler", handler->name());
            p.version = version();
            p.instance = needs.config->instance;
            p.seed = seed();
            p.attempted = [name = handler->name(),
                           &meters = needs.board->counted()](const actors::attempt_end& e) {
              meters.count(api::meter::delivery_attempts, {name, tide::to_text(e.is.outcome)});
              meters.observe(api::meter::delivery_seconds, {name}, e.is.ms / 1'000.0);
              if (e.latency_s) meters.observe(api::meter::event_latency, {name}, *e.latency_s);
              log_attempt(name, e);
            };
            const auto a = needs.system.spawn(actors::make_delivery, std::move(p));
            needs.switchboard.connect(handler->name(), a);
            return std::vector{caf::actor_cast<caf::actor>(a)};
          },
          false, true,
          // An exchange of one that is gone ends for nobody. Its connection closes first; then what
          // it carried may go again.
          [&client = needs.handlers, store = needs.store, name = h.name()] {
            client.cut(name);
            caf::anon_send(store, actors::write_work{[name](store::store& file, std::int64_t now) {
                             return file.abandon(name, now);
                           }});
          }};
}

actors::unit intake_unit(const unit_needs& needs, std::shared_ptr<actors::ingest_rules> rules) {
  return {"intake", [needs, rules = std::move(rules)] {
            const auto a = needs.system.spawn(
                actors::make_intake,
                actors::intake_params{needs.store, rules, [](std::string_view t) {
                                        log(level::warn, component::ingest, t);
                                      }});
            needs.switchboard.connect(a);
            return std::vector{caf::actor_cast<caf::actor>(a)};
          }};
}

actors::unit listener_unit(const unit_needs& needs,
                           std::shared_ptr<actors::ingest_counters> counters,
                           std::shared_ptr<actors::listener_door> door) {
  return {"listener", [needs, counters = std::move(counters), door = std::move(door)] {
            const auto took = [board = needs.board](double seconds) {
              board->counted().observe(api::meter::ingest_commit, {}, seconds);
            };
            const auto a = needs.system.spawn(
                actors::make_listener,
                actors::listener_params{needs.store, counters, now_ms, took, log_webhook});
            door->set(a);
            return std::vector{caf::actor_cast<caf::actor>(a)};
          }};
}

void await_units(caf::actor_system& system, const actors::supervisor_actor& supervisor) {
  // It takes no message before, and answers this one when nothing is beginning.
  const actors::change_units none{actors::box(std::vector<actors::unit_change>{})};
  caf::scoped_actor me{system};
  me->request(supervisor, caf::infinite, none)
      .receive([](const actors::order_done&) {}, [](const caf::error&) {});
}

} // namespace tidemark::app
