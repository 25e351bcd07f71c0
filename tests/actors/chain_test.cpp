// SPDX-License-Identifier: MIT
#include "tests/actors/chain_world.hpp"

using namespace tidemark;
using namespace tidemark::actors;
using namespace tidemark::rpc_test;
using namespace std::chrono_literals;

TEST_CASE_METHOD(chain_fixture, "chain: boots from the store, and follows", "[chain]") {
  start();
  CHECK(boots == 2);
  REQUIRE_FALSE(sets.empty());
  CHECK(std::holds_alternative<tide::started>(sets.front().verdicts.front()));
  advance(60s, 500ms);
  CHECK(stored.mark == id_of(17)); // three below the head
  CHECK(status.head == id_of(20));
  CHECK(state() == "following");
  CHECK(boots == 2);
  CHECK(lies.empty());
}

TEST_CASE_METHOD(chain_fixture, "chain: a head that was heard of is looked for at once", "[chain]") {
  start();
  advance(60s, 500ms);
  const auto before = asks.size();
  endpoints_head = 19; // nothing is believed of it
  caf::anon_send(chain, head_heard{});
  run();
  CHECK(asks.size() > before);
  CHECK(status.head == id_of(20));
  CHECK(state() == "following");
  CHECK(boots == 2);
}

TEST_CASE_METHOD(chain_fixture, "chain: a store that says nothing is asked again after a second",
                 "[chain]") {
  const auto good = script->boot;
  script->boot = [this](const boot_chain&) -> caf::result<chain_booted> {
    ++boots;
    return store_fails();
  };
  start();
  CHECK(boots == 1);
  CHECK(log ==
        std::vector<std::string>{"! the store could not say where the chain stands; asking again"});
  advance(999ms);
  CHECK(boots == 1);
  advance(1ms);
  CHECK(boots == 2);
  script->boot = good;
  advance(1s);
  CHECK(boots == 4);
  CHECK(sets.size() > 0);
  advance(5s, 500ms);
  CHECK(boots == 4);
}

TEST_CASE_METHOD(chain_fixture,
                 "chain: a set that was not stored: from the store again after a second",
                 "[chain]") {
  const auto good = script->apply;
  int tries = 0;
  script->apply = [&](const apply_set&) -> caf::result<set_answer> {
    ++tries;
    return store_fails();
  };
  start();
  CHECK(tries == 1);
  CHECK(boots == 1);
  CHECK(said("! a conclusion was not stored"));
  CHECK(status.state == tide::chain_state::degraded);
  CHECK(status.reason.find("the store does not take") != std::string::npos);
  advance(999ms);
  CHECK(boots == 1);
  script->apply = good;
  advance(1ms);
  CHECK(boots == 3);
  advance(60s, 500ms);
  CHECK(boots == 3);
  CHECK(stored.mark == id_of(17));
  CHECK(status.state == tide::chain_state::following);
}

TEST_CASE_METHOD(chain_fixture, "chain: a refused set: from the store again", "[chain]") {
  const auto good = script->apply;
  int tries = 0;
  script->apply = [&, good](const apply_set& a) -> caf::result<set_answer> {
    return ++tries == 1 ? refuse(a) : good(a);
  };
  start();
  CHECK(tries >= 2);
  CHECK(boots == 3);
  advance(60s, 500ms);
  CHECK(boots == 3);
  CHECK(stored.mark == id_of(17));
}

TEST_CASE_METHOD(chain_fixture,
                 "chain: while it boots again, bells and timers do not boot it twice", "[chain]") {
  start();
  advance(60s, 500ms);
  script->apply = [this](const apply_set& a) -> caf::result<set_answer> {
    script->silent = true;
    return refuse(a);
  };
  endpoints_head = 21; // a new head, so that a set comes
  advance(10s, 500ms);
  REQUIRE(script->silent);
  advance(30s, 100ms);
  for (int i = 0; i < 5; ++i)
    caf::anon_send(chain, look{});
  run();
  CHECK(state_of<fake_store_actor>(store).kept.size() == 1);
}

TEST_CASE_METHOD(chain_fixture, "chain: a boot that takes long is waited for", "[chain]") {
  script->silent = true;
  start();
  caf::anon_send(chain, look{});
  caf::anon_send(chain, tick{0});
  caf::anon_send(chain, tick{1});
  advance(10s, 500ms);
  REQUIRE(state_of<fake_store_actor>(store).kept.size() >= 1);
  script->silent = false;
  script->late = [this](caf::response_promise& p) { p.deliver(chain_booted{box(stored)}); };
  caf::anon_send(store, tick{});
  run();
  CHECK_FALSE(sets.empty());
  CHECK(std::count_if(sets.begin(), sets.end(), [](const tide::write_set& s) {
          return !s.verdicts.empty() && std::holds_alternative<tide::started>(s.verdicts.front());
        }) == 1);
}

