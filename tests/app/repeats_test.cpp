// SPDX-License-Identifier: MIT
#include "app/repeats.hpp"

#include <catch2/catch.hpp>

using tidemark::app::repeats;

namespace {

constexpr std::int64_t minute = repeats::window_ms;

} // namespace

TEST_CASE("a text is written once a minute, with how often it was left out", "[repeats]") {
  repeats r;
  CHECK(r.seen("down", 0) == 0u);
  CHECK_FALSE(r.seen("down", 1));
  CHECK(r.seen("up", 1) == 0u);
  CHECK_FALSE(r.seen("down", minute - 1));
  CHECK(r.seen("down", minute) == 2u);
  CHECK_FALSE(r.seen("down", minute + 1));
  CHECK(r.seen("down", 2 * minute) == 1u);
}

TEST_CASE("what was left out and does not come again is said once its minute is over",
          "[repeats]") {
  repeats r;
  r.seen("down", 0);
  r.seen("down", 10);
  r.seen("once", 0);
  CHECK(r.due(minute - 1).empty());
  const auto ended = r.due(minute);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].text == "down");
  CHECK(ended[0].left_out == 1);
  CHECK(r.due(2 * minute).empty());
  CHECK(r.seen("down", minute + 1) == 0u);
}

TEST_CASE("at the end everything that was left out is said", "[repeats]") {
  repeats r;
  r.seen("down", 0);
  r.seen("down", 1);
  REQUIRE(r.end().size() == 1);
  CHECK(r.end().empty());
  CHECK(r.seen("down", 2) == 0u);
}

TEST_CASE("more texts than are remembered are all written", "[repeats]") {
  repeats r;
  for (std::size_t i = 0; i < repeats::most; ++i)
    CHECK(r.seen("line " + std::to_string(i), 0) == 0u);
  CHECK(r.seen("one more", 0) == 0u);
  CHECK(r.seen("one more", 1) == 0u);
  CHECK_FALSE(r.seen("line 0", 1));
  r.due(minute); // room again
  CHECK(r.seen("one more", minute) == 0u);
  CHECK_FALSE(r.seen("one more", minute + 1));
}

TEST_CASE("a flood is thinned, and what was left out is said", "[repeats]") {
  tidemark::app::thinner t;
  constexpr auto most = tidemark::app::thinner::most;
  for (std::uint64_t i = 0; i < most; ++i) {
    const auto v = t.next(5'000 + static_cast<std::int64_t>(i));
    CHECK((v.write && v.left_out == 0));
  }
  CHECK_FALSE(t.next(5'998).write);
  CHECK_FALSE(t.next(5'999).write);
  const auto after = t.next(6'000);
  CHECK(after.write);
  CHECK(after.left_out == 2);
  CHECK(t.next(6'001).left_out == 0);
}
