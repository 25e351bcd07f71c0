// SPDX-License-Identifier: MIT
#include "tide/retry_after.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::tide;

TEST_CASE("Retry-After is seconds or a date of three forms", "[courier]") {
  constexpr std::int64_t second = 1'000, hour = 3'600 * second;
  // Sun, 06 Nov 1994 08:49:37 GMT
  constexpr std::int64_t then = 784'111'777;
  struct row {
    const char* text;
    std::optional<std::int64_t> ms;
  };
  const row rows[] = {
      {"0", 0},
      {"120", 120 * second},
      {" 3 ", 3 * second},
      {"3600", hour},
      {"3601", hour},
      {"99999999999999999999999", hour},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 7 * second},
      {"Sunday, 06-Nov-94 08:49:37 GMT", 7 * second},
      {"Sun Nov  6 08:49:37 1994", 7 * second},
      {"Mon, 07 Nov 1994 08:49:37 GMT", hour},
      {"Sat, 05 Nov 1994 08:49:37 GMT", 0},
      {"", {}},
      {"-1", {}},
      {"1.5", {}},
      {"1 s", {}},
      {"tomorrow", {}},
      {"Sun, 31 Feb 1994 08:49:37 GMT", {}},
      {"Sun, 06 Nov 1994 24:49:37 GMT", {}},
      {"Sun, 06 Nov 1994 08:49:37 CET", {}},
      {"Sun, 06 Nov 1994 08:49:37 GMT GMT GMT", {}},
      {"Sun, 06 Nov 99999999999999999999 08:49:37 GMT", {}},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    CHECK(parse_retry_after(r.text, (then - 7) * second) == r.ms);
  }
}