TEST_CASE_METHOD(chain_fixture, "chain: nothing begins while something holds it back", "[chain]") {
  start();
  held_back = "the disk is full";
  advance(5s, 500ms);
  const auto before = asks.size();
  advance(120s, 1s);
  CHECK(asks.size() == before);
  CHECK(status.reason.find("the disk is full") != std::string::npos);
  held_back.clear();
  advance(10s, 500ms);
  CHECK(asks.size() > before);
}

TEST_CASE_METHOD(chain_fixture, "chain: a bell takes hints at once", "[chain]") {
  start();
  advance(2s, 100ms);
  const auto before = hint_takes;
  caf::anon_send(chain, look{});
  run();
  CHECK(hint_takes == before + 1);
}

TEST_CASE_METHOD(chain_fixture, "chain: hints that the store could not give are asked for again",
                 "[chain]") {
  script->hints = [this](const take_hints&) -> caf::result<hints_taken> {
    ++hint_takes;
    return store_fails();
  };
  start();
  const auto before = hint_takes;
  CHECK(before >= 1);
  advance(10s, 100ms);
  CHECK(hint_takes > before);
  CHECK(hint_takes <= before + 11);
  CHECK(boots == 2);
}

TEST_CASE_METHOD(chain_fixture, "chain: an order is answered", "[chain]") {
  start();
  resume();
  CHECK(answers == std::vector<std::string>{"resumed: the chain is not halted"});
}

TEST_CASE_METHOD(chain_fixture, "chain: a halted one resumes by order alone", "[chain]") {
  start(true);
  advance(60s, 1s);
  CHECK(state() == "halted");
  CHECK(sets.empty());
  CHECK(asks.empty());
  resume();
  advance(1s);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0] == "resumed: the chain is ours");
  REQUIRE_FALSE(sets.empty());
  CHECK(std::holds_alternative<tide::resumed>(sets.front().verdicts.front()));
}

TEST_CASE_METHOD(chain_fixture, "chain: an order is answered when the actor dies", "[chain]") {
  start(true);
  endpoints_answer = false;
  resume();
  CHECK(answers.empty());
  caf::anon_send_exit(chain, caf::exit_reason::kill);
  run();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].find("ask once more") != std::string::npos);
}

TEST_CASE_METHOD(chain_fixture, "chain: an order is answered when its Tide ends", "[chain]") {
  start(true);
  bool not_stored = false;
  SECTION("a refused set") { script->apply = refuse; }
  SECTION("a set that was not stored") {
    not_stored = true;
    script->apply = {};
  }
  resume();
  advance(5s, 100ms);
  REQUIRE(answers.size() == 1);
  CHECK(boots == 2);
  if (not_stored) CHECK(answers[0].find("ask once more") != std::string::npos);
}

TEST_CASE_METHOD(chain_fixture, "chain: one order at a time", "[chain]") {
  start(true);
  endpoints_answer = false;
  resume();
  resume(true);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].find("another resume of this chain is under way") != std::string::npos);
  caf::anon_send(chain, answered{box(answer_to(asks.back()))});
  endpoints_answer = true;
  run();
  advance(1s);
  REQUIRE(answers.size() == 2);
  CHECK(answers[1] == "resumed: the chain is ours");
}

TEST_CASE_METHOD(chain_fixture, "chain: an order before it has booted", "[chain]") {
  script->boot = {};
  start();
  resume();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].find("the chain is starting") != std::string::npos);
}

TEST_CASE("chain: what a Tide needs of a config", "[chain]") {
  config::config all;
  config::chain c;
  c.id = 5;
  c.name = "x";
  c.integrity = config::integrity::none;
  c.poll_interval = 1s;
  c.reconcile_overlap = 7;
  c.start_block = 9;
  const auto s = tide_settings(c, all);
  CHECK(s.chain_id == 5);
  CHECK(s.integrity == tide::proof::none);
  CHECK(s.poll == 1'000);
  CHECK(s.overlap == 7);
  CHECK(s.start_block == 9);
  CHECK(s.strongest_tag == tide::tag::none);
  CHECK(interest_of(c, all, {})->empty());
  c.integrity = config::integrity::bloom;
  CHECK(tide_settings(c, all).integrity == tide::proof::bloom);
}
