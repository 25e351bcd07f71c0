// SPDX-License-Identifier: MIT
#include "app/daemon.hpp"

#include "actors/chain.hpp"
#include "actors/delivery.hpp"
#include "actors/intake.hpp"
#include "actors/listener.hpp"
#include "actors/reader.hpp"
#include "actors/rpc.hpp"
#include "actors/store.hpp"
#include "actors/supervisor.hpp"
#include "actors/switchboard.hpp"
#include "api/admin_api.hpp"
#include "app/admin_door.hpp"
#include "app/disk_space.hpp"
#include "app/log.hpp"
#include "app/orders.hpp"
#include "app/signals.hpp"
#include "app/version.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "net/io_threads.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <unistd.h>

namespace tidemark::app {
namespace {

using namespace std::chrono_literals;

constexpr int exit_failed = 1, exit_store = 74, exit_unavailable = 75, exit_config = 78;
constexpr std::size_t io_thread_count = 2, reader_count = 2;
constexpr auto drain_requests = 4s, drain_actors = 4s; // together below the ten seconds that a drain may take
constexpr std::size_t connections_a_chain = 16, connections_a_handler = 1'100; // above the highest concurrency

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct caf_config : caf::actor_system_config {
  caf_config() {
    set("scheduler.policy", caf::atom("sharing")); // stealing polls: 2 % of a core for nothing
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

[[noreturn]] void die(std::string_view text) {
  log_last(text);
  _exit(exit_store);
}

int exit_status(store::open_fault f) { return f == store::open_fault::held_by_another ? exit_unavailable : f == store::open_fault::newer ? exit_config : exit_store; }

/// Where a chain counts from was resolved once; another number in the config later is a misunderstanding that would lose events.
bool starts_agree(const config::config& c, store::reader& reader) {
  bool agree = true;
  for (const auto& chain : c.chains) {
    const auto row = reader.chain(chain.id);
    if (!row || !*row || !(*row)->start_block || !chain.start_block || *(*row)->start_block == *chain.start_block) continue;
    agree = false;
    log_last("chain " + chain.name + ": the config says start_block " + std::to_string(*chain.start_block) + ", but the store counts from block " +
             std::to_string(*(*row)->start_block) + ". Say `start_block: " + std::to_string(*(*row)->start_block) +
             "` (or leave it out), or begin a new store");
  }
  return agree;
}

net::server_limits ingest_limits(const config::ingest_section& c) {
  net::server_limits l;
  l.max_body = c.max_body;
  l.max_connections = c.max_connections;
  l.max_in_flight_bytes = c.max_in_flight;
  l.header = c.header;
  l.body = c.body;
  l.idle = c.idle;
  l.answer = 10s;
  return l;
}

std::string host_port(const config::listen_address& a, std::uint16_t port) {
  return (a.host.find(':') == std::string::npos ? a.host : '[' + a.host + ']') + ':' + std::to_string(port);
}

/// Everything that the process consists of, in the order in which it comes up; taken down in the reverse one.
class daemon {
public:
  explicit daemon(config::config c) : config_(std::make_shared<const config::config>(std::move(c))) {}

  int run() {
    open_log(config_->log);
    const int status = run_logged();
    close_log();
    return status;
  }

private:
  int run_logged() {
    auto opened = store::store::open({config_->store.path.string(), config_->store.full, config_->instance, {}});
    if (const auto* bad = std::get_if<store::open_error>(&opened)) {
      log_last(bad->text);
      return exit_status(bad->kind);
    }
    std::shared_ptr<store::store> file = std::move(std::get<std::unique_ptr<store::store>>(opened));
    std::vector<std::shared_ptr<store::reader>> connections;
    for (std::size_t i = 0; i < reader_count; ++i) {
      auto r = store::reader::open(config_->store.path.string());
      if (!r) {
        log_last(r.error().text);
        return exit_store;
      }
      connections.push_back(std::move(*r));
    }
    if (!starts_agree(*config_, *connections.front())) return exit_config;
    space_ = std::make_shared<disk_space>(config_->store.path, config_->store.min_free);
    if (!register_handlers(*file)) return exit_store;

    board_ = std::make_shared<api::live>(api::identity{version(), now_ms(), 1});
    io_ = std::make_unique<net::io_threads>(io_thread_count);
    net::client_limits to_nodes, to_handlers;
    to_nodes.max_per_origin = connections_a_chain;
    to_handlers.max_per_origin = connections_a_handler;
    rpc_client_ = std::make_unique<net::http_client>(io_->context(), to_nodes);
    client_ = std::make_unique<net::http_client>(io_->context(), to_handlers);
    system_ = std::make_unique<caf::actor_system>(caf_);
    start_actors(std::move(file));
    const int status = serve(std::move(connections));
    stop();
    return status;
  }

  bool register_handlers(store::store& file) {
    std::vector<store::handler_in> rows;
    for (const auto& h : config_->handlers) rows.push_back({h.name(), h.recipient.pending, h.recipient.confirmed, order_text(h.recipient)});
    std::string trouble;
    if (auto begun = file.begin(); !begun) trouble = begun.error().text;
    else if (auto put = file.register_handlers(rows, now_ms()); !put) trouble = put.error().text;
    if (!trouble.empty()) {
      file.undo();
      log_last(trouble);
      return false;
    }
    const auto done = file.commit();
    if (!done) log_last(done.error().text);
    return done.has_value();
  }

  static std::string order_text(const tide::recipient& r) {
    switch (r.order) {
    case tide::order_by::chain: return "chain";
    case tide::order_by::contract: return "contract";
    case tide::order_by::subscription: return "subscription";
    case tide::order_by::argument: return "arg:" + r.argument;
    case tide::order_by::none: break;
    }
    return "none";
  }

  void start_actors(std::shared_ptr<store::store> file) {
    rules_ = std::make_shared<const actors::ingest_rules>(*config_);
    counters_ = std::make_shared<actors::ingest_counters>(*config_);
    board_->set_ingest([counters = counters_] {
      std::map<std::string, api::source_counts> out;
      for (const auto& row : counters->snapshot())
        out[row.source] = {row.last_at, row.last_at == 0 ? std::string() : std::string(to_text(row.last_result)), row.of(actors::ingest_result::unauthorized)};
      return out;
    });
    auto params = actors::store_params{std::move(file), now_ms,
                                       [this](const store::bells& b) { switchboard_.ring(b); },
                                       [](std::string_view t) { die("the store failed: " + std::string(t)); },
                                       [this](std::string_view t) {
                                         if (!t.empty()) log(level::error, "the store cannot commit", {{"reason", std::string(t)}});
                                         board_->set_store_trouble(std::string(t));
                                       }};
    store_ = system_->spawn<caf::detached>(actors::make_store, std::move(params));

    actors::supervisor_params all;
    all.log = [](bool warning, std::string_view t) { log(warning ? level::warn : level::info, t); };
    all.fatal = [](std::string_view t) { die(t); };
    all.units.push_back({"store", [this] { return std::vector{caf::actor_cast<caf::actor>(store_)}; }, true, false});
    for (const auto& c : config_->chains) all.units.push_back(chain_unit(c));
    for (const auto& h : config_->handlers) all.units.push_back(delivery_unit(h));
    all.units.push_back({"intake", [this] {
                           auto a = system_->spawn(actors::make_intake, actors::intake_params{store_, rules_, warn_about("intake")});
                           switchboard_.connect(a);
                           return std::vector{caf::actor_cast<caf::actor>(a)};
                         }});
    all.units.push_back({"listener", [this] {
                           auto a = system_->spawn(actors::make_listener, actors::listener_params{store_, counters_, now_ms});
                           door_->set(a);
                           return std::vector{caf::actor_cast<caf::actor>(a)};
                         }});
    supervisor_ = system_->spawn(actors::make_supervisor, std::move(all));
  }

  std::function<void(std::string_view)> warn_about(std::string who) {
    return [who = std::move(who)](std::string_view t) { log(level::warn, t, {{"part", who}}); };
  }

  actors::unit chain_unit(const config::chain& c) {
    const auto shared = std::make_shared<const config::chain>(c);
    return {"chain " + c.name, [this, shared] {
              auto rpc = system_->spawn(actors::make_rpc,
                                        actors::rpc_params{shared, sender(*rpc_client_), now_ms,
                                                           [this, name = shared->name](std::vector<tide::endpoint_status> s) { publish(name, {}, std::move(s)); },
                                                           warn_about("chain " + shared->name), seed()});
              auto chain = system_->spawn(
                  actors::make_chain,
                  actors::chain_params{actors::tide_settings(*shared, *config_), actors::interest_of(*shared, *config_), store_, rpc, now_ms,
                                       [this, name = shared->name](tide::chain_status s) { publish(name, std::move(s), {}); },
                                       [name = shared->name](bool warning, std::string_view t) { log(warning ? level::warn : level::info, t, {{"chain", name}}); },
                                       [space = space_] { return space->enough() ? std::string() : space->text(); }});
              switchboard_.connect(shared->id, chain);
              return std::vector{caf::actor_cast<caf::actor>(chain), caf::actor_cast<caf::actor>(rpc)};
            }};
  }

  /// A chain's status has two authors: the Tide, and the endpoints' pool.
  void publish(const std::string& name, std::optional<tide::chain_status> chain, std::optional<std::vector<tide::endpoint_status>> endpoints) {
    const std::lock_guard lock(publishing_);
    auto& latest = latest_[name];
    if (chain) {
      chain->endpoints = std::move(latest.endpoints);
      latest = std::move(*chain);
    }
    if (endpoints) latest.endpoints = std::move(*endpoints);
    if (!latest.name.empty()) board_->put(latest);
  }

  actors::unit delivery_unit(const config::handler& h) {
    const auto shared = std::make_shared<const config::handler>(h);
    return {"delivery " + h.name(),
            [this, shared] {
              actors::delivery_params p;
              p.handler = shared;
              p.store = store_;
              p.send = sender(*client_);
              p.now = now_ms;
              p.publish = [this](tide::handler_status s) { board_->put(std::move(s)); };
              p.warn = warn_about("delivery " + shared->name());
              p.version = version();
              p.seed = seed();
              auto a = system_->spawn(actors::make_delivery, std::move(p));
              switchboard_.connect(shared->name(), a);
              return std::vector{caf::actor_cast<caf::actor>(a)};
            },
            false, true};
  }

  static std::function<void(net::client_request, net::http_client::callback)> sender(net::http_client& client) {
    return [&client](net::client_request r, net::http_client::callback done) { client.send(std::move(r), std::move(done)); };
  }

  static std::uint64_t seed() { return std::random_device{}(); }

  int serve(std::vector<std::shared_ptr<store::reader>> connections) {
    std::vector<actors::reader_actor> readers;
    for (auto& c : connections) readers.push_back(system_->spawn<caf::detached>(actors::make_reader, std::move(c)));
    readers_ = readers;
    orders_ = make_orders(*config_, switchboard_, store_, *system_);
    const auto api = std::make_shared<const api::admin_api>(*config_, *board_, orders_);
    admin_door_ = std::make_shared<admin_door>(io_->context(), api, std::move(readers));
    switchboard_.on_feed([door = admin_door_] { door->bell(); });

    auto ingest = actors::make_ingest_callbacks({rules_, counters_, door_, now_ms});
    ingest_ = std::make_unique<net::http_server>(
        io_->context(), ingest_limits(config_->ingest),
        [on_head = ingest.on_head, space = space_](const net::request& r) {
          auto refused = on_head(r);
          return refused || space->enough() ? refused : std::optional(actors::unavailable(space->text()));
        },
        ingest.on_request);
    net::server_limits admin_limits;
    admin_limits.max_body = 1 << 20;
    admin_limits.answer = 60s;
    admin_limits.require_length = false;
    admin_ = std::make_unique<net::http_server>(
        io_->context(), admin_limits, [api](const net::request& r) { return api->at_head(r); },
        [door = admin_door_](std::shared_ptr<net::request> r, net::reply_slot s) { door->on_request(std::move(r), std::move(s)); });

    signals_ = std::make_unique<signals>(io_->context());
    const auto in = ingest_->listen(config_->ingest.listen.host, config_->ingest.listen.port);
    const auto ad = admin_->listen(config_->admin.listen.host, config_->admin.listen.port);
    if (!in || !ad) {
      log_last("cannot listen: " + (in ? ad.error().text : in.error().text));
      return exit_failed;
    }
    board_->set_listening(true);
    log(level::info, "ready", {{"ingest", host_port(config_->ingest.listen, *in)}, {"admin", host_port(config_->admin.listen, *ad)}, {"version", version()}});
    signals_->wait();
    log(level::info, "draining: no new requests, what is in flight is finished");
    return 0;
  }

  /// Stop accepting, answer what is in flight, end the actors in order, the sockets' threads last.
  void stop() {
    board_->set_listening(false);
    if (ingest_) ingest_->stop_accepting();
    const auto until = std::chrono::steady_clock::now() + drain_requests;
    while (ingest_ && ingest_->open_requests() > 0 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
    if (admin_) admin_->stop_accepting();
    if (admin_door_) admin_door_->close();
    door_->clear();
    switchboard_.on_feed({});
    {
      // The readers first: the last connection to close folds the log into the file, and theirs cannot write.
      caf::scoped_actor me{*system_};
      for (auto& r : readers_) caf::anon_send_exit(r, caf::exit_reason::user_shutdown);
      me->wait_for(readers_);
      readers_.clear();
      caf::anon_send(supervisor_, actors::stop_in{std::chrono::duration_cast<std::chrono::milliseconds>(drain_actors).count()});
      me->wait_for(supervisor_);
    }
    switchboard_.clear();
    orders_ = {};
    store_ = actors::store_actor{};
    supervisor_ = actors::supervisor_actor{};
    if (ingest_) ingest_->close_all();
    if (admin_) admin_->close_all();
    io_->stop();
    ingest_.reset();
    admin_.reset();
    admin_door_.reset();
    signals_.reset();
    rpc_client_.reset();
    client_.reset();
    system_.reset();
    io_.reset(); // after the actors: a slot that fires late posts to it
    log(level::info, "stopped");
  }

  std::shared_ptr<const config::config> config_;
  std::shared_ptr<disk_space> space_;
  caf_config caf_;
  std::shared_ptr<api::live> board_;
  std::unique_ptr<net::io_threads> io_;
  std::unique_ptr<net::http_client> rpc_client_, client_; ///< apart, so that a large answer of a node delays no delivery
  std::unique_ptr<caf::actor_system> system_;
  actors::switchboard switchboard_;
  std::shared_ptr<actors::listener_door> door_ = std::make_shared<actors::listener_door>();
  std::shared_ptr<const actors::ingest_rules> rules_;
  std::shared_ptr<actors::ingest_counters> counters_;
  actors::store_actor store_;
  actors::supervisor_actor supervisor_;
  std::vector<actors::reader_actor> readers_;
  api::orders orders_;
  std::shared_ptr<admin_door> admin_door_;
  std::unique_ptr<net::http_server> ingest_, admin_;
  std::unique_ptr<signals> signals_; ///< to the end: a second signal during the drain ends the process at once
  std::mutex publishing_;
  std::map<std::string, tide::chain_status> latest_;
};

} // namespace

int run_daemon(config::config c) { return daemon(std::move(c)).run(); }

} // namespace tidemark::app
