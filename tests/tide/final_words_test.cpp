// SPDX-License-Identifier: MIT
#include "tide/final_words.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using tidemark::tide::final_words;

TEST_CASE("an endpoint is heard about finality once a few looks were sound") {
  final_words words;
  const std::size_t one = 0, other = 1;
  for (std::uint32_t look = 1; look < final_words::looks_first; ++look)
    CHECK_FALSE(words.count(one, 100 + look, 90, look * 1'000));
  CHECK_FALSE(words.count(other, 101, 91, 1'000)); // each for itself
  CHECK(words.count(one, 102, 91, 10'000));
  SECTION("its head called final is never final, nor is what lies above it") {
    CHECK_FALSE(words.count(one, 103, 103, 13'000));
    CHECK_FALSE(words.count(one, 103, 104, 13'000));
  }
  SECTION("and it is not heard for a while after it called its head final") {
    CHECK_FALSE(words.count(one, 103, 103, 13'000));
    for (std::int64_t now = 14'000; now < 13'000 + final_words::unheard_for; now += 10'000)
      CHECK_FALSE(words.count(one, 110, 100, now));
    CHECK(words.count(one, 200, 190, 13'000 + final_words::unheard_for));
  }
  SECTION("a quorum is heard at once") {
    CHECK(words.count(std::nullopt, 100, 99, 0));
    CHECK_FALSE(words.count(std::nullopt, 100, 100, 0));
  }
}
