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

/// Ranges of few logs, until the span is at its limit.
void warm(pool& p) {
  for (int i = 0; i < 4; ++i)
    p.range_worked(0, p.span(0, now), 10, now);
}

} // namespace

TEST_CASE("pool: the span begins small and is soon at the lower of both limits") {
  pool p({{"a", {}, 0}, {"b", 500, 0}, {"c", 5'000, 0}, {"d", 1, 0}}, 2'000);
  const std::uint64_t first[] = {128, 128, 128, 1}, in_the_end[] = {2'000, 500, 2'000, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(p.span(i, now) == first[i]);
    for (int n = 0; n < 2; ++n)
      p.range_worked(i, p.span(i, now), 300, now);
    CHECK(p.span(i, now) == in_the_end[i]);
  }
  CHECK(pool({{"a", {}, 0}}, 0).span(0, now) == 1);
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
    warm(p);
    CHECK(p.shrink_span(0, r.asked, r.hint, excess::volume, now));
    CHECK(p.span(0, now) == r.span);
    CHECK(p.span(0, now) < r.asked);
  }
  auto p = pool_of(1);
  warm(p);
  CHECK_FALSE(p.shrink_span(0, 1, {}, excess::volume, now));
  CHECK_FALSE(p.shrink_span(0, 0, {}, excess::volume, now));
  CHECK(p.span(0, now) == 2'000);
  std::size_t steps = 0;
  while (p.shrink_span(0, p.span(0, now), {}, excess::volume, now))
    ++steps;
  CHECK(p.span(0, now) == 1);
  CHECK(steps == 10);
}

TEST_CASE("pool: after too many results the span grows with each range that works") {
  auto p = pool_of(1);
  warm(p);
  p.shrink_span(0, 2'000, 100, excess::volume, now);
  p.range_worked(0, 100, 10, now);
  CHECK(p.span(0, now) == 125);
  p.range_worked(0, 7, 10, now); // a short range proves nothing
  CHECK(p.span(0, now) == 125);
  std::uint64_t last = 0;
  int ranges = 0;
  while (p.span(0, now) < 2'000) {
    REQUIRE(++ranges < 50);
    REQUIRE(p.span(0, now) > last);
    last = p.span(0, now);
    p.range_worked(0, last, 10, now);
  }
  CHECK(ranges == 13);
  p.range_worked(0, 2'000, 10, now);
  CHECK(p.span(0, now) == 2'000); // the limit
  p.shrink_span(0, 2, {}, excess::volume, now);
  p.range_worked(0, 1, 10, now);
  CHECK(p.span(0, now) == 2); // from one, too
}

TEST_CASE("pool: too many blocks stay too many, and are tried again after hours") {
  constexpr std::int64_t hour = 3'600'000;
  auto p = pool_of(1);
  warm(p);
  p.shrink_span(0, 2'000, 300, excess::blocks, now);
  for (int i = 0; i < 500; ++i)
    p.range_worked(0, p.span(0, now), 10, now);
  CHECK(p.span(0, now) == 300);
  CHECK(p.span(0, now + hour - 1) == 300);
  for (int i = 0; i < 500; ++i)
    p.range_worked(0, p.span(0, now + hour), 10, now + hour);
  CHECK(p.span(0, now + hour) == 600);
  p.shrink_span(0, 600, {}, excess::blocks, now + hour); // it still does not want so many
  CHECK(p.span(0, now + hour) < 600);
  for (int i = 0; i < 500; ++i)
    p.range_worked(0, p.span(0, now + hour), 10, now + hour);
  CHECK(p.span(0, now + hour) < 600); // nearly, and no more
  CHECK(p.span(0, now + hour) > 550);
}

TEST_CASE("pool: without a hint the number of blocks that works is found, and kept to") {
  for (const std::uint64_t most : {3, 17, 300, 1'024, 1'500}) {
    CAPTURE(most);
    auto p = pool_of(1);
    warm(p);
    std::size_t refused = 0;
    for (int i = 0; i < 400; ++i) {
      const auto span = p.span(0, now);
      if (span > most) {
        ++refused;
        REQUIRE(p.shrink_span(0, span, {}, excess::blocks, now));
        REQUIRE(p.span(0, now) < span);
      } else {
        p.range_worked(0, span, 10, now);
      }
    }
    CHECK(refused < 35);
    CHECK(p.span(0, now) <= most);
    CHECK(p.span(0, now) * 10 >= most * 6);
  }
}

TEST_CASE("pool: results do not lower what is known of blocks") {
  auto p = pool_of(1);
  warm(p);
  p.shrink_span(0, 2'000, 1'000, excess::blocks, now);
  p.shrink_span(0, 1'000, 10, excess::volume, now);
  CHECK(p.span(0, now) == 10);
  for (int i = 0; i < 200; ++i)
    p.range_worked(0, p.span(0, now), 10, now);
  CHECK(p.span(0, now) == 1'000);
}

TEST_CASE("pool: the span follows how many logs come") {
  auto p = pool_of(1);
  warm(p);
  p.range_worked(0, 2'000, 5'001, now);
  CHECK(p.span(0, now) == 1'000);
  for (int i = 0; i < 20; ++i)
    p.range_worked(0, 1'000, 3'500, now); // enough: neither way
  CHECK(p.span(0, now) == 1'000);
  p.shrink_span(0, 2, {}, excess::volume, now);
  p.range_worked(0, 1, 1'000'000, now);
  CHECK(p.span(0, now) == 1);
}

TEST_CASE("pool: batches shrink to one and grow again") {
  auto p = pool_of(1);
  CHECK(p.batch(0) == 50);
  std::vector<std::size_t> seen;
  for (int i = 0; i < 7; ++i) {
    p.shrink_batch(0, p.batch(0));
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
  p.shrink_batch(0, p.batch(0)); // begins to count anew
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

TEST_CASE("pool: many posts that were too large together shrink the batch once") {
  auto p = pool_of(1);
  for (int i = 0; i < 8; ++i)
    p.shrink_batch(0, 50);
  CHECK(p.batch(0) == 25);
}

TEST_CASE("pool: lists shrink and are remembered; so is a silent cap") {
  auto p = pool_of(2);
  p.shrink_list(0, 800);
  p.shrink_list(0, 800);
  CHECK(p.list(0) == 400);
  p.shrink_list(0, 1);
  CHECK(p.list(0) == 1);
  CHECK(p.list(1) > 1'000'000);
  warm(p);
  p.found_cap(0, 1'000);
  p.gave_logs(0, 999, now);
  CHECK(p.silent_cap(0) == 1'000);
  CHECK(p.proved_logs(0, now + 59'000) == 999);
  CHECK(p.proved_logs(0, now + 60'000) == 0);
  p.range_worked(0, 2'000, 1'001, now); // more than it can give whole
  CHECK(p.span(0, now) == 1'000);
  p.gave_logs(0, 1'001, now); // it does not cut there any more
  CHECK(p.silent_cap(0) == 0);
}

TEST_CASE("pool: two failures of a range without words pass, the third is its length") {
  auto p = pool_of(1);
  CHECK_FALSE(p.failed_without_words(0));
  CHECK_FALSE(p.failed_without_words(0));
  CHECK(p.failed_without_words(0));
  CHECK_FALSE(p.failed_without_words(0));
  p.range_worked(0, 10, 1, now);
  CHECK_FALSE(p.failed_without_words(0));
  CHECK_FALSE(p.failed_without_words(0));
  CHECK(p.failed_without_words(0));
}
