// SPDX-License-Identifier: MIT
#include "tide/policy.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::tide;

namespace {

struct reach_row {
  const char* name;
  needs asks;
  chain_view view;
  std::optional<std::uint64_t> expected;
};

const reach_row reach_rows[] = {
    {"no blocks: the head itself", {0, tag::none}, {100, {}, {}}, 100},
    {"head less the blocks", {12, tag::none}, {100, {}, {}}, 88},
    {"as long as the chain: block 0", {100, tag::none}, {100, {}, {}}, 0},
    {"longer than the chain", {101, tag::none}, {100, {}, {}}, std::nullopt},
    {"safe unknown", {0, tag::safe}, {100, {}, 60}, std::nullopt},
    {"safe", {0, tag::safe}, {100, 80, 60}, 80},
    {"finalized unknown", {0, tag::finalized}, {100, 80, {}}, std::nullopt},
    {"finalized", {0, tag::finalized}, {100, 80, 60}, 60},
    {"both: the tag is lower", {12, tag::safe}, {100, 80, 60}, 80},
    {"both: the blocks are lower", {30, tag::safe}, {100, 80, 60}, 70},
    {"a tag above the head says no more than the head", {0, tag::safe}, {100, 105, 60}, 100},
};

} // namespace

TEST_CASE("reach: the highest block that a policy lets through") {
  for (const auto& row : reach_rows) {
    INFO(row.name);
    CHECK(reach(row.asks, row.view) == row.expected);
  }
}

TEST_CASE("holds: up to the reach and not one above") {
  const chain_view view{100, 80, 60};
  CHECK(holds({12, tag::none}, 88, view));
  CHECK_FALSE(holds({12, tag::none}, 89, view));
  CHECK(holds({0, tag::finalized}, 60, view));
  CHECK_FALSE(holds({0, tag::finalized}, 61, view));
  CHECK_FALSE(holds({101, tag::none}, 0, view));
}

TEST_CASE("needs add up to the stricter of each part") {
  CHECK(needs{12, tag::none} + needs{3, tag::safe} == needs{12, tag::safe});
  CHECK(needs{0, tag::finalized} + needs{24, tag::safe} == needs{24, tag::finalized});
  CHECK(policy{"p", std::nullopt, tag::safe}.asks() == needs{0, tag::safe});
  CHECK(policy{std::nullopt, 7, tag::none}.asks() == needs{7, tag::none});
}
