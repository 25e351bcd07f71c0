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

TEST_CASE("what fails once its handler is paused, or its chain halted, does not wait meanwhile",
          "[waits]") {
  world w;
  confirm(w, 1);
  const auto first = w.take();
  const bool halt = GENERATE(false, true);
  if (halt)
    w.apply(40, {tide::halted{"too deep"}});
  else
    pause(w, true);
  fails(w, first.at(0), 60'000);
  CHECK(w.take().empty());
  w.now += 300'000;
  if (halt)
    w.apply(40, {tide::resumed{}});
  else
    pause(w, false);
  const auto again = w.take();
  REQUIRE(again.size() == 1);
  CHECK(again[0].age == 0);
}

TEST_CASE("what a handler asked to wait is known to whoever sends for it next", "[waits]") {
  world w;
  confirm(w, 3);
  store::message_batch b;
  w.in_group([&] { b = must(w.db->take("h", ++w.now, 1, 1 << 20)); });
  CHECK_FALSE(b.wait_until);
  const auto until = w.now + 60'000;
  w.finish(b.messages.at(0), tide::outcome::later, until);
  const auto next = [&] {
    w.in_group([&] { b = must(w.db->take("h", ++w.now, 10, 1 << 20)); });
    return b.messages.size();
  };
  const bool over_a_restart = GENERATE(false, true);
  if (over_a_restart) w.db = store::store::revive(std::move(w.db));
  CHECK(next() == 0);
  CHECK(b.wait_until == until);
  SECTION("until then") { w.now = until; }
  SECTION("until it is resumed") { pause(w, false); }
  SECTION("until it is resumed, if it was paused meanwhile") {
    pause(w, true);
    CHECK(next() == 0);
    pause(w, false);
  }
  CHECK(next() == 3);
  CHECK_FALSE(b.wait_until);
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

TEST_CASE("a probe is of one key after another, whatever each waits for itself", "[waits]") {
  world w;
  confirm(w, 3);
  const auto all = w.take();
  REQUIRE(all.size() == 3);
  for (const auto& m : all)
    fails(w, m, 600'000);
  const auto probe = [&](std::int64_t behind) {
    store::message_batch b;
    w.in_group([&] { b = must(w.db->take("h", ++w.now, 1, 1 << 20, behind)); });
    return b.messages;
  };
  CHECK(w.take().empty());
  std::string asked;
  std::int64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const auto m = probe(last);
    REQUIRE(m.size() == 1);
    asked += show(m) + ' ';
    last = m[0].lane;
    CHECK(m[0].age < 600'000); // it did not wait all that
    w.finish(m[0], tide::outcome::handler_bad, w.now + 1);
  }
  CHECK(asked == "c10 c11 c12 c10 c11 ");
  SECTION("not of a paused handler's, nor of a halted chain's") {
    pause(w, true);
    CHECK(probe(0).empty());
    pause(w, false);
    w.apply(40, {tide::halted{"too deep"}});
    CHECK(probe(0).empty());
  }
  SECTION("not of what a replay's rate keeps back") {
    w.now += 10;
    w.deliver();
    store::replay_order o;
    o.handler = "h";
    o.rate = 0.001;
    w.in_group([&] { must(w.db->replay(o, ++w.now)); });
    CHECK(show(w.take()) == "c10");
    CHECK(probe(0).empty());
  }
}
