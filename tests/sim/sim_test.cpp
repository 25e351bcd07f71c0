// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

// TIDEMARK_SEED=n replays one seed, TIDEMARK_SEEDS=n plays so many.

using namespace tidemark;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

sim::plan plan_of(std::uint64_t seed) {
  sim::plan p;
  p.seed = seed;
  p.confirmations = seed % 5;
  p.follow = seed % 7 != 0;
  p.tags = seed % 6 == 1;
  return p;
}

} // namespace

TEST_CASE("a random walk with forks, lost and doubled webhooks, failures and crashes ends in the "
          "canonical ledger") {
  const auto only = from_environment("TIDEMARK_SEED", 0);
  const auto seeds = from_environment("TIDEMARK_SEEDS", 240);
  std::size_t told = 0, reorgs = 0, halts = 0, deaths = 0;
  for (auto seed = only ? only : 1; seed <= (only ? only : seeds); ++seed) {
    sim::run r(plan_of(seed));
    const auto fault = r.play();
    INFO("replay with TIDEMARK_SEED=" << seed);
    CHECK(fault == "");
    told += r.told();
    reorgs += r.reorgs;
    halts += r.halts;
    deaths += r.deaths;
  }
  if (only) return;
  // A walk that meets none of these has shown nothing.
  CHECK(told > seeds * 20);
  CHECK(reorgs > seeds);
  CHECK(halts > seeds / 20);
  CHECK(deaths > seeds);
}
