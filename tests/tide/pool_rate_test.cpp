// SPDX-License-Identifier: MIT
#include "tide/pool.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace tidemark::tide;

namespace {

constexpr std::int64_t now = 1'700'000'000'000;

pool paced(double rate) { return {{{"a", {}, rate}}, 2'000}; }

} // namespace

TEST_CASE("pool: a second's worth of requests goes at once, then at the rate") {
  auto p = paced(10);
  CHECK(p.take_tokens(0, 10, now) == 0);
  CHECK(p.take_tokens(0, 1, now) == 100);
  CHECK(p.take_tokens(0, 1, now + 100) == 100);
  CHECK(p.take_tokens(0, 50, now + 10'000) == 4'000); // more than a burst: the rest is waited for
  CHECK(p.take_tokens(0, 1, now + 14'000) == 100);
  CHECK(p.take_tokens(0, 10, now + 1'000'000) == 0);
}

TEST_CASE("pool: over a minute no more than the rate") {
  for (const double rate : {0.5, 1.0, 7.0, 25.0}) {
    auto p = paced(rate);
    auto at = now;
    double sent = 0;
    while (at < now + 60'000) {
      at += p.take_tokens(0, 3, at);
      sent += 3;
    }
    CAPTURE(rate, sent);
    CHECK(sent <= 60 * rate + std::max(1.0, rate) + 3);
    CHECK(sent >= 60 * rate - 3);
  }
}

TEST_CASE("pool: no rate, no wait; a clock set back costs nothing") {
  auto free = paced(0);
  for (int i = 0; i < 1'000; ++i)
    CHECK(free.take_tokens(0, 50, now) == 0);
  auto p = paced(10);
  CHECK(p.take_tokens(0, 5, now) == 0);
  CHECK(p.take_tokens(0, 5, now - 3'600'000) == 0);
  CHECK(p.take_tokens(0, 1, now - 3'600'000) == 100);
}

TEST_CASE("pool: a batch is no more than a second's worth") {
  CHECK(paced(10).batch(0) == 10);
  CHECK(paced(0.5).batch(0) == 1);
  CHECK(paced(500).batch(0) == 50);
}

TEST_CASE("pool: a limit appears where one is told of, halves, and fades") {
  auto p = paced(0);
  for (int i = 0; i < 100; ++i)
    CHECK(p.take_tokens(0, 1, now + i * 10) == 0); // a hundred a second
  CHECK(p.rate(0) == 0);
  p.slow_down(0, now + 1'000);
  CHECK(p.rate(0) == Approx(50));
  p.slow_down(0, now + 1'000); // another of the same moment
  CHECK(p.rate(0) == Approx(50));
  CHECK(p.take_tokens(0, 50, now + 1'000) == 1'000);
  p.slow_down(0, now + 2'500);
  CHECK(p.rate(0) == Approx(25).margin(1));
  auto at = now + 2'500;
  double last = p.rate(0);
  int seconds = 0;
  for (; p.rate(0) > 0; ++seconds) {
    REQUIRE(seconds < 1'000);
    CHECK(p.rate(0) >= last);
    last = p.rate(0);
    p.take_tokens(0, 1, at += 1'000);
  }
  CHECK(seconds > 60);
  CHECK(p.take_tokens(0, 1'000, at) == 0);
}

TEST_CASE("pool: a configured rate is never passed, and may be lowered") {
  auto p = paced(10);
  p.slow_down(0, now);
  CHECK(p.rate(0) == Approx(5));
  for (int i = 1; i < 1'000; ++i)
    p.take_tokens(0, 1, now + i * 1'000);
  CHECK(p.rate(0) == 10);
}
