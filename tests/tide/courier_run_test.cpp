// SPDX-License-Identifier: MIT
#include "tests/tide/courier_world.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace tidemark::tide;

namespace {

constexpr std::int64_t second = 1'000, minute = 60 * second, hour = 60 * minute;

void fill(courier_world& w, std::int64_t lanes, std::uint64_t each) {
  for (std::int64_t l = 1; l <= lanes; ++l)
    w.put(l, each);
}

} // namespace

TEST_CASE("a handler that works gets everything, eight keys at a time", "[courier]") {
  courier_world w;
  w.handler = [](auto, auto, auto) { return answered(200); };
  fill(w, 20, 50);
  w.run_for(hour);
  CHECK(w.waiting() == 0);
  CHECK(w.sends == 1'000);
  CHECK(w.most_flying == 8);
  CHECK(w.turns < 1'100);
}

TEST_CASE("down for a day: no hot loop, nothing counted, all delivered after", "[courier]") {
  const auto how = GENERATE(0, 1, 2, 3);
  CAPTURE(how);
  courier_world w;
  const auto back = w.now + 24 * hour;
  w.handler = [&](auto, auto, auto at) {
    if (at >= back) return answered(200);
    return how == 0   ? unreachable()
           : how == 1 ? answered(403)
           : how == 2 ? answered(503)
                      : no_answer();
  };
  fill(w, 30, 10);
  w.run(back - 1);
  CHECK(w.sends < 8 + 24 * 12 + 20); // a probe every 5 min
  CHECK(w.turns < 2 * w.sends + 10);
  CHECK(w.counted <= 5); // what opened the breaker
  CHECK(w.c.status(w.now).state == handler_state::broken);
  CHECK(w.c.status(w.now).next_probe_at.value() <= w.now + 5 * minute);
  w.run_for(5 * minute + 30 * second);
  CHECK(w.waiting() == 0);
  CHECK(w.c.status(w.now).state == handler_state::active);
}

TEST_CASE("a breaker probes though every message is to wait long, one key after another",
          "[courier]") {
  courier_settings s;
  s.retry_initial = s.retry_max = 24 * hour;
  const auto seed = GENERATE(1U, 2U, 3U);
  courier_world w(s, seed);
  const auto well = w.now + 10 * second;
  std::vector<std::int64_t> asked;
  w.handler = [&](auto lane, auto, auto at) {
    asked.push_back(lane);
    return answered(at < well ? 500 : 204);
  };
  fill(w, 5, 1);
  w.run(well);
  CHECK(w.c.status(w.now).state == handler_state::broken);
  w.run_for(10 * second);
  CHECK(w.c.status(w.now).state == handler_state::active);
  REQUIRE(asked.size() >= 9);
  CHECK(std::vector(asked.begin() + 5, asked.begin() + 9) == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE("of a poisonous message only the key waits", "[courier]") {
  const std::uint16_t status = GENERATE(403, 404, 301, 422, 500);
  CAPTURE(status);
  courier_world w;
  w.handler = [&](auto lane, auto seq, auto) {
    return lane == 3 && seq == 2 ? answered(status) : answered(200);
  };
  fill(w, 10, 5);
  w.run_for(5 * second);
  CHECK(w.waiting() == 3);
  CHECK(w.lanes[3].head == 2);
  // It goes on to count and to wait, and hinders nobody.
  for (int i = 0; i < 100; ++i) {
    fill(w, 10, 1);
    const auto before = w.now;
    w.run_for(minute);
    for (std::int64_t l = 1; l <= 10; ++l)
      if (l != 3) CHECK(w.delivered_at[l].back() <= before + second);
  }
  CHECK(w.c.status(w.now).state == handler_state::active);
  CHECK(w.counted > 8);
  CHECK(w.counted < 100);
}

TEST_CASE("of two poisonous messages at two keys the others go on", "[courier]") {
  courier_world w;
  w.handler = [&](auto lane, auto, auto) { return lane <= 2 ? answered(403) : answered(200); };
  fill(w, 10, 50);
  w.run_for(10 * minute);
  CHECK(w.waiting() == 100);
  CHECK(w.lanes[1].head == 0);
  CHECK(w.lanes[2].head == 0);
}

TEST_CASE("asked to wait, it is not sent to before", "[courier]") {
  courier_world w;
  std::int64_t silent_until = 0;
  std::size_t early = 0, refusals = 0;
  w.handler = [&](auto, auto, std::int64_t at) {
    // What was in flight when the first was told to wait may still come.
    if (at < silent_until - 10 * second + 30) return answered(429, "10");
    if (at < silent_until) ++early;
    if (++refusals % 50 == 1) {
      silent_until = at + 10 * second;
      return answered(429, "10");
    }
    return answered(200);
  };
  fill(w, 20, 20);
  w.run_for(hour);
  CHECK(w.waiting() == 0);
  CHECK(early == 0);
  CHECK(w.counted == 0);
  CHECK(refusals > 400);
}

TEST_CASE("a random handler gets everything in order, and is never hammered", "[courier]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto any = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    courier_settings s;
    s.concurrency = static_cast<std::uint32_t>(1 + any(10));
    s.retry_initial = 1 + any(2'000);
    s.retry_max = s.retry_initial + any(600'000);
    s.attempts = static_cast<std::uint32_t>(any(5));
    courier_world w(s, seed);
    w.latency = [&] { return 1 + any(2'000); };
    const std::uint16_t statuses[] = {200, 200, 200, 200, 201, 301, 400, 403,
                                      404, 408, 409, 422, 425, 429, 500, 503};
    const auto calm = w.now + hour;
    const auto bad = any(100); // how often, in per cent
    w.handler = [&](auto, auto, std::int64_t at) -> exchange_end {
      if (at >= calm || any(100) >= bad) return answered(200);
      if (any(6) == 0) return unreachable();
      if (any(6) == 0) return no_answer();
      return answered(statuses[any(16)], any(3) == 0 ? std::to_string(any(100)) : "");
    };
    for (int burst = 0; burst < 20; ++burst) {
      w.put(1 + any(12), static_cast<std::uint64_t>(1 + any(20)));
      w.run_for(any(3 * minute));
    }
    w.run(calm + 2 * hour);
    REQUIRE(w.waiting() == 0);
    REQUIRE(w.c.in_flight() == 0);
    REQUIRE(w.c.status(w.now).state == handler_state::active);
    REQUIRE(w.turns <= 4 * w.sends + 100);
  }
}

TEST_CASE("the same seed sends at the same times", "[courier]") {
  const auto run = [](std::uint64_t seed) {
    courier_world w({}, seed);
    int n = 0;
    w.handler = [&](auto, auto, auto) { return answered(++n % 3 == 0 ? 200 : 500); };
    fill(w, 5, 5);
    w.run_for(hour);
    return w.delivered_at;
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}
