// SPDX-License-Identifier: MIT
#include "tide/pool.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace tidemark::tide;

namespace {

constexpr std::int64_t now = 1'700'000'000'000;

pool pool_of(std::size_t n, std::uint64_t max_range = 2'000) {
  std::vector<endpoint_settings> all;
  for (std::size_t i = 0; i < n; ++i)
    all.push_back({std::string(1, static_cast<char>('a' + i)), {}, 0});
  return {std::move(all), max_range};
}

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

TEST_CASE("pool: the span begins at the lower of both limits") {
  const pool p({{"a", {}, 0}, {"b", 500, 0}, {"c", 5'000, 0}, {"d", 1, 0}}, 2'000);
  CHECK(p.span(0) == 2'000);
  CHECK(p.span(1) == 500);
  CHECK(p.span(2) == 2'000);
  CHECK(p.span(3) == 1);
  CHECK(pool({{"a", {}, 0}}, 0).span(0) == 1);
}

TEST_CASE("pool: the span shrinks strictly") {
  struct row {
    const char* name;
    std::uint64_t asked;
    std::optional<std::uint64_t> hint;
    std::uint64_t span;
  };
  const row rows[] = {
      {"half", 2'000, {}, 1'000},      {"half, odd", 3, {}, 1},
      {"half of two", 2, {}, 1},       {"a hint", 2'000, 800, 800},
      {"a hint of one", 2'000, 1, 1},  {"not smaller", 2'000, 2'000, 1'000},
      {"larger", 2'000, 9'999, 1'000}, {"zero", 2'000, 0, 1'000},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    auto p = pool_of(1);
    CHECK(p.shrink_span(0, r.asked, r.hint));
    CHECK(p.span(0) == r.span);
    CHECK(p.span(0) < r.asked);
  }
  auto p = pool_of(1);
  CHECK_FALSE(p.shrink_span(0, 1, {}));
  CHECK_FALSE(p.shrink_span(0, 0, {}));
  CHECK(p.span(0) == 2'000);
  std::size_t steps = 0;
  while (p.shrink_span(0, p.span(0), {}))
    ++steps;
  CHECK(p.span(0) == 1);
  CHECK(steps == 10);
}

TEST_CASE("pool: the span grows again, to its limit, after three that worked") {
  auto p = pool_of(1);
  p.shrink_span(0, 2'000, 100);
  p.range_worked(0, 100, 10);
  p.range_worked(0, 100, 10);
  CHECK(p.span(0) == 100);
  p.range_worked(0, 100, 10);
  CHECK(p.span(0) == 125);
  p.range_worked(0, 125, 10);
  p.range_worked(0, 125, 10);
  p.shrink_span(0, 125, {});
  p.range_worked(0, 62, 10); // begins to count anew
  CHECK(p.span(0) == 62);
  p.range_worked(0, 7, 10); // a short range proves nothing
  p.range_worked(0, 7, 10);
  p.range_worked(0, 7, 10);
  CHECK(p.span(0) == 62);
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    CHECK(p.span(0) >= last);
    last = p.span(0);
    p.range_worked(0, p.span(0), 10);
  }
  CHECK(p.span(0) == 2'000);
  p.shrink_span(0, 2, {});
  for (int i = 0; i < 3; ++i)
    p.range_worked(0, 1, 10);
  CHECK(p.span(0) == 2); // from one, too
}

TEST_CASE("pool: the span follows how many logs come") {
  auto p = pool_of(1);
  p.range_worked(0, 2'000, 10'001);
  CHECK(p.span(0) == 1'000);
  for (int i = 0; i < 20; ++i)
    p.range_worked(0, 1'000, 7'000); // enough: neither way
  CHECK(p.span(0) == 1'000);
  p.shrink_span(0, 2, {});
  p.range_worked(0, 1, 1'000'000);
  CHECK(p.span(0) == 1);
}

TEST_CASE("pool: batches shrink to one and grow again") {
  auto p = pool_of(1);
  CHECK(p.batch(0) == 50);
  std::vector<std::size_t> seen;
  for (int i = 0; i < 7; ++i) {
    p.shrink_batch(0);
    seen.push_back(p.batch(0));
  }
  CHECK(seen == std::vector<std::size_t>{25, 12, 6, 3, 1, 1, 1});
  for (int i = 0; i < 63; ++i)
    p.batch_worked(0);
  CHECK(p.batch(0) == 1);
  p.batch_worked(0);
  CHECK(p.batch(0) == 2);
  for (int i = 0; i < 63; ++i)
    p.batch_worked(0);
  p.shrink_batch(0); // begins to count anew
  for (int i = 0; i < 63; ++i)
    p.batch_worked(0);
  CHECK(p.batch(0) == 1);
  for (int i = 0; i < 64 * 8; ++i)
    p.batch_worked(0);
  CHECK(p.batch(0) == 50);
  p.no_batches(0);
  CHECK(p.batch(0) == 1);
  for (int i = 0; i < 64; ++i)
    p.batch_worked(0);
  CHECK(p.batch(0) == 2);
}
