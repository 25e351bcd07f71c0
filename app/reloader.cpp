// SPDX-License-Identifier: MIT
#include "app/reloader.hpp"

#include "app/asking.hpp"
#include "app/certificates.hpp"
#include "app/clock.hpp"
#include "app/filling.hpp"
#include "app/log.hpp"
#include "app/opening.hpp"
#include "app/service.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark::app {
namespace {

using namespace std::chrono_literals;

constexpr auto store_answers_in = 30s, units_change_in = 40s;

std::vector<std::string> words_for(const config::changes& c) {
  std::vector<std::string> out;
  const auto add = [&](const std::vector<std::string>& names, const std::string& before,
                       const std::string& after) {
    for (const auto& name : names)
      out.push_back(fmt::format("{}{}{}", before, name, after));
  };
  add(c.chains_gone, "chain ", " is not followed any more");
  add(c.chains_anew, "chain ", " goes on as the config says now");
  add(c.handlers_gone, "handler ", " is told nothing more; its queue is kept");
  add(c.handlers_anew, "handler ", " is told as the config says now");
  add(c.rest, "", " as the config says now");
  return out;
}

api::reload_report given_up(api::reload_report report = {}) {
  report.given_up = true;
  return report;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

actors::unit_change gone(const std::string& name) {
  actors::unit u;
  u.name = name;
  return {actors::box(std::move(u)), true};
}

} // namespace

reloader::reloader(reload_needs needs) : needs_(std::move(needs)), thread_([this] { run(); }) {}

reloader::~reloader() {
  stop();
  wait();
}

void reloader::stop() {
  std::deque<order> unbegun;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    orders_.swap(unbegun);
  }
  changed_.notify_all();
  // Or a reload waits for what a handler takes its time over.
  if (needs_.supervisor) caf::anon_send(needs_.supervisor, actors::no_more_changes{});
  for (const auto& o : unbegun)
    if (o.done) o.done(given_up());
}

void reloader::wait() {
  if (thread_.joinable()) thread_.join();
  needs_.supervisor = actors::supervisor_actor{};
}

bool reloader::ending() {
  const std::lock_guard lock(mutex_);
  return ending_;
}

void reloader::ask(std::string who, told done) {
  std::unique_lock lock(mutex_);
  if (!ending_) {
    orders_.push_back({std::move(who), std::move(done)});
    changed_.notify_all();
    return;
  }
  lock.unlock();
  if (done) done(given_up());
}

void reloader::run() {
  for (;;) {
    order next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !orders_.empty(); });
      if (ending_) return;
      next = std::move(orders_.front());
      orders_.pop_front();
    }
    notify_reloading();
    const auto report = reload(next.who);
    if (!ending()) notify("READY=1");
    if (next.done) next.done(report);
  }
}

api::reload_report reloader::reload(const std::string& who) {
  auto loaded = config::load(needs_.file, environment, config::reach::all, wrong_files);
  api::reload_report report;
  report.warnings = std::move(loaded.warnings);
  report.problems = std::move(loaded.problems);
  if (!loaded.value) return refuse(std::move(report), who);

  const auto next = std::make_shared<const config::config>(std::move(*loaded.value));
  const auto what = config::compare(*needs_.units.config, *next);
  const auto wrong = [&](const std::string& text) {
    report.problems.push_back({needs_.file.string(), 0, 0, text});
  };
  for (const auto& text : what.refused)
    wrong(text);
  if (auto reader = store::reader::open(needs_.units.config->store.path.string()))
    for (const auto& text : moved_starts(*next, **reader))
      wrong(text);
  if (!report.problems.empty()) return refuse(std::move(report), who);
  if (ending()) return given_up(std::move(report));
  // What a chain tells by the old config must not come behind what the store does by the new one:
  // it would lack a new handler, or have a key of the old epoch. So those that change end first.
  const auto ended = chains_that_end(what);
  auto failed = end(ended);
  if (failed.empty()) failed = adopt(next, who);
  if (!failed.empty()) {
    if (ending()) return given_up(std::move(report));
    needs_.rereading.renewal(needs_.units.config)();
    start(ended);
    wrong(failed);
    return refuse(std::move(report), who);
  }

  // From here on it holds.
  needs_.rules->renew(*next);
  needs_.counters->renew(*next);
  renew_log(next->log);
  needs_.units.config = next;
  fill(*next); // before its chains tell it anything
  if (!change_units(what, next)) return given_up(std::move(report));
  needs_.renew_api(next);
  needs_.units.board->set_reload(true, now_ms());
  report.done = true;
  report.changed = words_for(what);
  log(level::info, component::config, "the config was read again and is in force", {{"by", who}});
  for (const auto& text : report.changed)
    log(level::info, component::config, text);
  return report;
}

