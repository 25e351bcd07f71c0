// SPDX-License-Identifier: MIT
#include "actors/supervisor.hpp"

#include "actors/named_exceptions.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark::actors {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t first_wait = 100, longest_wait = 30'000;
constexpr std::int64_t time_to_change = 10'000; // then a drain is over
constexpr std::int64_t healthy_after = 60'000;  // a unit that lived so long starts counting anew

} // namespace

std::int64_t supervisor_state::steady_ms() const {
  return std::chrono::duration_cast<milliseconds>(self->clock().now().time_since_epoch()).count();
}

void supervisor_state::start(std::size_t i) {
  auto& u = units[i];
  ++u.life;
  u.started_at = steady_ms();
  u.alive = with.units[i].start();
  for (const auto& a : u.alive)
    self->monitor(a);
}

void supervisor_state::died(const caf::actor_addr& who, const std::string& why) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto& u = units[i];
    const auto it = std::find_if(u.alive.begin(), u.alive.end(),
                                 [&](const caf::actor& a) { return a.address() == who; });
    if (it == u.alive.end()) continue;
    u.alive.erase(it);
    if (stopping) {
      if (u.alive.empty() && i + 1 == left) {
        --left;
        stop_next();
      }
      return;
    }
    if (u.changing) {
      if (u.alive.empty()) settle(i);
      return;
    }
    if (with.units[i].vital) return with.fatal(with.units[i].name + " ended: " + why);
    // They live and die together: what is left of the unit would talk to one that is gone.
    for (auto& rest : std::exchange(u.alive, {})) {
      self->demonitor(rest);
      caf::anon_send_exit(rest, caf::exit_reason::kill);
    }
    if (with.units[i].ended) with.units[i].ended();
    u.deaths = steady_ms() - u.started_at > healthy_after ? 1 : u.deaths + 1;
    const auto wait =
        std::min(first_wait << std::min<std::uint32_t>(u.deaths - 1, 9), longest_wait);
    with.log(true, with.units[i].name + " ended (" + why + "); it starts again in " +
                       std::to_string(wait) + " ms");
    self->delayed_send(self, milliseconds(wait), restart{i, u.life});
    return;
  }
}

/// A place that nothing has any more, or a new one.
std::size_t supervisor_state::place_for(const unit& u) {
  const auto free = std::find_if(units.begin(), units.end(), [](const running& r) {
    return r.gone && r.alive.empty() && !r.changing;
  });
  const auto i = static_cast<std::size_t>(free - units.begin());
  if (free == units.end()) {
    with.units.push_back(u);
    units.emplace_back();
  } else {
    with.units[i] = u;
    free->gone = false;
  }
  return i;
}

/// Ends what a config changed, and starts what it brings; a unit that drains has a while for it.
void supervisor_state::change(const unit_change& c) {
  std::size_t i = 0;
  while (i < units.size() && (units[i].gone || with.units[i].name != c.is->name))
    ++i;
  if (i == units.size()) return c.gone ? void() : start(place_for(*c.is));
  units[i].changing = c;
  if (units[i].alive.empty()) return settle(i); // it waits to be started again
  end(i);
  self->delayed_send(self, milliseconds(time_to_change), restart{i, units[i].life});
}

void supervisor_state::end(std::size_t i) {
  for (const auto& a : units[i].alive)
    if (with.units[i].drains)
      caf::anon_send(a, drain{});
    else
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
}

void supervisor_state::settle(std::size_t i) {
  const auto c = *std::exchange(units[i].changing, std::nullopt);
  if (with.units[i].ended) with.units[i].ended();
  ++units[i].life; // whatever was to start it again is void
  units[i].deaths = 0;
  units[i].gone = c.gone;
  if (c.gone) {
    with.units[i].start = {};
    with.units[i].ended = {};
  } else {
    with.units[i] = *c.is;
    start(i);
  }
  changed();
}

/// Whoever asked for changes hears once there is none left.
void supervisor_state::changed() {
  if (std::any_of(units.begin(), units.end(), [](const running& u) { return u.changing; })) return;
  for (auto& w : std::exchange(waiting, {}))
    w.deliver(order_done{1});
}

void supervisor_state::refuse_changes() {
  refusing = true;
  for (auto& w : std::exchange(waiting, {}))
    w.deliver(caf::make_error(caf::sec::runtime_error, "the daemon is stopping"));
}

/// One unit after the other, the last started first; those that drain have been told before, all at
/// once.
void supervisor_state::stop_next() {
  while (left > 0 && units[left - 1].alive.empty())
    --left;
  if (left == 0) return self->quit();
  const bool late = steady_ms() >= give_up_at;
  if (with.units[left - 1].drains && !late) return; // it ends by itself
  for (const auto& a : units[left - 1].alive)
    caf::anon_send_exit(a, late ? caf::exit_reason::kill : caf::exit_reason::user_shutdown);
}

supervisor_actor::behavior_type
make_supervisor(supervisor_actor::stateful_pointer<supervisor_state> self,
                supervisor_params params) {
  name_exceptions(self);
  auto& s = self->state;
  s.with = std::move(params);
  s.units.resize(s.with.units.size());
  self->set_down_handler([self](const caf::down_msg& d) {
    self->state.died(d.source, self->system().render(d.reason));
  });
  for (std::size_t i = 0; i < s.units.size(); ++i)
    s.start(i);
  return {[self](const restart& r) {
            auto& st = self->state;
            if (st.stopping) {
              // The time for draining is over: whoever still drains is ended, in order all the
              // same, since what they say last goes to the store.
              if (r.unit == st.units.size()) st.stop_next();
              return;
            }
            auto& u = st.units[r.unit];
            if (r.life != u.life || u.gone) return;
            if (!u.changing) return st.start(r.unit);
            for (const auto& a : u.alive)
              caf::anon_send_exit(a, caf::exit_reason::kill);
          },
          [self](const stop_in& stop) {
            auto& st = self->state;
            st.stopping = true;
            st.refuse_changes();
            st.left = st.units.size();
            st.give_up_at = st.steady_ms() + stop.ms;
            for (std::size_t i = 0; i < st.units.size(); ++i)
              if (st.with.units[i].drains)
                for (const auto& a : st.units[i].alive)
                  caf::anon_send(a, drain{});
            self->delayed_send(self, milliseconds(stop.ms), restart{st.units.size(), 0});
            st.stop_next();
          },
          [self](no_more_changes) { self->state.refuse_changes(); },
          [self](const change_units& c) {
            auto& st = self->state;
            auto promise = self->make_response_promise<caf::typed_response_promise<order_done>>();
            if (st.refusing) {
              promise.deliver(caf::make_error(caf::sec::runtime_error, "the daemon is stopping"));
              return promise;
            }
            st.waiting.push_back(promise);
            for (const auto& one : *c.changes)
              st.change(one);
            st.changed();
            return promise;
          }};
}

} // namespace tidemark::actors
