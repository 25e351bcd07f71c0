// SPDX-License-Identifier: MIT
#include "tests/actors/store_world.hpp"

using namespace tidemark;
using namespace tidemark::actors;

TEST_CASE_METHOD(store_fixture, "store: an answer comes after the commit, the bells after both",
                 "[store actor]") {
  append(1);
  run();
  REQUIRE(order.size() == 3);
  CHECK(order[0] == "committed");
  CHECK(count("bells webhooks") == 1);
  CHECK(count("w1") == 1);
}

TEST_CASE_METHOD(store_fixture, "store: what waits is one commit", "[store actor]") {
  for (int i = 0; i < 300; ++i)
    append(i);
  run();
  CHECK(commits == 1);
  CHECK(count("w") >= 300);
  CHECK(count("!") == 0);
  CHECK(order.front() == "committed");
  CHECK(count("bells") == 1);
}

TEST_CASE_METHOD(store_fixture, "store: 512 writes or 1 MiB a group", "[store actor]") {
  SECTION("by number") {
    for (int i = 0; i < 1'100; ++i)
      append(i);
    run();
    CHECK(commits == 3);
  }
  SECTION("by size") {
    for (int i = 0; i < 8; ++i)
      append(i, 400 * 1024);
    run();
    CHECK(commits == 3); // 3 + 3 + 2
  }
  SECTION("one that is larger than a group") {
    append(1, 3 * 1024 * 1024);
    append(2);
    run();
    CHECK(commits == 2);
  }
  CHECK(count("!") == 0);
}

TEST_CASE_METHOD(store_fixture, "store: one chain's set a group, in turns, behind the small writes",
                 "[store actor]") {
  start(2);
  start(1);
  start(3);
  for (int i = 0; i < 5; ++i)
    append(i);
  run();
  CHECK(commits == 3);
  CHECK(count("applied") == 3);
  CHECK(count("not applied") == 0);
  CHECK(count("others wait") == 1); // the first set is told so, which shared its group with them
  const auto at = [&](const std::string& what) {
    return std::find(order.begin(), order.end(), what) - order.begin();
  };
  CHECK(at("set 2") < at("set 1"));
  CHECK(at("set 1") < at("set 3"));
  for (int i = 0; i < 5; ++i)
    CHECK(at("w" + std::to_string(i)) < at("set 1")); // with the first set's group
}

TEST_CASE_METHOD(store_fixture,
                 "store: a config is adopted behind the sets that wait, before others",
                 "[store actor]") {
  start(1);
  start(2);
  ask<order_done>(
      adopt_config{box(store::config_in{}), "me",
                   [this] { order.push_back("counts after " + std::to_string(commits)); }},
      "adopted");
  start(3);
  append(1);
  run();
  const auto at = [&](const std::string& what) {
    return std::find(order.begin(), order.end(), what) - order.begin();
  };
  CHECK(count("applied") == 3);
  CHECK(count("counts after 2") == 1); // of the groups
  CHECK(at("w1") < at("set 2"));
  CHECK(at("set 2") < at("adopted"));
  CHECK(at("adopted") < at("set 3"));
}

TEST_CASE_METHOD(store_fixture, "store: a refused set is an answer, and the group goes on",
                 "[store actor]") {
  start(1);
  run();
  start(1); // an older turn
  append(1);
  run();
  CHECK(count("applied") == 2);
  CHECK(count("not applied") == 1);
  CHECK(count("w1") == 1);
  CHECK(count("!") == 0);
  CHECK(commits == 2);
}

TEST_CASE_METHOD(store_fixture,
                 "store: a commit that fails answers everyone, and nothing of it stays",
                 "[store actor]") {
  fails = "commit";
  for (int i = 0; i < 3; ++i)
    append(i);
  start(1);
  run();
  CHECK(commits == 0);
  CHECK(count(" !") == 4);
  CHECK(count("out of memory") == 5); // and the trouble
  CHECK(count("bells") == 0);
  CHECK(count("fatal") == 0);
  CHECK(order.front() == "trouble out of memory");
  order.clear();
  append(7);
  run();
  CHECK(count("trouble") == 0); // said once
  fails.clear();
  append(0);
  start(1);
  run();
  CHECK(count("trouble ") == 1);
  CHECK(std::find(order.begin(), order.end(), "trouble ") != order.end());
  CHECK(count("w0") == 1);
  CHECK(count("applied") == 1);
  ask<raw_webhooks>(take_raw{10, 1'000'000}, "raw", [this](const raw_webhooks& r) {
    order.push_back("rows " + std::to_string(r.rows->size()));
  });
  run();
  CHECK(order.back() == "rows 1"); // of those that failed none
}

TEST_CASE_METHOD(store_fixture, "store: a write that fails undoes its group", "[store actor]") {
  append(1);
  run();
  order.clear();
  fails = "audit";
  append(2);
  ask<order_done>(write_audit{"me", "did", "this"}, "audit");
  append(3);
  run();
  CHECK(count(" !") == 3);
  CHECK(commits == 1);
  fails.clear();
  append(2);
  run();
  CHECK(order.size() >= 3);
  CHECK(commits == 2);
}

TEST_CASE_METHOD(store_fixture, "store: what waits when it dies is answered", "[store actor]") {
  for (int i = 0; i < 3; ++i)
    append(i);
  start(1);
  for (int i = 0; i < 4; ++i)
    sched.run_once(); // the askers'
  // Behind the asks, and before the tick that the first of them brings.
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  run();
  CHECK(commits == 0);
  CHECK(count(" !") == 4);
}

TEST_CASE_METHOD(store_fixture, "store: orders count, and leave their audit row", "[store actor]") {
  append(1);
  append(2);
  run();
  ask<order_done>(reprocess_webhooks{{1, 2, 99}, "me"}, "again", [this](const order_done& d) {
    order.push_back("done " + std::to_string(d.count));
  });
  run();
  CHECK(order.back().substr(0, 4) != "!");
  CHECK(count("done 2") == 1);
  ask<order_done>(write_audit{"me", "did", "this"}, "audit", [this](const order_done& d) {
    order.push_back("done " + std::to_string(d.count));
  });
  run();
  CHECK(count("done 1") == 1);
}
