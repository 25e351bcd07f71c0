// SPDX-License-Identifier: MIT
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace tidemark::actors {

struct quiet_config : caf::actor_system_config {
  quiet_config() { set("scheduler.policy", caf::atom("testing")); }
};

/// Actors on one thread and on simulated time: nothing happens but in run() and advance(). Never
/// spawn a detached one here.
struct actor_fixture {
  quiet_config cfg;
  caf::actor_system sys{cfg};
  caf::scoped_actor self{sys, true};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(sys.scheduler());
  std::vector<caf::strong_actor_ptr> owned;
  std::int64_t now = 1'700'000'000'000; ///< the wall clock, ms since 1970; moves with advance()

  template <class H> H own(H h) {
    owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(h));
    return h;
  }
  /// Until no message is left.
  std::size_t run() { return sched.run(); }
  std::size_t advance(std::chrono::milliseconds d) {
    now += d.count();
    const auto n = sched.advance_time(d);
    return n + run();
  }
  /// In steps, so that a timer that arms itself again comes more than once.
  void advance(std::chrono::milliseconds d, std::chrono::milliseconds step) {
    for (; d.count() > 0; d -= step)
      advance(step);
  }
  template <class A> auto& state_of(const auto& h) {
    return dynamic_cast<A&>(*caf::actor_cast<caf::abstract_actor*>(h)).state;
  }
  bool is_alive(const auto& h) {
    return !caf::actor_cast<caf::abstract_actor*>(h)->getf(caf::abstract_actor::is_terminated_flag);
  }

  actor_fixture() = default;
  actor_fixture(const actor_fixture&) = delete;
  actor_fixture& operator=(const actor_fixture&) = delete;
  /// Ends every owned actor. A fixture whose members are called by actors calls this in its own
  /// destructor, before they are gone. The coordinator's stop loops over pending time-outs, and a
  /// self-arming timer never ends, so that none may be left.
  void end() {
    for (auto& p : owned)
      caf::anon_send_exit(p, caf::exit_reason::kill);
    owned.clear();
    run();
  }
  ~actor_fixture() { end(); }
};

} // namespace tidemark::actors
