// SPDX-License-Identifier: MIT
#include "app/daemon.hpp"

#include "actors/listener.hpp"
#include "actors/reader.hpp"
#include "actors/store.hpp"
#include "actors/supervisor.hpp"
#include "actors/switchboard.hpp"
#include "api/admin_api.hpp"
#include "app/admin_door.hpp"
#include "app/caf_config.hpp"
#include "app/certificates.hpp"
#include "app/clients.hpp"
#include "app/clock.hpp"
#include "app/disk_space.hpp"
#include "app/doors.hpp"
#include "app/exit_status.hpp"
#include "app/group_counts.hpp"
#include "app/heartbeat.hpp"
#include "app/keeper.hpp"
#include "app/limits.hpp"
#include "app/log.hpp"
#include "app/opening.hpp"
#include "app/orders.hpp"
#include "app/queue_gauges.hpp"
#include "app/redecoding.hpp"
#include "app/reloader.hpp"
#include "app/service.hpp"
#include "app/signals.hpp"
#include "app/units.hpp"
#include "app/version.hpp"
#include "net/io_threads.hpp"

#include <boost/asio/post.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <unistd.h>

namespace tidemark::app {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t io_thread_count = 2;
constexpr std::size_t body_thread_count = 2; ///< verify, inflate and read webhooks
constexpr auto drain_requests = 4s,
               drain_actors = 4s; // together below the ten seconds that a drain may take

[[noreturn]] void die(std::string_view text) {
  log_last(text);
  _exit(exit_store);
}

/// Everything that the process consists of, in the order in which it comes up; taken down in the
/// reverse one.
class daemon {
public:
  daemon(config::config c, std::filesystem::path file)
      : config_(std::make_shared<const config::config>(std::move(c))), file_(std::move(file)) {}

  int run() {
    open_log(config_->log);
    const int status = run_logged();
    close_log();
    return status;
  }

private:
  int run_logged() {
    const auto in = certificates(config_->ingest.tls), ad = certificates(config_->admin.tls);
    for (const auto* shown : {&in, &ad})
      if (!*shown) return log_last(shown->error().text), exit_config;
    shown_ = {*in, *ad};
    auto opening = open_store(*config_);
    if (const auto* status = std::get_if<int>(&opening)) return *status;
    auto [file, connections, did] = std::move(std::get<opened_store>(opening));
    space_ = std::make_shared<disk_space>(config_->store.path, config_->store.min_free);

    auto board = open_board(*file, *config_, did);
    if (!board) {
      log_last(board.error().text);
      return exit_store;
    }
    board_ = std::move(*board);
    board_->set_disk([space = space_] { return space->trouble(); });
    raise_file_limit();
    io_ = std::make_unique<net::io_threads>(io_thread_count);
    readers_of_bodies_ = std::make_unique<net::io_threads>(body_thread_count);
    clients_ = std::make_unique<clients>(io_->context());
    system_ = std::make_unique<caf::actor_system>(caf_);
    start_actors(std::move(file), *connections.front());
    const int status = serve(std::move(connections));
    stop();
    return status;
  }

  void start_actors(std::shared_ptr<store::store> file, store::reader& reader) {
    rules_ = std::make_shared<actors::ingest_rules>(*config_);
    counters_ = std::make_shared<actors::ingest_counters>(*config_);
    if (const auto known = reader.sources())
      for (const auto& s : *known)
        counters_->remember(s.name, s.last_at);
    board_->set_ingest([counters = counters_] { return source_counts(*counters); });
    auto params = actors::store_params{
        std::move(file),
        now_ms,
        [this](const store::bells& b) {
          switchboard_.ring(b);
          count_group(board_->counted(), *in_force_.load(), b.did);
          if (const auto gauges = gauges_.load()) gauges->bell();
        },
        [](std::string_view t) { die("the store failed: " + std::string(t)); },
        [this](std::string_view t) {
          if (!t.empty())
            log(level::error, component::store, "the store cannot commit: " + std::string(t));
          board_->set_store_trouble(std::string(t));
        },
        [this](std::size_t n) {
          board_->counted().observe(api::meter::store_commit_batch, {}, static_cast<double>(n));
        }};
    store_ = system_->spawn<caf::detached>(actors::make_store, std::move(params));

    const auto needs = what_units_need();
    actors::supervisor_params all;
    all.log = log_of_daemon;
    all.fatal = [](std::string_view t) { die(t); };
    all.units.push_back({"store",
                         [this] { return std::vector{caf::actor_cast<caf::actor>(store_)}; }, true,
                         false});
    for (const auto& c : config_->chains)
      all.units.push_back(chain_unit(needs, c));
    for (const auto& h : config_->handlers)
      all.units.push_back(delivery_unit(needs, h));
    all.units.push_back(intake_unit(needs, rules_));
    all.units.push_back(listener_unit(needs, counters_, door_));
    supervisor_ = system_->spawn(actors::make_supervisor, std::move(all));
  }

  unit_needs what_units_need() {
    return {*system_,           config_,           store_, switchboard_, board_, clients_->nodes,
            clients_->handlers, clients_->sockets, space_};
  }

  std::shared_ptr<const api::admin_api> api_of(std::shared_ptr<const config::config> c) {
    return make_api(std::move(c), {switchboard_, store_, *system_, board_, *keeper_, *rereading_,
                                   [this](std::string who, const reloader::told& done) {
                                     reloader_->ask(std::move(who), done);
                                   }});
  }

