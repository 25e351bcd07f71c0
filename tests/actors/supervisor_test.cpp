// SPDX-License-Identifier: MIT
#include "actors/supervisor.hpp"

#include "tests/actors/fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace tidemark;
using namespace tidemark::actors;
using namespace std::chrono_literals;

namespace {

/// Units of actors that end when told; `events` says what happened, in order.
struct supervisor_fixture : actor_fixture {
  std::vector<std::string> events, log;
  std::map<std::string, std::vector<caf::actor>> units; ///< the present actors
  std::map<std::string, int> starts, cleared;           ///< how often
  supervisor_params params;
  supervisor_actor supervisor;

  supervisor_fixture() {
    params.log = [this](bool, std::string_view t) { log.emplace_back(t); };
    params.fatal = [this](std::string_view t) { events.push_back("fatal " + std::string(t)); };
  }
  ~supervisor_fixture() {
    units.clear();
    end();
  }
  /// One that is told to drain goes on until `finish`.
  void add(const std::string& name, bool vital = false, bool drains = false, int actors = 1) {
    params.units.push_back({name,
                            [this, name, actors] {
                              ++starts[name];
                              std::vector<caf::actor> made;
                              for (int i = 0; i < actors; ++i)
                                made.push_back(spawn(name));
                              units[name] = made;
                              for (const auto& a : made)
                                owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(a));
                              return made;
                            },
                            vital, drains, [this, name] { ++cleared[name]; }});
  }
  caf::actor spawn(const std::string& name) {
    return sys.spawn([this, name](caf::event_based_actor* me) -> caf::behavior {
      me->attach_functor([this, name] { events.push_back(name + " ended"); });
      return {[this, name](drain) { events.push_back(name + " drains"); }};
    });
  }
  void start() {
    supervisor = own(sys.spawn(make_supervisor, params));
    run();
  }
  void kill(const std::string& name, std::size_t i = 0) {
    caf::anon_send(units.at(name).at(i),
                   caf::exit_msg{self.address(),
                                 caf::make_error(caf::sec::runtime_error, std::string("boom"))});
    run();
  }
  void finish(const std::string& name) {
    caf::anon_send_exit(units.at(name).at(0), caf::exit_reason::user_shutdown);
    run();
  }
  void stop(std::chrono::milliseconds within = 4s) {
    events.clear();
    caf::anon_send(supervisor, stop_in{within.count()});
    run();
  }
  using list = std::vector<std::string>;
};

} // namespace

