// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

tide::proved proof(const evm::block_id& b, std::vector<tide::sighting> logs) {
  tide::proved p;
  p.block = b;
  for (const auto& s : logs)
    p.places.push_back({s.tx, s.log_index});
  p.logs = std::move(logs);
  return p;
}

tide::reorg fork_at(std::uint64_t ancestor, std::uint32_t depth = 1, bool accepted = false) {
  return {depth, block(ancestor), block(ancestor + depth), block(ancestor + depth, 'B'), accepted};
}

using blocks = std::vector<evm::block_id>;

} // namespace

TEST_CASE("the transaction is mined again", "[apply]") {
  world w;
  const auto l = log(block(10), 1);
  w.apply(12, {tide::saw{{l}}}, {header(10), header(11), header(12)});
  const auto to_b = [&](std::vector<tide::verdict> more) {
    std::vector<tide::verdict> v{tide::orphaned{block(12)}, tide::orphaned{block(11)},
                                 tide::orphaned{block(10)}, fork_at(9, 3)};
    v.insert(v.end(), more.begin(), more.end());
    return w.apply(13, v,
                   {header(10, 'B', 'A'), header(11, 'B'), header(12, 'B'), header(13, 'B')});
  };
  SECTION("at the same place in another block") {
    CHECK(to_b({tide::saw{{log(block(10, 'B'), 1)}}}).rolled_back == 1);
    CHECK(w.history(1) == "p1 r2 p3");
  }
  SECTION("in a later block, with another payload") {
    auto again = log(block(12, 'B'), 1);
    again.digest = 99;
    again.data = R"({"event_id":"y"})";
    to_b({tide::saw{{again}}});
    CHECK(w.history(1) == "p1 r2 p3");
    const auto facts = w.feed();
    CHECK(facts[1].data == l.data); // what is taken back is what was told
    CHECK(facts[1].block == block(10));
    CHECK(facts[2].data == again.data);
    CHECK(facts[2].block == block(12, 'B'));
  }
  SECTION("at another index: another event, which names the one it replaces") {
    to_b({tide::saw{{log(block(10, 'B'), 1, 4)}}});
    CHECK(w.history(1) == "p1 r2");
    CHECK(w.history(1, 4) == "p1");
    const auto facts = w.feed();
    CHECK(facts.back().replaces == tide::event_id(1, tx(1), 0));
    CHECK_FALSE(facts.front().replaces);
    SECTION("and back again") {
      std::vector<tide::verdict> v{tide::orphaned{block(10, 'B')}, fork_at(9, 4), tide::saw{{l}}};
      w.apply(14, v, {header(10), header(11), header(12), header(13), header(14)});
      CHECK(w.history(1, 4) == "p1 r2");
      CHECK(w.history(1) == "p1 r2 p3");
      CHECK(w.feed().back().replaces == tide::event_id(1, tx(1), 4));
    }
  }
  SECTION("not at all") {
    to_b({});
    CHECK(w.history(1) == "p1 r2");
  }
  SECTION("A, B, A: three inclusions, and ids that count") {
    to_b({tide::saw{{log(block(10, 'B'), 1)}}});
    w.apply(14, {tide::orphaned{block(10, 'B')}, fork_at(9, 4), tide::saw{{l}}},
            {header(10), header(11), header(12), header(13), header(14)});
    w.apply(15, {tide::shown{{block(10)}, {l}, false}}, {header(15)});
    CHECK(w.history(1) == "p1 r2 p3 r4 p5 c6");
    std::vector<std::uint32_t> n;
    for (const auto& f : w.feed())
      n.push_back(f.n);
    CHECK(n == std::vector<std::uint32_t>{1, 1, 1, 1, 2, 1}); // p in A twice
    const auto facts = w.feed();
    CHECK(tide::message_id(facts[0]) != tide::message_id(facts[4]));
    CHECK(facts[1].undoes == tide::message_id(facts[0]));
    CHECK(facts[3].undoes == tide::message_id(facts[2]));
  }
  SECTION("before its old block is rolled back: that one first") {
    const auto d = w.disputed(13, {tide::saw{{log(block(10, 'B'), 1)}}},
                              {header(10, 'B', 'A'), header(11, 'B'), header(12, 'B')});
    CHECK(d.left == blocks{block(10)});
    CHECK(d.read_whole.empty());
  }
  SECTION("before its old block is rolled back, by a range") {
    const auto d =
        w.disputed(13, {tide::shown{{block(10, 'B')}, {}, false}}, {header(10, 'B', 'A')});
    CHECK(d.left == blocks{block(10)});
  }
  SECTION("before its old block is rolled back, by a proof") {
    const auto d = w.disputed(13, {proof(block(10, 'B'), {})}, {header(10, 'B', 'A')});
    CHECK(d.left == blocks{block(10)});
  }
  SECTION("at a height that no block has any more") {
    const auto d =
        w.disputed(13, {fork_at(9, 3), tide::shown{{block(9), block(11, 'B')}, {}, false}},
                   {header(11, 'B', 'A')});
    CHECK(d.left == blocks{block(10)});
  }
}

