// SPDX-License-Identifier: MIT
#include "tide/courier.hpp"

#include "tests/tide/courier_world.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace tidemark::tide;

namespace {

constexpr std::int64_t second = 1'000, minute = 60 * second, hour = 60 * minute;

/// Takes `n` messages of lanes 1…n, or nothing is wanted.
std::vector<sent_message> take(courier& c, std::size_t n, std::int64_t now,
                               std::uint32_t attempt = 1) {
  static std::int64_t id = 0;
  REQUIRE(c.wants(now).messages >= n);
  c.taking();
  std::vector<sent_message> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back({++id, static_cast<std::int64_t>(i) + 1, 0, attempt, 100});
  c.took(out, now, now);
  return out;
}

} // namespace

TEST_CASE("each answer has one meaning", "[courier]") {
  struct row {
    exchange_end how;
    outcome means;
    handler_state then;
  };
  using enum outcome;
  const auto active = handler_state::active, broken = handler_state::broken;
  const row rows[] = {
      {answered(200), ok, active},
      {answered(202), ok, active},
      {answered(299), ok, active},
      {answered(429), later, active},
      {answered(429, "7"), later, active},
      {answered(503, "7"), later, active},
      {answered(503, "Sun, 06 Nov 1994 08:49:37 GMT"), later, active},
      {answered(503), failed, active},
      {answered(503, "soon"), failed, active},
      {answered(400), failed, active},
      {answered(408), failed, active},
      {answered(409), failed, active},
      {answered(413), failed, active},
      {answered(415), failed, active},
      {answered(422), failed, active},
      {answered(425), failed, active},
      {answered(500), failed, active},
      {answered(502), failed, active},
      {answered(599), failed, active},
      {no_answer(), failed, active},
      {answered(410), gone, handler_state::paused},
      {answered(301), handler_bad, broken},
      {answered(307, "1"), handler_bad, broken},
      {answered(401), handler_bad, broken},
      {answered(403), handler_bad, broken},
      {answered(404), handler_bad, broken},
      {answered(405), handler_bad, broken},
      {answered(418), handler_bad, broken},
      {answered(100), handler_bad, broken},
      {unreachable(), handler_bad, broken},
  };
  for (const auto& r : rows) {
    INFO(r.how.status << " " << r.how.retry_after << " " << r.how.text);
    courier c({}, 1, 0);
    const auto m = take(c, 1, 0);
    const auto got = c.ended(m[0].id, r.how, 50);
    CHECK(got.outcome == r.means);
    CHECK(got.done == (r.means == ok));
    CHECK(c.status(50).state == r.then);
    CHECK(c.in_flight() == 0);
    CHECK(c.must_pause() == (r.means == gone));
  }
}

TEST_CASE("an exchange that is not in flight changes nothing", "[courier]") {
  courier c({}, 1, 0);
  const auto m = take(c, 1, 0);
  c.ended(m[0].id, answered(200), 10);
  CHECK(c.ended(m[0].id, answered(403), 20).outcome == outcome::unknown);
  CHECK(c.status(20).state == handler_state::active);
}