TEST_CASE_METHOD(supervisor_fixture, "supervisor: what dies starts again, later each time",
                 "[supervisor]") {
  add("chain x");
  add("chain y");
  start();
  CHECK(starts["chain x"] == 1);
  std::int64_t wait = 100;
  for (int i = 1; i < 14; ++i) {
    kill("chain x");
    CAPTURE(i, wait);
    advance(std::chrono::milliseconds(wait - 1));
    CHECK(starts["chain x"] == i);
    advance(1ms);
    CHECK(starts["chain x"] == i + 1);
    wait = std::min<std::int64_t>(wait * 2, 30'000);
  }
  CHECK(starts["chain y"] == 1);
  CHECK(log.size() == 13);
  CHECK(log[0].find("chain x ended (") == 0);
  CHECK(log[0].find("boom") != std::string::npos);
  CHECK(log[0].find("it starts again in 100 ms") != std::string::npos);
  CHECK(log[12].find("it starts again in 30000 ms") != std::string::npos);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: a minute of life is forgiven", "[supervisor]") {
  add("chain x");
  start();
  for (int i = 0; i < 5; ++i) {
    kill("chain x");
    advance(10s);
  }
  CHECK(log.back().find("in 1600 ms") != std::string::npos);
  advance(61s);
  kill("chain x");
  CHECK(log.back().find("in 100 ms") != std::string::npos);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: a unit lives and dies together", "[supervisor]") {
  add("chain x", false, false, 3);
  add("chain y", false, false, 2);
  start();
  events.clear();
  const auto first = units["chain x"];
  kill("chain x", 1);
  CHECK(events == list{"chain x ended", "chain x ended", "chain x ended"});
  CHECK(log.size() == 1); // the others' ends are no deaths of their own
  advance(100ms);
  CHECK(starts["chain x"] == 2);
  CHECK(starts["chain y"] == 1);
  for (const auto& a : first)
    CHECK_FALSE(is_alive(a));
  for (const auto& a : units["chain x"])
    CHECK(is_alive(a));
  advance(60s);
  CHECK(starts["chain x"] == 2);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: what ends by itself is a death too",
                 "[supervisor]") {
  add("intake");
  start();
  finish("intake");
  advance(100ms);
  CHECK(starts["intake"] == 2);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: without a vital unit the process ends",
                 "[supervisor]") {
  add("store", true);
  add("chain x");
  start();
  events.clear();
  kill("store");
  REQUIRE(events.size() == 2);
  CHECK(events[1].find("fatal store ended: ") == 0);
  CHECK(events[1].find("boom") != std::string::npos);
  advance(60s);
  CHECK(starts["store"] == 1);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: stops in the reverse order", "[supervisor]") {
  add("store", true);
  add("chain x", false, false, 2);
  add("intake");
  add("listener");
  start();
  stop();
  CHECK(events ==
        list{"listener ended", "intake ended", "chain x ended", "chain x ended", "store ended"});
  CHECK_FALSE(is_alive(supervisor));
  advance(60s);
  CHECK(starts["store"] + starts["chain x"] + starts["intake"] + starts["listener"] == 4);
}

TEST_CASE_METHOD(supervisor_fixture,
                 "supervisor: what drains ends by itself, and the others wait for it",
                 "[supervisor]") {
  add("store", true);
  add("delivery a", false, true);
  add("delivery b", false, true);
  add("listener");
  start();
  stop();
  CHECK(events == list{"delivery a drains", "delivery b drains", "listener ended"});
  finish("delivery a");
  CHECK(events.back() == "delivery a ended");
  CHECK(is_alive(units["store"][0])); // b still drains
  finish("delivery b");
  CHECK(events == list{"delivery a drains", "delivery b drains", "listener ended",
                       "delivery a ended", "delivery b ended", "store ended"});
  CHECK_FALSE(is_alive(supervisor));
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: when the time is over what still drains is ended",
                 "[supervisor]") {
  add("store", true);
  add("delivery a", false, true);
  add("delivery b", false, true);
  start();
  stop(4s);
  advance(3'999ms);
  CHECK(events == list{"delivery a drains", "delivery b drains"});
  CHECK(is_alive(supervisor));
  advance(1ms);
  CHECK(std::count(events.begin(), events.end(), "delivery a ended") == 1);
  CHECK(std::count(events.begin(), events.end(), "delivery b ended") == 1);
  CHECK(std::count(events.begin(), events.end(), "store ended") == 1);
  CHECK_FALSE(is_alive(supervisor));
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: the store outlives what drains, to the end",
                 "[supervisor]") {
  add("store", true);
  add("delivery a", false, true);
  start();
  stop(4s);
  advance(4s);
  CHECK(events.back() == "store ended");
}

TEST_CASE_METHOD(supervisor_fixture,
                 "supervisor: what waits to start again when it stops never starts",
                 "[supervisor]") {
  add("store", true);
  add("chain x");
  add("chain y");
  start();
  kill("chain x");
  stop();
  CHECK(events == list{"chain y ended", "store ended"});
  CHECK_FALSE(is_alive(supervisor));
  advance(60s);
  CHECK(starts["chain x"] == 1);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: a death while it stops is no alarm",
                 "[supervisor]") {
  add("store", true);
  add("delivery a", false, true);
  start();
  stop();
  kill("store");
  CHECK(std::none_of(events.begin(), events.end(),
                     [](const std::string& e) { return e.find("fatal") == 0; }));
  finish("delivery a");
  CHECK_FALSE(is_alive(supervisor));
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: what a config changes ends first, the rest lives",
                 "[supervisor]") {
  add("chain x", false, false, 2);
  add("delivery h", false, true);
  add("intake");
  start();
  auto made = std::move(params.units); // the next lives of the same names
  params.units.clear();
  add("chain y");
  const auto fresh = params.units.front();
  int answered = 0;
  const auto change = [&](std::vector<unit_change> changes) {
    events.clear();
    auto asker = sys.spawn([&, changes](caf::event_based_actor* me) {
      me->request(supervisor, caf::infinite, change_units{box(changes)})
          .then([&](const order_done&) { ++answered; }, [](const caf::error&) {});
    });
    owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
    run();
  };
  change({{box(made[1]), false}, {box(made[0]), false}, {box(fresh), false}});
  CHECK(starts["chain x"] == 2);
  CHECK(starts["chain y"] == 1);
  CHECK(events == list{"delivery h drains", "chain x ended", "chain x ended"});
  CHECK(starts["delivery h"] == 1);
  CHECK(answered == 0);
  finish("delivery h");
  CHECK(starts["delivery h"] == 2);
  CHECK(answered == 1);
  CHECK(starts["intake"] == 1);

  // One that does not end in time is ended.
  change({{box(made[1]), true}});
  advance(10s);
  CHECK(events == list{"delivery h drains", "delivery h ended"});
  CHECK(answered == 2);
  advance(60s);
  CHECK(starts["delivery h"] == 2);

  // One that waits to be started again does not wait any more.
  kill("chain y");
  change({{box(fresh), false}});
  CHECK(starts["chain y"] == 2);
  advance(60s);
  CHECK(starts["chain y"] == 2);
  kill("chain y");
  advance(60s);
  CHECK(starts["chain y"] == 3);
  CHECK(answered == 3);
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: nobody waits for a change once the daemon stops",
                 "[supervisor]") {
  add("store", true);
  add("delivery h", false, true);
  start();
  std::string wrong;
  int answered = 0;
  const auto change = [&] {
    const unit_change again{box(params.units[1]), false};
    auto asker = sys.spawn([&, again](caf::event_based_actor* me) {
      me->request(supervisor, caf::infinite, change_units{box(std::vector{again})})
          .then([&](const order_done&) { ++answered; },
                [&](const caf::error& e) { wrong = sys.render(e); });
    });
    owned.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
    run();
  };
  change(); // it drains, and does not end
  CHECK(wrong.empty());
  SECTION("told so") {
    caf::anon_send(supervisor, no_more_changes{});
    run();
    CHECK(wrong.find("the daemon is stopping") != std::string::npos);
    wrong.clear();
    change();
  }
  SECTION("or stopped at once") { stop(); }
  CHECK(wrong.find("the daemon is stopping") != std::string::npos);
  stop();
  finish("delivery h");
  CHECK(answered == 0);
  CHECK(starts["delivery h"] == 1);
  CHECK_FALSE(is_alive(supervisor));
}

TEST_CASE_METHOD(supervisor_fixture, "supervisor: what a unit leaves is cleared up at every end",
                 "[supervisor]") {
  add("store", true);
  add("delivery h", false, true);
  start();
  const auto change = [&](bool gone) {
    caf::anon_send(supervisor,
                   change_units{box(std::vector{unit_change{box(params.units[1]), gone}})});
    run();
  };
  kill("delivery h");
  CHECK(cleared["delivery h"] == 1);
  CHECK(starts["delivery h"] == 1); // before it starts again
  advance(100ms);
  SECTION("changed") {
    change(false);
    CHECK(cleared["delivery h"] == 1);
    advance(10s); // it drains too long
    CHECK(cleared["delivery h"] == 2);
    CHECK(starts["delivery h"] == 3);
  }
  SECTION("removed") {
    change(true);
    finish("delivery h");
    CHECK(cleared["delivery h"] == 2);
  }
  SECTION("not when all stop") {
    stop(4s);
    advance(4s);
    CHECK(cleared["delivery h"] == 1);
  }
  CHECK(cleared["store"] == 0);
}