api::reload_report reloader::refuse(api::reload_report report, const std::string& who) {
  needs_.units.board->set_reload(false, now_ms());
  log(level::error, component::config,
      "the config was read again and not taken; the one in force stays as it is", {{"by", who}});
  for (const auto& p : report.problems)
    log(level::error, component::config, p.to_string());
  caf::anon_send(needs_.units.store,
                 actors::write_audit{who, "reload refused", report.problems.front().to_string()});
  return report;
}

std::string reloader::adopt(const std::shared_ptr<const config::config>& c,
                            const std::string& who) {
  std::string failed;
  caf::scoped_actor me{needs_.units.system};
  me->request(needs_.units.store, store_answers_in,
              actors::adopt_config{actors::box(store_part(*c)), who, needs_.rereading.renewal(c)})
      .receive([](const actors::order_done&) {},
               [&](const caf::error& e) {
                 failed = "the store did not take it: " + needs_.units.system.render(e);
               });
  return failed;
}

/// A handler that lacks a part gets the rest at the next start.
void reloader::fill(const config::config& c) {
  const auto failed = fill_handlers(
      [&](store_write write) {
        std::optional<std::string> wrong;
        if (ending()) return std::optional<std::string>("the daemon is stopping");
        caf::scoped_actor me{needs_.units.system};
        me->request(needs_.units.store, caf::infinite, actors::write_work{std::move(write)})
            .receive([](const actors::order_done&) {},
                     [&](const caf::error& e) { wrong = needs_.units.system.render(e); });
        return wrong;
      },
      c);
  if (failed)
    log(level::error, component::config, "a handler lacks a part of what it has to be told",
        {{"reason", *failed}});
}

/// Its chains have ended. Those that end, end first, so that a name is never there twice.
bool reloader::change_units(const config::changes& what,
                            const std::shared_ptr<const config::config>& c) {
  std::vector<actors::unit_change> all;
  for (const auto& name : what.handlers_gone)
    all.push_back(gone("delivery " + name));
  for (const auto& chain : c->chains)
    if (has(what.chains_anew, chain.name))
      all.push_back({actors::box(chain_unit(needs_.units, chain)), false});
  for (const auto& handler : c->handlers)
    if (has(what.handlers_anew, handler.name()))
      all.push_back({actors::box(delivery_unit(needs_.units, handler)), false});
  if (carry_out(std::move(all))) return true;
  if (ending()) return false;
  log(level::warn, component::config, "not everything that the config changed has begun yet");
  return true;
}

/// False: not all of it in time.
bool reloader::carry_out(std::vector<actors::unit_change> all) {
  if (all.empty()) return true;
  bool done = false;
  caf::scoped_actor me{needs_.units.system};
  me->request(needs_.supervisor, units_change_in, actors::change_units{actors::box(std::move(all))})
      .receive([&](const actors::order_done&) { done = true; }, [](const caf::error&) {});
  return done;
}

std::vector<config::chain> reloader::chains_that_end(const config::changes& what) const {
  std::vector<config::chain> all;
  for (const auto& chain : needs_.units.config->chains)
    if (has(what.chains_gone, chain.name) || has(what.chains_anew, chain.name))
      all.push_back(chain);
  return all;
}

std::string reloader::end(const std::vector<config::chain>& chains) {
  std::vector<actors::unit_change> all;
  all.reserve(chains.size());
  for (const auto& chain : chains)
    all.push_back(gone("chain " + chain.name));
  return carry_out(std::move(all)) ? "" : "its chains did not end in time";
}

void reloader::start(const std::vector<config::chain>& chains) {
  std::vector<actors::unit_change> all;
  all.reserve(chains.size());
  for (const auto& chain : chains)
    all.push_back({actors::box(chain_unit(needs_.units, chain)), false});
  carry_out(std::move(all));
}

} // namespace tidemark::app