TEST_CASE("told to wait, the whole handler waits", "[courier]") {
  courier c({}, 1, 0);
  const auto m = take(c, 4, 0);
  SECTION("as long as it says") {
    const auto got = c.ended(m[0].id, answered(429, "30"), 10);
    CHECK(got.retry_at == 10 + 30 * second);
    CHECK(c.wants(11).messages == 0);
    CHECK(c.next_wake() == 10 + 30 * second);
    CHECK(c.status(11).reason == "it asked to wait (429, or 503 with Retry-After)");
    CHECK(c.status(11).next_probe_at == 10 + 30 * second);
    CHECK(c.wants(10 + 30 * second).messages == 5);
    CHECK(c.status(10 + 30 * second).reason.empty());
    CHECK_FALSE(c.status(10 + 30 * second).next_probe_at);
  }
  SECTION("also whoever comes next") {
    courier next({}, 1, 0);
    next.waits_until(30 * second);
    CHECK(next.wants(29 * second).messages == 0);
    CHECK(next.status(29 * second).next_probe_at == 30 * second);
    CHECK(next.wants(30 * second).messages == 8);
  }
  SECTION("until somebody resumes it") {
    c.ended(m[0].id, answered(429), 10);
    c.ended(m[1].id, answered(429, "3600"), 20);
    CHECK(c.wants(21).messages == 0);
    c.resumed(30);
    CHECK(c.status(30).reason.empty());
    CHECK(c.wants(30).messages == 6);
    CHECK(c.ended(m[2].id, answered(429), 40).retry_at == 40 + second);
  }
  SECTION("at most an hour") {
    CHECK(c.ended(m[0].id, answered(503, "86400"), 10).retry_at == 10 + hour);
  }
  SECTION("without a time: longer each time, once for all that are in flight") {
    CHECK(c.ended(m[0].id, answered(429), 10).retry_at == 10 + second);
    CHECK(c.ended(m[1].id, answered(429), 20).retry_at == 20 + second);
    CHECK(c.ended(m[2].id, answered(429, "0"), 2'000).retry_at == 2'000 + 2 * second);
    CHECK(c.ended(m[3].id, answered(429), 5'000).retry_at == 5'000 + 4 * second);
    std::int64_t now = 10'000, wait = 0;
    for (int i = 0; i < 20; ++i) {
      wait = *c.ended(take(c, 1, now)[0].id, answered(429), now).retry_at - now;
      now += wait;
    }
    CHECK(wait == 15 * minute);
    c.ended(take(c, 1, now)[0].id, answered(200), now);
    CHECK(c.ended(take(c, 1, now)[0].id, answered(429), now).retry_at == now + second);
  }
}

TEST_CASE("a failed message waits longer each time, never over max", "[courier]") {
  courier_settings s;
  s.retry_initial = 100;
  s.retry_max = 5'000;
  s.attempts = 9;
  courier c(s, 7, 0);
  std::int64_t now = 0;
  for (std::uint32_t attempt = 1; attempt < 9; ++attempt) {
    std::int64_t longest = 0, sum = 0;
    const auto most = std::min<std::int64_t>(100LL << (attempt - 1), 5'000);
    for (int i = 0; i < 200; ++i) {
      now += hour;
      const auto got = c.ended(take(c, 1, now, attempt)[0].id, answered(500), now);
      REQUIRE(got.outcome == outcome::failed);
      REQUIRE(*got.retry_at >= now);
      REQUIRE(*got.retry_at <= now + most);
      longest = std::max(longest, *got.retry_at - now);
      sum += *got.retry_at - now;
    }
    CHECK(longest > most * 8 / 10);
    CHECK(sum / 200 > most * 3 / 10);
    CHECK(sum / 200 < most * 7 / 10);
  }
  for (std::uint32_t attempt = 9; attempt < 100; attempt += 10) {
    now += hour;
    const auto got = c.ended(take(c, 1, now, attempt)[0].id, answered(500), now);
    CHECK(*got.retry_at == now + 5'000);
  }
}

TEST_CASE("five failures in a row open the breaker, if of several keys", "[courier]") {
  courier c({}, 1, 0);
  SECTION("of one key they do not") {
    for (int i = 0; i < 20; ++i)
      c.ended(take(c, 1, i * hour)[0].id, answered(500), i * hour);
    CHECK(c.status(0).state == handler_state::active);
  }
  SECTION("of two they do, and the fifth still counts") {
    const auto m = take(c, 6, 0);
    for (int i = 0; i < 4; ++i)
      CHECK(c.ended(m[i].id, answered(500), 10).outcome == outcome::failed);
    CHECK(c.status(10).state == handler_state::active);
    CHECK(c.ended(m[4].id, no_answer(), 10).outcome == outcome::failed);
    const auto status = c.status(10);
    CHECK(status.state == handler_state::broken);
    CHECK(status.reason == "5 failures in a row, at last: the connection was cut");
    CHECK(status.next_probe_at == 10 + second);
    CHECK(status.since == 10);
    const auto sixth = c.ended(m[5].id, answered(500), 20);
    CHECK(sixth.outcome == outcome::handler_bad);
    CHECK(c.status(20).next_probe_at == 10 + second);
  }
  SECTION("a success between them begins again") {
    const auto m = take(c, 8, 0);
    for (int i = 0; i < 8; ++i)
      c.ended(m[i].id, answered(i == 3 ? 200 : 500), 10);
    CHECK(c.status(10).state == handler_state::active);
  }
}

TEST_CASE("an open breaker probes one at a time, then starts slowly", "[courier]") {
  courier c({}, 1, 0);
  std::int64_t now = 10, wait = second;
  c.ended(take(c, 1, 0)[0].id, unreachable(), now);
  for (int i = 0; i < 15; ++i) {
    REQUIRE(c.status(now).next_probe_at == now + wait);
    CHECK(c.wants(now + wait - 1).messages == 0);
    now += wait;
    const auto m = take(c, 1, now);
    CHECK(c.wants(now).messages == 0); // one is on its way
    const auto got = c.ended(m[0].id, i % 2 == 0 ? answered(500) : unreachable(), now);
    CHECK(got.outcome == outcome::handler_bad);
    wait = std::min(wait * 2, 5 * minute);
    CHECK(got.retry_at == now + wait);
  }
  CHECK(wait == 5 * minute);
  now += wait;
  c.ended(take(c, 1, now)[0].id, answered(204), now);
  CHECK(c.status(now).state == handler_state::active);
  CHECK(c.status(now).reason.empty());
  for (std::size_t window : {1U, 2U, 4U, 8U, 8U}) {
    REQUIRE(c.wants(now).messages == window);
    for (const auto& m : take(c, window, now))
      c.ended(m.id, answered(200), now);
  }
}

TEST_CASE("what was in flight when the breaker opened does not close it", "[courier]") {
  courier c({}, 1, 0);
  const auto m = take(c, 2, 0);
  c.ended(m[0].id, answered(403), 10);
  CHECK(c.ended(m[1].id, answered(200), 20).done);
  CHECK(c.status(20).state == handler_state::broken);
  CHECK(c.wants(20).messages == 0);
}

TEST_CASE("what was ordered before the breaker opened is no probe", "[courier]") {
  courier c({}, 1, 0);
  const auto first = take(c, 1, 0);
  REQUIRE(c.wants(0).messages > 0);
  c.taking();
  c.ended(first[0].id, unreachable(), 10);
  const sent_message late{1'000'000, 2, 0, 1, 100};
  c.took(std::vector{late}, 0, 20);
  c.ended(late.id, unreachable(), 30);
  CHECK(c.status(30).next_probe_at == 10 + second);
}

TEST_CASE("410 pauses until the store gives a message again", "[courier]") {
  courier c({}, 1, 0);
  const auto m = take(c, 2, 0);
  CHECK(c.ended(m[0].id, answered(410), 10).outcome == outcome::gone);
  CHECK(c.ended(m[1].id, answered(410), 20).outcome == outcome::gone);
  CHECK(c.must_pause());
  c.bell(20);
  CHECK(c.wants(30).messages == 0);
  c.pause_stored();
  CHECK_FALSE(c.must_pause());
  CHECK(c.status(30).state == handler_state::paused);
  CHECK(c.status(30).reason == "it answered 410");
  CHECK(c.status(30).since == 10);
  CHECK(c.wants(hour).messages == 0);
  c.bell(hour);
  CHECK(c.wants(hour).messages == 1);
  c.taking();
  c.took({}, hour, hour);
  CHECK(c.status(hour).state == handler_state::paused);
  CHECK(c.wants(2 * hour).messages == 0); // not before it rings again
  c.bell(2 * hour);
  const auto resumed = take(c, 1, 2 * hour);
  CHECK(c.status(2 * hour).state == handler_state::active);
  CHECK(c.ended(resumed[0].id, answered(200), 2 * hour).done);
  CHECK(c.wants(2 * hour).messages == 8);
}

TEST_CASE("what broke while it was to be paused is known once it is resumed", "[courier]") {
  courier c({}, 1, 0);
  const auto m = take(c, 2, 0);
  c.ended(m[0].id, answered(410), 10);
  c.ended(m[1].id, answered(403), 20);
  CHECK(c.status(20).reason == "it answered 410");
  c.pause_stored();
  c.resumed(hour);
  take(c, 1, hour);
  const auto status = c.status(hour);
  CHECK(status.state == handler_state::broken);
  CHECK(status.reason == "it answered 403");
  CHECK(status.since == hour);
}

TEST_CASE("bytes and keys in flight are bounded", "[courier]") {
  courier_settings s;
  s.max_bytes = 1'000;
  courier c(s, 1, 0);
  CHECK(c.wants(0).bytes == 1'000);
  c.taking();
  const sent_message m[] = {{1, 1, 0, 1, 600}, {2, 2, 0, 1, 300}};
  c.took(m, 0, 0);
  CHECK(c.wants(0).messages == 6);
  CHECK(c.wants(0).bytes == 100);
  c.taking();
  const sent_message big[] = {{3, 3, 0, 1, 400}};
  c.took(big, 0, 0);
  CHECK(c.wants(0).messages == 0);
  c.ended(1, answered(200), 0);
  CHECK(c.wants(0).bytes == 300);
}

TEST_CASE("a store that gives nothing is not asked in a loop", "[courier]") {
  courier c({}, 1, 0);
  REQUIRE(c.wants(0).messages == 8);
  c.taking();
  CHECK(c.wants(0).messages == 0); // one order at a time, but for a new bell
  c.took({}, 0, 10);
  CHECK(c.wants(10).messages == 0);
  CHECK(c.next_wake() == 110);
  c.taking();
  c.took_nothing(5'000);
  CHECK(c.next_wake() == 5'000);
  c.taking();
  c.took({}, {}, 5'000);
  CHECK_FALSE(c.next_wake());
}

TEST_CASE("draining takes no more", "[courier]") {
  courier c({}, 1, 0);
  const auto m = take(c, 2, 0);
  c.drain();
  c.bell(0);
  CHECK(c.wants(0).messages == 0);
  CHECK_FALSE(c.next_wake());
  CHECK(c.ended(m[0].id, answered(200), 5).done);
  CHECK(c.in_flight() == 1);
}
