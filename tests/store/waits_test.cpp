// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

// What a message and a handler wait for, and what ends it.

namespace {

/// Confirmed events 1…n in blocks 10…, each under its own key.
void confirm(world& w, std::uint64_t n) {
  std::vector<tide::held_header> headers;
  tide::shown all;
  all.settles = true;
  for (std::uint64_t i = 0; i < n; ++i) {
    headers.push_back(header(10 + i));
    all.blocks.push_back(block(10 + i));
    all.logs.push_back(log(block(10 + i), i + 1));
    all.logs.back().routes[0].key = "1:" + std::to_string(i);
  }
  w.apply(10 + n + 20, {all, tide::mark_moved{all.blocks.back()}}, headers);
}
/// It failed, and is tried again after `wait`, which is part of its age from now on.
void fails(world& w, const store::message& m, std::int64_t wait) {
  store::finished f;
  f.handler = "h";
  f.lane = m.lane;
  f.seq = m.seq;
  f.attempt_id = m.attempt_id;
  f.outcome = tide::outcome::failed;
  f.aged = wait;
  ++w.now;
  f.retry_at = w.now + wait;
  w.in_group([&] { must(w.db->finish(std::span(&f, 1), w.now)); });
}
void pause(world& w, bool paused) {
  w.in_group([&] { must(w.db->set_paused("h", paused, "by hand", w.now)); });
}

} // namespace

TEST_CASE("what a message was to wait and did not costs it nothing", "[waits]") {
  world w;
  confirm(w, 1);
  const std::int64_t wait = 60'000, passed = 10'000;
  fails(w, w.take().at(0), wait);
  w.now += passed;
  SECTION("where its handler is resumed") { pause(w, false); }
  SECTION("where it was paused meanwhile") {
    pause(w, true);
    w.now += 5 * wait;
    pause(w, false);
  }
  SECTION("where the process began anew") {
    w.take("g"); // which tells the store the time
    w.db = store::store::revive(std::move(w.db));
  }
  SECTION("where its chain was halted meanwhile") {
    w.now -= 1;
    w.apply(40, {tide::halted{"too deep"}});
    w.now += 5 * wait;
    w.apply(40, {tide::resumed{}});
  }
  const auto again = w.take();
  REQUIRE(again.size() == 1);
  CHECK(again[0].age >= passed);
  CHECK(again[0].age <= passed + 2);
  // What it waits for the handler's sake is no part of its age.
  w.finish(again[0], tide::outcome::handler_bad, w.now + 2 * wait);
  pause(w, false);
  CHECK(w.take().at(0).age == again[0].age);
}

TEST_CASE("a replay keeps to its rate", "[waits]") {
  world w;
  confirm(w, 3);
  w.deliver();
  store::replay_order o;
  o.handler = "h";
  o.rate = 1;
  w.in_group([&] { must(w.db->replay(o, ++w.now)); });
  CHECK(show(w.deliver()) == "c10");
  SECTION("where the handler is resumed") { pause(w, false); }
  SECTION("where the process began anew") { w.db = store::store::revive(std::move(w.db)); }
  SECTION("where the chain was halted") {
    w.apply(40, {tide::halted{"too deep"}});
    w.apply(40, {tide::resumed{}});
  }
  CHECK(w.deliver().empty());
  w.now += 1'000;
  CHECK(show(w.deliver()) == "c11");
  w.now += 1'000;
  CHECK(show(w.deliver()) == "c12");
}
