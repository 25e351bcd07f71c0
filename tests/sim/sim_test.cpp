// SPDX-License-Identifier: MIT
#include "run.hpp"
#include "shrink.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

// TIDEMARK_SEED=n replays one seed, TIDEMARK_SEEDS=n plays so many; the program `sim` beside this
// one shortens and tells the story of one that fails.

using namespace tidemark;

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct totals {
  sim::tally met;
  std::uint64_t told = 0, reorgs = 0, halts = 0, deaths = 0, lies = 0, runs = 0;
};

/// One of so many parts of the seeds, so that no test takes too long where everything is slow.
totals play_part(std::uint64_t part, std::uint64_t parts) {
  const auto only = from_environment("TIDEMARK_SEED", 0);
  const auto seeds = from_environment("TIDEMARK_SEEDS", 300);
  totals sum;
  for (auto seed = only ? only : 1; seed <= (only ? only : seeds); ++seed) {
    if (seed % parts != part) continue;
    sim::run r(sim::plan_of(seed));
    const auto fault = r.play();
    INFO("replay with `sim --seed " << seed << "`: " << sim::describe(sim::plan_of(seed)));
    CHECK(fault == "");
    sum.met.add(r.met());
    sum.told += r.told();
    sum.reorgs += r.process().reorgs;
    sum.halts += r.process().halts;
    sum.deaths += r.process().deaths;
    sum.lies += r.process().lies_caught;
    ++sum.runs;
  }
  return sum;
}

void walk(std::uint64_t part) {
  const auto sum = play_part(part, 3);
  if (sum.runs < 80) return; // a few seeds need not meet everything
  // A walk that meets none of these has shown nothing.
  CHECK(sum.told > sum.runs * 100);
  CHECK(sum.reorgs > sum.runs);
  CHECK(sum.halts > sum.runs / 20);
  CHECK(sum.deaths > sum.runs);
  CHECK(sum.lies > 0);
  for (std::size_t n = 0; n < sim::features; ++n) {
    const auto f = static_cast<sim::feature>(n);
    INFO(sim::name_of(f) << " was never met");
    CHECK(sum.met.of(f) > 0);
  }
}

} // namespace

// A world with forks of any shape, endpoints that fail and lie, lost and doubled webhooks, handlers
// that fail and crashes at any write: every promise holds at every step, and at quiet each ledger
// equals the canonical chain.

TEST_CASE("a random walk keeps every promise, 1 of 3") { walk(0); }
TEST_CASE("a random walk keeps every promise, 2 of 3") { walk(1); }
TEST_CASE("a random walk keeps every promise, 3 of 3") { walk(2); }

TEST_CASE("walks that once broke a promise keep it") {
  struct row {
    std::uint64_t seed;
    const char* what;
  };
  const row rows[] = {
      {110, "what was held for an endpoint's chain id was forgotten"},
      {468, "a fork brought a block below the start, whose height was void"},
      {1487, "stood still at the start: three endpoints, a quorum of two"},
      {4342, "a range of one block stood still at a void height"},
      {4461,
       "an endpoint that calls its head final, its head from one node and its tag from another"},
      {6007, "rows of a branch that left before its headers were held"},
      {6639, "the same after an accepted reorg, with a hole below the head"},
      {7514, "the mark after a fork to another block before the start, and a restart"},
      {8241, "stood still at the start: three endpoints"},
      {8362, "stood still at the start: four endpoints"},
      {8545, "the mark after a fork that has a block where the height before the start was void"},
  };
  for (const auto& r : rows) {
    INFO("sim --seed " << r.seed << ": " << r.what);
    sim::run one(sim::plan_of(r.seed));
    CHECK(one.play() == "");
  }
}

TEST_CASE("the same plan is the same story") {
  auto p = sim::plan_of(7);
  p.tells = true;
  sim::run a(p), b(p);
  CHECK(a.play() == b.play());
  CHECK(a.story() == b.story());
  CHECK(a.story().size() > 500);
}

TEST_CASE("a trouble that is switched off leaves the others as they were") {
  // The world is drawn apart from its endpoints.
  auto p = sim::plan_of(11), q = p;
  for (std::size_t n = 0; n < sim::features; ++n)
    if (sim::of_endpoints(static_cast<sim::feature>(n))) q.on.remove(static_cast<sim::feature>(n));
  p.blocks = q.blocks = 60;
  sim::run a(p), b(q);
  (void)a.play();
  (void)b.play();
  REQUIRE(a.chain().head() == b.chain().head());
  CHECK(a.chain().at(50).header.hash == b.chain().at(50).header.hash);
}
