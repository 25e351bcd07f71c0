// SPDX-License-Identifier: MIT
#include "app/orders.hpp"

#include "app/opening.hpp"
#include "app/reconcile_orders.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace tidemark::app {
namespace {

using courier = caf::typed_actor<caf::reacts_to<actors::look>>;

net::response failed(caf::actor_system& system, const caf::error& e) {
  return net::problem(503, system.render(e));
}

/// One request to an actor, for the time of its answer.
template <class Answer, class To, class Message, class Make>
void carry(caf::actor_system& system, To to, Message message, net::reply_slot slot, Make make) {
  system.spawn([to = std::move(to), message = std::move(message), slot = std::move(slot),
                make = std::move(make)](courier::pointer self) -> courier::behavior_type {
    self->request(to, std::chrono::seconds(50), message)
        .then([self, slot, make](const Answer& a) { slot.deliver(make(a)), self->quit(); },
              [self, slot](const caf::error& e) {
                slot.deliver(failed(self->system(), e)), self->quit();
              });
    return {[](actors::look) {}};
  });
}

/// A write of the store whose result, once it is durable, becomes an answer.
template <class T>
void carry_write(caf::actor_system& system, const actors::store_actor& store,
                 std::function<store::result<T>(store::store&, std::int64_t now)> write,
                 net::reply_slot slot, std::function<net::response(const T&)> make) {
  const auto found = std::make_shared<T>();
  carry<actors::order_done>(
      system, store,
      actors::write_work{[write = std::move(write),
                          found](store::store& file, std::int64_t now) -> store::result<void> {
        auto got = write(file, now);
        if (!got) return got.error();
        *found = std::move(*got);
        return {};
      }},
      std::move(slot),
      [make = std::move(make), found](const actors::order_done&) { return make(*found); });
}

std::string audit_text(const store::dead_order& o) {
  std::string out = o.all ? "all" : "";
  for (const auto id : o.ids)
    out += (out.empty() ? "" : " ") + std::to_string(id);
  if (!o.handler.empty()) out += " of " + o.handler;
  return o.reason.empty() ? out : out + ": " + o.reason;
}

std::string audit_text(const store::replay_order& o, const store::replay_started& s) {
  std::string out = o.handler + ": " + std::to_string(s.count) + " messages";
  if (s.job) out += ", job " + std::to_string(*s.job);
  if (o.as_new) out += ", as new";
  if (o.dry_run) out += ", only counted";
  return o.reason.empty() ? out : out + ": " + o.reason;
}

/// The orders of that config, which outlives them.
api::orders make_orders(const config::config& c, const actors::switchboard& board,
                        const actors::store_actor& store, caf::actor_system& system) {
  api::orders o;
  o.note = [store](const std::string& who, const std::string& what, const std::string& detail) {
    caf::anon_send(store, actors::write_audit{who, what, detail});
  };
  o.resume = [&c, &board, &system,
              store](const std::string& chain, bool accept, const std::string& who,
                     net::reply_slot slot,
                     const std::function<net::response(const tide::resume_report&)>& make) {
    for (const auto& one : c.chains) {
      if (one.name != chain) continue;
      const auto to = board.chain(one.id);
      if (!to) return slot.deliver(net::problem(503, "the chain is starting; ask once more"));
      caf::anon_send(
          store,
          actors::write_audit{who, accept ? "chain resume --accept-reorg" : "chain resume", chain});
      return carry<actors::chain_resumed>(
          system, to, actors::resume_chain{accept, who}, std::move(slot),
          [make](const actors::chain_resumed& a) { return make(*a.report); });
    }
    slot.deliver(net::problem(404, "no such chain"));
  };
  o.skip = [&c, &board, &system,
            store](const std::string& chain, tide::skip_order order, net::reply_slot slot,
                   const std::function<net::response(const tide::skip_answered&)>& make) {
    const auto one = std::find_if(c.chains.begin(), c.chains.end(),
                                  [&](const config::chain& x) { return x.name == chain; });
    if (one == c.chains.end()) return slot.deliver(net::problem(404, "no such chain"));
    const auto to = board.chain(one->id);
    if (!to) return slot.deliver(net::problem(503, "the chain is starting; ask once more"));
    const actors::write_audit skipped{
        order.who, "chain skip",
        fmt::format("{} {}-{}: {}", chain, order.from, order.to, order.reason)};
    carry<actors::blocks_skipped>(system, to, actors::skip_blocks{actors::box(std::move(order))},
                                  std::move(slot),
                                  [make, store, skipped](const actors::blocks_skipped& b) {
                                    auto note = skipped;
                                    if (!b.how->skipped)
                                      note.detail += " (refused: " + b.how->text + ")";
                                    caf::anon_send(store, note);
                                    return make(*b.how);
                                  });
  };
  o.pause = [&board, &system, store](const std::string& handler, bool paused,
                                     const std::string& reason, const std::string& who,
                                     net::reply_slot slot,
                                     const std::function<net::response()>& make) {
    carry<actors::order_done>(system, store, actors::pause_handler{handler, paused, reason, who},
                              std::move(slot),
                              [make, &board, handler, paused](const actors::order_done&) {
                                // A pause holds in the store, which gives a paused one nothing.
                                const auto d = board.delivery(handler);
                                if (d && !paused) caf::anon_send(d, actors::resumed{});
                                return make();
                              });
  };
  o.reprocess = [&system, store](std::vector<std::int64_t> webhooks, const std::string& who,
                                 net::reply_slot slot,
                                 const std::function<net::response(std::uint64_t)>& make) {
    carry<actors::order_done>(system, store, actors::reprocess_webhooks{std::move(webhooks), who},
                              std::move(slot),
                              [make](const actors::order_done& d) { return make(d.count); });
  };
  o.change_list = [&c, &board, &system,
                   store](store::list_order order, net::reply_slot slot,
                          const std::function<net::response(const store::list_result&)>& make) {
    order.uses = uses_of(c, order.name);
    std::set<std::uint64_t> chains;
    for (const auto& use : order.uses)
      chains.insert(use.chain_id);
    carry<actors::list_changed>(system, store, actors::change_list{actors::box(std::move(order))},
                                std::move(slot),
                                [make, &board, chains](const actors::list_changed& l) {
                                  for (const auto id : chains)
                                    if (const auto chain = board.chain(id))
                                      caf::anon_send(chain, actors::recount{});
                                  return make(*l.how);
                                });
  };
  o.cancel = [&system, store](std::int64_t job, const std::string& who, net::reply_slot slot,
                              std::function<net::response(bool)> make) {
    carry_write<bool>(
        system, store,
        [job, who](store::store& file, std::int64_t now) -> store::result<bool> {
          auto ended = file.cancel_job(job, now);
          if (!ended) return ended;
          if (auto noted =
                  file.audit(who, "job cancel",
                             std::to_string(job) + (*ended ? "" : " (refused: not running)"), now);
              !noted)
            return noted.error();
          return ended;
        },
        std::move(slot), [make = std::move(make)](const bool& ran) { return make(ran); });
  };
  o.dead = [&system, store](const store::dead_order& order, net::reply_slot slot,
                            std::function<net::response(const store::dead_done&)> make) {
    carry_write<store::dead_done>(
        system, store,
        [order](store::store& file, std::int64_t now) -> store::result<store::dead_done> {
          auto done = file.order_dead(order, now);
          if (!done) return done;
          if (auto noted =
                  file.audit(order.who, order.skip ? "dead skip" : "dead retry",
                             audit_text(order) +
                                 (done->count == 0 ? " (refused: nothing of it is parked)" : ""),
                             now);
              !noted)
            return noted.error();
          return done;
        },
        std::move(slot), std::move(make));
  };
  o.replay = [&system, store](const store::replay_order& order, net::reply_slot slot,
                              std::function<net::response(const store::replay_started&)> make) {
    carry_write<store::replay_started>(
        system, store,
        [order](store::store& file, std::int64_t now) -> store::result<store::replay_started> {
          auto started = file.replay(order, now);
          if (!started) return started;
          if (auto noted = file.audit(order.who, "replay", audit_text(order, *started), now);
              !noted)
            return noted.error();
          return started;
        },
        std::move(slot), std::move(make));
  };
  o.test = [&board, &system, store](
               const std::string& handler, const std::string& who, const net::reply_slot& slot,
               std::function<net::response(const std::string&, const tide::exchange_end&)> make) {
    const auto to = board.delivery(handler);
    if (!to) return slot.deliver(net::problem(503, "the handler is starting; ask once more"));
    caf::anon_send(store, actors::write_audit{who, "handler test", handler});
    carry<actors::handler_pinged>(
        system, to, actors::ping_handler{}, slot,
        [make = std::move(make)](const actors::handler_pinged& p) { return make(p.id, *p.how); });
  };
  return o;
}

/// One config's, in one piece.
struct api_part {
  api_part(std::shared_ptr<const config::config> c, const order_needs& needs)
      : config(std::move(c)), board(needs.board),
        orders(make_orders(*config, needs.switchboard, needs.store, needs.system)),
        api(*config, *board, orders) {
    add_reconcile_order(orders, *config, needs.switchboard, needs.store, needs.system);
    needs.upkeep.add_orders(orders);
    needs.rereading.add_order(orders);
    orders.reload = [reload = needs.reload](
                        const std::string& who, const net::reply_slot& slot,
                        const std::function<net::response(const api::reload_report&)>& make) {
      reload(who, [slot, make](const api::reload_report& r) { slot.deliver(make(r)); });
    };
  }
  std::shared_ptr<const config::config> config;
  std::shared_ptr<api::live> board;
  api::orders orders;
  api::admin_api api;
};

} // namespace

std::shared_ptr<const api::admin_api> make_api(std::shared_ptr<const config::config> c,
                                               const order_needs& needs) {
  const auto part = std::make_shared<const api_part>(std::move(c), needs);
  return {part, &part->api};
}

} // namespace tidemark::app
