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
#include "app/clock.hpp"
#include "app/disk_space.hpp"
#include "app/exit_status.hpp"
#include "app/log.hpp"
#include "app/opening.hpp"
#include "app/orders.hpp"
#include "app/signals.hpp"
#include "app/units.hpp"
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

constexpr std::size_t io_thread_count = 2;
constexpr auto drain_requests = 4s,
               drain_actors = 4s; // together below the ten seconds that a drain may take
constexpr std::size_t connections_a_chain = 16,
                      connections_a_handler = 1'100; // above the highest concurrency

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
  return (a.host.find(':') == std::string::npos ? a.host : '[' + a.host + ']') + ':' +
         std::to_string(port);
}

/// Everything that the process consists of, in the order in which it comes up; taken down in the
/// reverse one.
class daemon {
public:
  explicit daemon(config::config c)
      : config_(std::make_shared<const config::config>(std::move(c))) {}

  int run() {
    open_log(config_->log);
    const int status = run_logged();
    close_log();
    return status;
  }

private:
  int run_logged() {
    auto opening = open_store(*config_);
    if (const auto* status = std::get_if<int>(&opening)) return *status;
    auto [file, connections] = std::move(std::get<opened_store>(opening));
    space_ = std::make_shared<disk_space>(config_->store.path, config_->store.min_free);

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

  void start_actors(std::shared_ptr<store::store> file) {
    rules_ = std::make_shared<const actors::ingest_rules>(*config_);
    counters_ = std::make_shared<actors::ingest_counters>(*config_);
    board_->set_ingest([counters = counters_] {
      std::map<std::string, api::source_counts> out;
      for (const auto& row : counters->snapshot())
        out[row.source] = {row.last_at,
                           row.last_at == 0 ? std::string() : std::string(to_text(row.last_result)),
                           row.of(actors::ingest_result::unauthorized)};
      return out;
    });
    auto params = actors::store_params{
        std::move(file), now_ms, [this](const store::bells& b) { switchboard_.ring(b); },
        [](std::string_view t) { die("the store failed: " + std::string(t)); },
        [this](std::string_view t) {
          if (!t.empty())
            log(level::error, "the store cannot commit", {{"reason", std::string(t)}});
          board_->set_store_trouble(std::string(t));
        }};
    store_ = system_->spawn<caf::detached>(actors::make_store, std::move(params));

    const unit_needs needs{*system_, config_,      store_,   switchboard_,
                           board_,   *rpc_client_, *client_, space_};
    actors::supervisor_params all;
    all.log = [](bool warning, std::string_view t) { log(warning ? level::warn : level::info, t); };
    all.fatal = [](std::string_view t) { die(t); };
    all.units.push_back({"store",
                         [this] { return std::vector{caf::actor_cast<caf::actor>(store_)}; }, true,
                         false});
    for (const auto& c : config_->chains)
      all.units.push_back(chain_unit(needs, c));
    for (const auto& h : config_->handlers)
      all.units.push_back(delivery_unit(needs, h));
    all.units.push_back({"intake", [this] {
                           auto a = system_->spawn(
                               actors::make_intake,
                               actors::intake_params{store_, rules_, warner("intake")});
                           switchboard_.connect(a);
                           return std::vector{caf::actor_cast<caf::actor>(a)};
                         }});
    all.units.push_back({"listener", [this] {
                           auto a =
                               system_->spawn(actors::make_listener,
                                              actors::listener_params{store_, counters_, now_ms});
                           door_->set(a);
                           return std::vector{caf::actor_cast<caf::actor>(a)};
                         }});
    supervisor_ = system_->spawn(actors::make_supervisor, std::move(all));
  }

  int serve(std::vector<std::shared_ptr<store::reader>> connections) {
    std::vector<actors::reader_actor> readers;
    readers.reserve(connections.size());
    for (auto& c : connections)
      readers.push_back(system_->spawn<caf::detached>(actors::make_reader, std::move(c)));
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
          return refused || space->enough() ? refused
                                            : std::optional(actors::unavailable(space->text()));
        },
        ingest.on_request);
    net::server_limits admin_limits;
    admin_limits.max_body = 1 << 20;
    admin_limits.answer = 60s;
    admin_limits.require_length = false;
    admin_ = std::make_unique<net::http_server>(
        io_->context(), admin_limits, [api](const net::request& r) { return api->at_head(r); },
        [door = admin_door_](std::shared_ptr<net::request> r, net::reply_slot s) {
          door->on_request(std::move(r), std::move(s));
        });

    signals_ = std::make_unique<signals>(io_->context());
    const auto in = ingest_->listen(config_->ingest.listen.host, config_->ingest.listen.port);
    const auto ad = admin_->listen(config_->admin.listen.host, config_->admin.listen.port);
    if (!in || !ad) {
      log_last("cannot listen: " + (in ? ad.error().text : in.error().text));
      return exit_failed;
    }
    board_->set_listening(true);
    log(level::info, "ready",
        {{"ingest", host_port(config_->ingest.listen, *in)},
         {"admin", host_port(config_->admin.listen, *ad)},
         {"version", version()}});
    signals_->wait();
    log(level::info, "draining: no new requests, what is in flight is finished");
    return 0;
  }

  /// Stop accepting, answer what is in flight, end the actors in order, the sockets' threads last.
  void stop() {
    board_->set_listening(false);
    if (ingest_) ingest_->stop_accepting();
    const auto until = std::chrono::steady_clock::now() + drain_requests;
    while (ingest_ && ingest_->open_requests() > 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(5ms);
    if (admin_) admin_->stop_accepting();
    if (admin_door_) admin_door_->close();
    door_->clear();
    switchboard_.on_feed({});
    {
      // The readers first: the last connection to close folds the log into the file, and theirs
      // cannot write.
      caf::scoped_actor me{*system_};
      for (auto& r : readers_)
        caf::anon_send_exit(r, caf::exit_reason::user_shutdown);
      me->wait_for(readers_);
      readers_.clear();
      caf::anon_send(
          supervisor_,
          actors::stop_in{
              std::chrono::duration_cast<std::chrono::milliseconds>(drain_actors).count()});
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
  std::unique_ptr<net::http_client> rpc_client_,
      client_; ///< apart, so that a large answer of a node delays no delivery
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
  std::unique_ptr<signals>
      signals_; ///< to the end: a second signal during the drain ends the process at once
};

} // namespace

int run_daemon(config::config c) { return daemon(std::move(c)).run(); }

} // namespace tidemark::app
