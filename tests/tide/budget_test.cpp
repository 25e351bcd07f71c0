// SPDX-License-Identifier: MIT
#include "tests/tide/courier_world.hpp"
#include "tide/meaning.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::tide;

// What a message may cost (contract §4.3, §4.4), and what is not its fault.

namespace {

constexpr std::int64_t second = 1'000, hour = 3'600 * second;

sent_message message(std::int64_t id, std::int64_t lane = 1, std::uint32_t attempt = 1) {
  sent_message m;
  m.id = id;
  m.lane = lane;
  m.attempt = attempt;
  m.bytes = 100;
  return m;
}

judgement one(courier& c, const sent_message& m, const exchange_end& how, std::int64_t now) {
  REQUIRE(c.wants(now).messages >= 1);
  c.taking();
  c.took(std::span(&m, 1), now, now);
  return c.ended(m.id, how, now);
}

courier_settings three_attempts(on_exhausted then) {
  courier_settings s;
  s.attempts = 3;
  s.on_exhausted = then;
  return s;
}

} // namespace

TEST_CASE("attempts are a budget", "[budget]") {
  for (const auto then : {on_exhausted::park_key, on_exhausted::park_event}) {
    courier c(three_attempts(then), 1, 0);
    CHECK_FALSE(one(c, message(1, 1, 1), answered(500), 0).parks);
    CHECK_FALSE(one(c, message(2, 1, 2), answered(422), hour).parks);
    const auto last = one(c, message(3, 1, 3), no_answer(), 2 * hour);
    CHECK(last.parks == then);
    CHECK(last.outcome == outcome::failed);
    CHECK_FALSE(last.retry_at);
  }
  courier blocks(three_attempts(on_exhausted::block), 1, 0);
  const auto last = one(blocks, message(1, 1, 3), answered(500), 0);
  CHECK_FALSE(last.parks);
  CHECK(last.retry_at == 900 * second);
  // A replay's is tried on, whatever else is parked.
  courier parks(three_attempts(on_exhausted::park_event), 1, 0);
  auto replayed = message(1, 1, 3);
  replayed.replay = true;
  const auto again = one(parks, replayed, answered(500), 0);
  CHECK_FALSE(again.parks);
  CHECK(again.retry_at == 900 * second);
}

TEST_CASE("max_age is a budget of the time that a message is tried in", "[budget]") {
  courier_settings s;
  s.max_age = 10 * second;
  s.retry_initial = s.retry_max = 8 * second;
  s.on_exhausted = on_exhausted::park_event;
  courier c(s, 1, 0);
  auto m = message(1);
  auto how = answered(500);
  how.ms = 500;
  std::int64_t now = 0, spent = 0;
  for (int i = 0; i < 50; ++i) {
    m.age = spent;
    const auto got = one(c, m, how, now);
    ++m.id;
    if (got.parks) break;
    CHECK(got.aged >= 500);
    spent += got.aged;
    CHECK(spent <= s.max_age); // the last try is at its end
    CHECK(*got.retry_at - now == got.aged - 500);
    now += 100 * hour; // however long the handler was broken or paused
  }
  CHECK(spent + 500 >= s.max_age);
}

TEST_CASE("what is the handler's fault costs a message nothing", "[budget]") {
  for (const auto& how :
       {answered(429), answered(403), answered(302), answered(410), unreachable()}) {
    courier c(three_attempts(on_exhausted::park_event), 1, 0);
    const auto got = one(c, message(1, 1, 3), how, 0);
    CHECK_FALSE(got.parks);
    CHECK(got.aged == 0);
  }
}

TEST_CASE("the failure that opens the breaker parks nothing", "[budget]") {
  courier c(three_attempts(on_exhausted::park_event), 1, 0);
  for (std::int64_t i = 1; i <= 4; ++i)
    one(c, message(i, i), answered(500), i);
  const auto fifth = one(c, message(5, 5, 3), answered(500), 5);
  CHECK_FALSE(fifth.parks);
  CHECK(fifth.retry_at);
  CHECK(c.status(5).state == handler_state::broken);
}

TEST_CASE("down for two days: nothing is parked, all is delivered after", "[budget]") {
  courier_world w([] {
    courier_settings s;
    s.attempts = 5;
    s.on_exhausted = on_exhausted::park_event;
    return s;
  }());
  const auto up_again = w.now + 48 * hour;
  w.handler = [&](std::int64_t, std::uint64_t, std::int64_t now) {
    return now < up_again ? answered(500) : answered(200);
  };
  for (std::int64_t lane = 1; lane <= 20; ++lane)
    w.put(lane, 3);
  w.run_for(50 * hour); // its end() refuses a judgement that parks: it has no retry
  CHECK(w.waiting() == 0);
  CHECK(w.counted < 20);
}

