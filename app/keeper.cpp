// SPDX-License-Identifier: MIT
#include "app/keeper.hpp"

#include "app/clock.hpp"
#include "app/log.hpp"
#include "app/retention.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace tidemark::app {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::minutes first_prune{1}, prune_every{60};
constexpr std::size_t rows_a_step = 500;
/// Between steps, so that webhooks and deliveries hardly notice.
constexpr auto step_pause = 20ms;

const store::store_failure ending{false, "the daemon is stopping"};

} // namespace

keeper::keeper(std::shared_ptr<const config::config> config, std::shared_ptr<api::live> board,
               actors::store_actor store, caf::actor_system& system)
    : config_(std::move(config)), board_(std::move(board)), store_(std::move(store)),
      system_(system), thread_([this] { run(); }) {}

keeper::~keeper() { close(); }

bool keeper::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void keeper::close() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    waiting_.clear(); // their slots say that they were dropped
  }
  store::end_upkeep();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  store_ = actors::store_actor{};
}

void keeper::order(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void keeper::run() {
  auto next_prune = std::chrono::steady_clock::now() + first_prune;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_until(lock, next_prune, [this] { return ended_ || !waiting_.empty(); });
    if (ended_) return;
    std::function<void()> work;
    if (!waiting_.empty()) {
      work = std::move(waiting_.front());
      waiting_.pop_front();
    } else {
      next_prune = std::chrono::steady_clock::now() + prune_every;
      work = [this] {
        if (const auto went = prune(""); !went)
          log(level::warn, component::store,
              "what is old could not be let go of: " + went.error().text);
      };
    }
    lock.unlock();
    work();
    work = {};
    lock.lock();
  }
}

store::result<void>
keeper::write(std::function<store::result<void>(store::store&, std::int64_t)> work) {
  caf::scoped_actor self{system_};
  std::optional<store::store_failure> failed;
  self->request(store_, caf::infinite, actors::write_work{std::move(work)})
      .receive([](const actors::order_done&) {},
               [&](const caf::error& e) {
                 failed = store::store_failure{false, system_.render(e)};
               });
  if (failed) return *failed;
  return {};
}

store::result<std::uint64_t> keeper::back_up(const std::string& to, const std::string& who) {
  const auto began = now_ms();
  auto bytes = store::back_up(config_->store.path.string(), to, began);
  if (!bytes) return bytes;
  const auto noted =
      write([to, who, began](store::store& file, std::int64_t now) -> store::result<void> {
        if (auto put = file.note_backup(began); !put) return put;
        return file.audit(who, "db backup", to, now);
      });
  if (!noted) return noted.error();
  board_->set_last_backup(began);
  log(level::info, component::store, "backup made",
      {{"path", to}, {"bytes", std::to_string(*bytes), true}});
  return bytes;
}

store::result<store::pruning> keeper::prune(const std::string& who) {
  const auto keep = retention_of(*config_);
  auto at = std::make_shared<store::pruning>();
  while (!at->done) {
    if (ended()) return ending;
    const auto step = std::make_shared<store::pruning>(*at);
    const auto wrote =
        write([keep, step](store::store& file, std::int64_t now) -> store::result<void> {
          return file.prune(keep, now, rows_a_step, *step);
        });
    if (!wrote) return wrote.error();
    at = step;
    if (!at->done) std::this_thread::sleep_for(step_pause);
  }
  const auto all = at->webhooks + at->deliveries + at->events;
  const auto text = std::to_string(at->webhooks) + " webhooks, " + std::to_string(at->deliveries) +
                    " deliveries, " + std::to_string(at->events) + " events";
  if (all > 0)
    log(level::info, component::store, "let go of what is older than store.retention: " + text);
  if (!who.empty()) {
    const auto noted = write([who, text](store::store& file, std::int64_t now) {
      return file.audit(who, "db prune", text, now);
    });
    if (!noted) return noted.error();
  }
  return *at;
}

void keeper::add_orders(api::orders& to) {
  using problems = std::vector<std::string>;
  to.check = [this](net::reply_slot slot, const api::orders::upkept<problems>& make) {
    order([this, slot = std::move(slot), make] {
      slot.deliver(make(store::check_file(config_->store.path.string())));
    });
  };
  to.stats = [this](net::reply_slot slot, const api::orders::upkept<store::file_stats>& make) {
    order([this, slot = std::move(slot), make] {
      slot.deliver(make(store::stats_of(config_->store.path.string())));
    });
  };
  to.back_up = [this](const std::string& path, const std::string& who, net::reply_slot slot,
                      const api::orders::upkept<std::uint64_t>& make) {
    order([this, path, who, slot = std::move(slot), make] {
      slot.deliver(make(back_up(path, who)));
    });
  };
  to.prune = [this](const std::string& who, net::reply_slot slot,
                    const api::orders::upkept<store::pruning>& make) {
    order([this, who, slot = std::move(slot), make] { slot.deliver(make(prune(who))); });
  };
}

} // namespace tidemark::app
