// SPDX-License-Identifier: MIT
#include "tide/mark_range.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// Down to the one block that cannot be read, and up again.

using tidemark::tide::mark_range;

namespace {

/// A chain of `head` blocks of which one cannot be read.
struct reader {
  mark_range range;
  std::uint64_t mark = 0, head, bad, widest;
  unsigned failures = 0;

  bool read() {
    const auto size = std::min({range.most(), widest, head - mark});
    range.asked(size);
    if (mark < bad && bad <= mark + size) {
      ++failures;
      range.failed();
      return false;
    }
    mark += size;
    failures = 0;
    range.read();
    return true;
  }
};

} // namespace

TEST_CASE("the mark comes to stand just below the block that cannot be read") {
  for (std::uint64_t bad = 1; bad <= 70; ++bad) {
    reader r{{}, 0, 100, bad, 64};
    int reads = 0;
    for (; r.mark + 1 < bad && reads < 40; ++reads)
      r.read();
    CHECK(r.mark + 1 == bad);
    CHECK(reads <= 20);
  }
}

TEST_CASE(
    "below the block it is asked for alone and with all above it, by turns, ever less often") {
  reader r{{}, 0, 100, 1, 64};
  for (int i = 0; i < 7; ++i) {
    CHECK(r.failures - r.range.narrowed() == 0); // soon again: 64, 32, … 1
    r.read();
  }
  CHECK(r.range.narrowed() == 6);
  for (unsigned i = 1; i < 6; ++i) {
    CHECK(r.failures - r.range.narrowed() == i);
    CHECK((r.range.most() > 1) == (i % 2 == 1));
    r.read();
  }
}

TEST_CASE("once the block can be read the range is as wide as before after a few more") {
  reader r{{}, 0, 10'000, 1, 64};
  for (int i = 0; i < 8; ++i)
    r.read();
  r.bad = 20'000;
  int reads = 0;
  std::uint64_t before = r.mark;
  do
    before = r.mark, r.read(), ++reads;
  while (r.mark - before < 64 && reads < 20);
  CHECK(reads <= 8);
}
