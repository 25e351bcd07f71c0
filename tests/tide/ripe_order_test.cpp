// SPDX-License-Identifier: MIT
#include "tide/ripe_order.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using tidemark::evm::block_id;
using tidemark::tide::ripe_order;

namespace {

using blocks = std::vector<block_id>;

std::set<block_id> heights(std::uint64_t from, std::uint64_t to) {
  std::set<block_id> all;
  for (auto n = from; n <= to; ++n)
    all.insert({n, {}});
  return all;
}

} // namespace

TEST_CASE("ripe: the lowest are read together, as long as that works", "[ripe]") {
  ripe_order order;
  const auto ripe = heights(1, 50);
  const auto some = order.next(ripe, 0);
  REQUIRE(some.size() == ripe_order::most_at_once);
  CHECK(some.front().number == 1);
  order.read(some);
  CHECK(order.next(ripe, 0) == some);
  CHECK(order.next({}, 0).empty());
}

TEST_CASE("ripe: one that cannot be read holds no other", "[ripe]") {
  ripe_order order;
  auto ripe = heights(1, 50);
  const block_id bad{3, {}};
  std::size_t failures = 0, looks = 0;
  for (; ripe.size() > 1 && looks < 100; ++looks) {
    const auto some = order.next(ripe, 0);
    REQUIRE_FALSE(some.empty());
    if (std::count(some.begin(), some.end(), bad) != 0) {
      order.failed(some, "pruned", 0);
      ++failures;
      continue;
    }
    order.read(some);
    for (const auto& b : some)
      ripe.erase(b);
  }
  CHECK(ripe == std::set<block_id>{bad});
  CHECK(failures <= 4); // all together, by twos on the way there, and alone
  CHECK(looks < 15);
  REQUIRE(order.aside().size() == 1);
  CHECK(order.aside().at(bad).why == "pruned");
  SECTION("it has its turn again behind all others, and alone") {
    CHECK(order.next(ripe, ripe_order::rest - 1).empty());
    CHECK(order.rests(bad, ripe_order::rest - 1));
    const auto later = heights(3, 9);
    CHECK(order.next(later, ripe_order::rest).front().number == 4);
    CHECK(order.next(ripe, ripe_order::rest) == blocks{bad});
    order.read({bad});
    CHECK(order.aside().empty());
  }
  SECTION("or it leaves, with its block") {
    order.only(heights(4, 9));
    CHECK(order.aside().empty());
  }
}