TEST_CASE("a message about messages is taken by who does not know it", "[budget]") {
  for (const std::uint16_t status : {400, 409, 413, 415, 422}) {
    courier c({}, 1, 0);
    auto m = message(1);
    m.notice = true;
    const auto got = one(c, m, answered(status), 0);
    CHECK(got.done);
    CHECK(got.taken == 1);
  }
  courier c(three_attempts(on_exhausted::park_key), 1, 0);
  auto m = message(1, 1, 9);
  m.notice = true;
  CHECK_FALSE(one(c, m, answered(500), 0).parks); // and never parked
  m.id = 2;
  CHECK_FALSE(one(c, m, answered(403), hour).done);
}

TEST_CASE("batches", "[budget]") {
  courier c(three_attempts(on_exhausted::park_event), 1, 0);
  auto m = message(1, 1, 3);
  m.batch = true;
  m.count = 3;
  m.sequence = 10;
  SECTION("split when an answer counts, before anything does") {
    const auto got = one(c, m, answered(500), 0);
    CHECK(got.split);
    CHECK_FALSE(got.parks);
    CHECK(got.aged == 0);
  }
  SECTION("a batch of one is a message") {
    m.count = 1;
    CHECK(one(c, m, answered(500), 0).parks);
  }
  m.count = 3;
  struct row {
    std::string answer;
    std::uint32_t taken;
    bool cut_short = false;
  };
  const std::string long_results = R"({"results":")" + std::string(5'000, 'x') + '"';
  const std::string deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']');
  const row rows[] = {
      {"", 3},
      {"{}", 3},
      {R"({"acked_through":"00000000000000000010"})", 1},
      {R"({"acked_through":"00000000000000000011"})", 2},
      {R"({"acked_through":"00000000000000000012"})", 3},
      {R"({"acked_through":"99999999999999999999"})", 3},
      {R"({"acked_through":"9"})", 0},
      {R"({"acked_through":10})", 1},
      {R"({"acked_through":11})", 2},
      {"{\"note\":\"\xff\",\"acked_through\":\"10\"}", 1},
      {long_results + R"(,"acked_through":"10"})", 1},
      // What cannot be understood takes none.
      {R"({"acked_through":-1})", 0},
      {R"({"acked_through":10.5})", 0},
      {R"({"acked_through":null})", 0},
      {R"({"acked_through":""})", 0},
      {R"({"acked_through":"eleven"})", 0},
      {R"({"acked_through":"11th"})", 0},
      {R"({"acked_through":["11"]})", 0},
      {long_results, 0, true},
      {" \r\n" + long_results, 0, true},
      {deep + R"(,"acked_through":"10"})", 0},
      // What is no JSON object says nothing.
      {long_results, 3},
      {"[1", 3},
      {"[1", 3, true},
      {"ok", 3, true},
      {R"(["acked_through"])", 3},
  };
  for (const auto& r : rows) {
    INFO(r.answer);
    auto how = answered(200);
    how.body = r.answer;
    how.cut_short = r.cut_short;
    CHECK(acked(how, 10, 3) == r.taken);
    ++m.id;
    const auto got = one(c, m, how, 0);
    CHECK(got.taken == r.taken);
    CHECK(got.done == (r.taken > 0));
    CHECK(got.split == (r.taken == 0)); // none of it: a failure, and it comes message by message
    CHECK((got.outcome == outcome::failed) == (r.taken == 0));
    CHECK((r.taken > 0 || got.retry_at.has_value()));
  }
}

TEST_CASE("a rate is kept to", "[budget]") {
  courier_settings s;
  s.concurrency = 64;
  s.rate = 20;
  courier_world w(s);
  w.handler = [](std::int64_t, std::uint64_t, std::int64_t) { return answered(200); };
  for (std::int64_t lane = 1; lane <= 64; ++lane)
    w.put(lane, 10);
  const auto began = w.now;
  w.run_for(10 * second);
  CHECK(w.sends >= 190);
  CHECK(w.sends <= 203);
  w.run(began + 40 * second);
  CHECK(w.waiting() == 0);
}