  void watch_queues(std::shared_ptr<const config::config> c) {
    auto gauges =
        std::make_shared<queue_gauges>(io_->context(), std::move(c), board_, readers_.back());
    gauges->bell();
    if (const auto before = gauges_.exchange(std::move(gauges))) before->close();
  }

  /// What another config in force changes here. On the reloader's thread.
  void take_over(std::shared_ptr<const config::config> c) {
    in_force_ = c;
    board_->counted().know(*c, version());
    watch_queues(c);
    if (auto shown = doors_->renew_certificates(*c); !shown)
      log(level::error, component::config, "the old certificates stay: " + shown.error().text);
    admin_door_->renew(api_of(std::move(c)));
  }

  int serve(std::vector<std::shared_ptr<store::reader>> connections) {
    for (auto& c : connections)
      readers_.push_back(system_->spawn<caf::detached>(actors::make_reader, std::move(c)));
    keeper_ = std::make_unique<keeper>(config_, board_, store_, *system_);
    rereading_ = std::make_unique<redecoding>(config_, switchboard_, store_, *system_);
    heartbeat_ = std::make_shared<heartbeat>(io_->context(), config_, board_, store_, *system_);
    watch_queues(config_);
    auto hub = std::make_shared<feed_hub>(io_->context(), config_->instance, readers_);
    admin_door_ =
        std::make_shared<admin_door>(io_->context(), api_of(config_), readers_, std::move(hub));
    reloader_ = std::make_unique<reloader>(
        reload_needs{file_, what_units_need(), supervisor_, rules_, counters_, *rereading_,
                     [this](std::shared_ptr<const config::config> c) { take_over(std::move(c)); }});
    switchboard_.on_feed([door = admin_door_] { door->bell(); });

    doors_ = std::make_unique<doors>(
        io_->context(), *config_, std::move(shown_),
        actors::make_ingest_callbacks({rules_, counters_, door_, now_ms,
                                       [&context = readers_of_bodies_->context()](auto job) {
                                         boost::asio::post(context, std::move(job));
                                       },
                                       log_webhook, [space = space_] { return space->trouble(); }}),
        admin_door_);
    signals_ = std::make_unique<signals>(io_->context(), [this] { reloader_->ask("SIGHUP", {}); });
    await_units(*system_, supervisor_); // or the first webhook finds nobody behind the door
    const auto at = doors_->open(*config_);
    if (!at) {
      log_last("cannot listen: " + at.error().text);
      return exit_failed;
    }
    board_->set_listening(true);
    log_always(component::daemon, "ready",
               {{"ingest", at->ingest}, {"admin", at->admin}, {"version", version()}});
    notify("READY=1");
    heartbeat_->start();
    signals_->wait();
    notify("STOPPING=1\nSTATUS=finishing what is in flight");
    log(level::info, component::daemon, "draining: no new requests, what is in flight is finished");
    return exit_done;
  }

  /// Stop accepting, answer what is in flight, end the actors in order, the sockets' threads last.
  void stop() {
    board_->set_listening(false);
    if (reloader_) reloader_->stop();
    if (doors_) doors_->drain_ingest(drain_requests);
    if (doors_) doors_->stop_admin();
    if (reloader_) reloader_->wait(); // it may still use all that ends below
    if (keeper_) keeper_->close();
    if (heartbeat_) heartbeat_->stop();
    if (admin_door_) admin_door_->close();
    if (const auto gauges = gauges_.exchange(nullptr)) gauges->close();
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
    store_ = actors::store_actor{};
    supervisor_ = actors::supervisor_actor{};
    if (doors_) doors_->close_all();
    io_->stop();
    // What is pending there still holds the door, and with its orders the actors that must end.
    if (admin_door_) admin_door_->renew(nullptr);
    reloader_.reset();          // nobody asks any more
    readers_of_bodies_.reset(); // nobody posts to it any more
    doors_.reset();
    keeper_.reset(), rereading_.reset();
    heartbeat_.reset();
    admin_door_.reset();
    signals_.reset();
    clients_.reset();
    system_.reset();
    io_.reset(); // after the actors: a slot that fires late posts to it
    log(level::info, component::daemon, "stopped");
  }

  const std::shared_ptr<const config::config> config_; ///< of the start
  std::atomic<std::shared_ptr<const config::config>> in_force_{config_};
  const std::filesystem::path file_;
  std::shared_ptr<disk_space> space_;
  caf_config caf_;
  std::shared_ptr<api::live> board_;
  std::unique_ptr<net::io_threads> io_, readers_of_bodies_;
  std::unique_ptr<clients> clients_;
  std::unique_ptr<caf::actor_system> system_;
  actors::switchboard switchboard_;
  std::shared_ptr<actors::listener_door> door_ = std::make_shared<actors::listener_door>();
  std::shared_ptr<actors::ingest_rules> rules_;
  std::shared_ptr<actors::ingest_counters> counters_;
  actors::store_actor store_;
  actors::supervisor_actor supervisor_;
  std::vector<actors::reader_actor> readers_;
  std::unique_ptr<reloader> reloader_;
  std::shared_ptr<admin_door> admin_door_;
  std::atomic<std::shared_ptr<queue_gauges>> gauges_; ///< rung from the store's thread
  doors::certificate_pair shown_;
  std::unique_ptr<doors> doors_;
  std::unique_ptr<keeper> keeper_;
  std::unique_ptr<redecoding> rereading_;
  std::shared_ptr<heartbeat> heartbeat_;
  std::unique_ptr<signals> signals_; ///< to the end: a second one in the drain ends the process
};

} // namespace

int run_daemon(config::config c, const std::filesystem::path& file) {
  return daemon(std::move(c), file).run();
}

} // namespace tidemark::app
