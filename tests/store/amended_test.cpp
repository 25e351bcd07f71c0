// SPDX-License-Identifier: MIT
#include "store/upkeep.hpp"
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

std::string data(const std::string& subscriptions) {
  return R"({"event_id":"x","topics":[],"subscriptions":[)" + subscriptions +
         R"(],"confirmations":[]})";
}

tide::sighting read_for(const std::string& subscriptions) {
  auto s = log(block(10), 1);
  s.data = data(subscriptions);
  for (auto& r : s.routes)
    r.pending = true;
  return s;
}

} // namespace

TEST_CASE("a confirmation says the subscriptions and policies that came while it waited, and what "
          "was told before stays as it was",
          "[apply]") {
  world w;
  w.apply(10, {tide::saw{{read_for(R"("a")")}}}, {header(10)});
  const auto pending = w.take();
  REQUIRE(pending.size() == 1);
  w.apply(13, {tide::proved{block(10), {{tx(1), 0}}, {read_for(R"("b","a")")}}});
  const auto a = data(R"("a")"), both = data(R"("a","b")");
  const auto facts = w.feed();
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].data == a);
  CHECK(facts[1].data == both);
  CHECK(must(store::reader(*w.db).event({world::chain, tx(1), 0}))->item.fact.data == both);
  w.finish(pending[0]);
  const auto confirmed = w.deliver();
  REQUIRE(confirmed.size() == 1);
  CHECK(pending[0].fact.data == a);
  CHECK(confirmed[0].fact.data == both);
  SECTION("what takes it back says the event that was confirmed") {
    w.apply(13, {tide::orphaned{block(10)}, tide::reorg{1, block(9), block(10), block(10, 'B')}},
            {header(10, 'B', 'A')});
    CHECK(w.feed().back().data == both);
  }
  SECTION("retention takes the details of both readings") {
    store::pruning at;
    w.apply(400, {tide::mark_moved{block(300)}}, {header(300)});
    w.in_group([&] {
      must(w.db->prune({.events_ms = 1, .max_depths = {{world::chain, 64}}}, 2'000'000'000'000, 100,
                       at));
    });
    CHECK(at.events == 1);
    for (const auto& f : w.feed()) {
      CHECK(f.data.find("topics") == f.data.npos);
      CHECK(f.data.find("pruned") != f.data.npos);
    }
    CHECK(w.feed().back().data.find(R"("a","b")") != std::string::npos);
  }
}