TEST_CASE("an event in two canonical blocks is said, and not stored twice", "[apply]") {
  world w;
  w.apply(12, {tide::saw{{log(block(10), 1)}}}, {header(10), header(11), header(12)});
  for (int times = 0; times < 2; ++times)
    CHECK(w.apply(12, {tide::saw{{log(block(12), 1)}}}).added == 0);
  CHECK(w.history(1) == "p1");
  store::reader r(*w.db);
  const auto gaps = r.gaps({});
  REQUIRE(gaps->items.size() == 1);
  CHECK(gaps->items[0].from_block == 12);
  CHECK(gaps->items[0].chain_id == 1);
  w.apply(20,
          {tide::shown{
              {block(10), block(11), block(12)}, {log(block(10), 1), log(block(12), 1)}, false}});
  CHECK(w.history(1) == "p1 c2");
  CHECK(r.gaps({})->items.size() == 1);
}

TEST_CASE("what a proof took back needs a proof to come again", "[apply]") {
  world w;
  const auto l = log(block(10), 1);
  w.apply(12, {tide::saw{{l}}}, {header(10), header(11), header(12)});
  w.apply(12, {proof(block(10), {})});
  CHECK(w.history(1) == "p1 r!2");
  CHECK(w.disputed(12, {tide::saw{{l}}}).read_whole == blocks{block(10)});
  CHECK(w.disputed(20, {tide::shown{{block(10)}, {l}, false}}).read_whole == blocks{block(10)});
  w.apply(20, {proof(block(10), {l})});
  CHECK(w.history(1) == "p1 r!2 c3");
}

TEST_CASE("a block that comes back was not read since", "[apply]") {
  world w;
  w.apply(10, {tide::saw{{log(block(10), 1)}}}, {header(10)});
  const auto whole = [&] {
    for (const auto& h : must(w.db->boot(world::chain)).headers)
      if (h.id.number == 10) return h.whole;
    return false;
  };
  REQUIRE(whole());
  w.apply(13, {tide::orphaned{block(10)}, fork_at(9, 1)}, {header(10, 'B', 'A')});
  auto unread = header(10);
  unread.whole = false;
  w.apply(14, {tide::orphaned{block(10, 'B')}, fork_at(9, 1)}, {unread});
  CHECK_FALSE(whole()); // its rows were rolled back: only another reading brings them again
}

TEST_CASE("rows at heights that are void now have left", "[apply]") {
  world w;
  const auto l = log(block(11), 1);
  w.apply(11, {tide::saw{{l}}}, {header(10), header(11)});
  w.apply(11, {fork_at(10)}, {}); // the block left, its row did not
  const auto up = [&](tide::verdict v) {
    // 12 is the child of 10: 11 is void on this branch, and nobody has taken its row back.
    return w.disputed(20, {std::move(v)}).left;
  };
  CHECK(up(tide::shown{{block(12)}, {}, false, 11}) == blocks{block(11)});
  auto p = proof(block(12), {});
  p.void_from = 11;
  CHECK(up(p) == blocks{block(11)});
}
