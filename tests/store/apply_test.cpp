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

TEST_CASE("a chain begins once, and from what the store says", "[apply]") {
  world w(false);
  CHECK_FALSE(must(w.db->boot(world::chain)).start_block);
  w.apply(9, {tide::started{10, block(9)}}, {header(9)});
  CHECK(w.refused(9, {tide::started{11, block(9)}}) != "");
  const auto b = w.db->boot(world::chain);
  CHECK(b->start_block == 10);
  CHECK(b->mark == block(9));
  CHECK(b->turn == w.turn);
  REQUIRE(b->headers.size() == 1);
  CHECK(b->headers[0].id == block(9));
  CHECK(b->headers[0].whole);
}

TEST_CASE("a fork down to the block below the start is the mark's new block", "[apply]") {
  world w(false);
  w.apply(9, {tide::started{10, block(9)}}, {header(9)});
  const auto other = block(9, 'B');
  auto base = header(9);
  base.id = other;
  w.apply(10, {tide::orphaned{block(9)}, tide::reorg{0, other, block(9), block(10, 'B'), false}},
          {base});
  CHECK(w.db->boot(world::chain)->mark == other);
}

TEST_CASE("a set that was drawn from an older turn is refused", "[apply]") {
  world w;
  auto old = w.set(10, {tide::saw{{log(block(10), 1)}}}, {header(10)});
  old.turn = w.turn - 1;
  CHECK(std::holds_alternative<tide::refused>(w.answer(old)));
  CHECK(w.history(1) == "none");
}

TEST_CASE("seen, shown, confirmed", "[apply]") {
  world w;
  const auto l = log(block(10), 1);
  CHECK(w.apply(10, {tide::saw{{l}}}, {header(10)}).added == 1);
  CHECK(w.history(1) == "p1");
  SECTION("seen again: nothing") {
    CHECK(w.apply(11, {tide::saw{{l}}}, {header(11)}).added == 0);
    CHECK(w.history(1) == "p1");
  }
  SECTION("shown too early: still pending, remembered once the mark has passed") {
    const auto a = w.apply(12, {tide::shown{{block(10)}, {l}, false}, tide::mark_moved{block(10)}},
                           {header(11), header(12)});
    CHECK(a.confirmed == 0);
    CHECK(a.waiting == std::vector<tide::ripening>{{block(10), {.blocks = 3}}});
    CHECK(w.history(1) == "p1");
    auto b = w.db->boot(world::chain);
    CHECK(b->waiting == a.waiting);
    SECTION("and ripens by a proof") {
      CHECK(w.apply(13, {proof(block(10), {l})}).confirmed == 1);
      CHECK(w.history(1) == "p1 c2");
      CHECK(w.db->boot(world::chain)->waiting.empty());
    }
    SECTION("or by being shown again") {
      const auto again = w.apply(12, {tide::shown{{block(10)}, {l}, false}});
      CHECK(again.waiting == a.waiting);
      CHECK(w.apply(13, {tide::shown{{block(10)}, {l}, false}}).waiting.empty());
      CHECK(w.history(1) == "p1 c2");
    }
    SECTION("though no subscription asks for it any more") {
      auto p = proof(block(10), {l});
      p.logs.clear();
      CHECK(w.apply(13, {p}).confirmed == 1);
    }
  }
  SECTION("deep enough") {
    const auto a = w.apply(13, {tide::shown{{block(10)}, {l}, false}, tide::mark_moved{block(10)}});
    CHECK(a.confirmed == 1);
    CHECK(a.waiting.empty());
    CHECK(w.history(1) == "p1 c2");
    CHECK(w.db->boot(world::chain)->mark == block(10));
  }
  SECTION("a policy that asks for more than the row's is added") {
    auto stricter = l;
    stricter.asks.blocks = 5;
    CHECK(w.apply(13, {tide::shown{{block(10)}, {stricter}, false}}).confirmed == 0);
    CHECK(w.apply(14, {tide::shown{{block(10)}, {l}, false}}).confirmed == 0);
    CHECK(w.apply(15, {tide::shown{{block(10)}, {l}, false}}).confirmed == 1);
  }
}

TEST_CASE("a proof of other words at the row's place denies it, and unknown words do not",
          "[apply]") {
  world w;
  const auto l = log(block(10), 1);
  w.apply(10, {tide::saw{{l}}}, {header(10)});
  auto p = proof(block(10), {l});
  p.logs.clear(); // what the block has there is no event
  SECTION("other words") {
    p.digests = {l.digest + 1};
    CHECK(w.apply(13, {p}).rolled_back == 1);
    CHECK(w.history(1) == "p1 r!2");
  }
  SECTION("the same") {
    p.digests = {l.digest};
    CHECK(w.apply(13, {p}).confirmed == 1);
  }
  SECTION("not known") {
    p.digests = {0};
    CHECK(w.apply(13, {p}).confirmed == 1);
  }
}

TEST_CASE("a transaction stands before its own logs", "[apply]") {
  world w;
  auto t = log(block(10), 1);
  t.log_index = -1;
  t.ordinal.reset();
  const auto l = log(block(10), 1);
  w.apply(10, {tide::saw{{t, l}}}, {header(10)});
  w.apply(13, {tide::shown{{block(10)}, {t, l}, false}, tide::mark_moved{block(10)}});
  CHECK(w.history(1, -1) == "p1 c2");
  std::string order;
  for (const auto& f : w.feed())
    order += std::to_string(f.log_index) + ' ';
  CHECK(order == "-1 0 -1 0 ");
}

TEST_CASE("children of factories are kept, until their block leaves", "[apply]") {
  world w;
  const auto child_at = [](std::uint64_t n, char branch = 'A') {
    tide::child c;
    c.subscription = "swaps";
    c.address.octets[0] = static_cast<std::uint8_t>(n);
    c.block = block(n, branch);
    c.tx_index = 2;
    c.log_index = 7;
    c.made_by = (1ULL << 63) - 1;
    return c;
  };
  const auto kept = [&] { return must(w.db->boot(world::chain)).children; };
  using children = std::vector<tide::child>;
  w.apply(12,
          {tide::born{10, {child_at(10)}}, tide::born{12, {child_at(12)}}, tide::raised{"swaps 1"}},
          {header(10), header(11), header(12)});
  CHECK(kept() == children{child_at(10), child_at(12)});
  CHECK(must(w.db->boot(world::chain)).factories == "swaps 1");
  w.apply(12, {tide::born{10, {}}}); // it was never there
  CHECK(kept() == children{child_at(12)});
  w.apply(12, {fork_at(11)}, {header(12, 'B', 'A')});
  CHECK(kept().empty());
  w.apply(12, {tide::born{12, {child_at(12, 'B')}}});
  CHECK(kept() == children{child_at(12, 'B')});
}

TEST_CASE("rows that a slice without the mark left pending are said when the mark passes them",
          "[apply]") {
  world w;
  const auto l = log(block(10), 1), m = log(block(12), 2);
  w.apply(12, {tide::saw{{l, m}}}, {header(10), header(11), header(12)});
  CHECK(w.apply(12, {tide::shown{{block(10), block(11)}, {l}, false}}).waiting.empty());
  const auto a = w.apply(12, {tide::shown{{block(12)}, {m}, false}, tide::mark_moved{block(12)}});
  CHECK(a.waiting ==
        std::vector<tide::ripening>{{block(10), {.blocks = 3}}, {block(12), {.blocks = 3}}});
}

TEST_CASE("an answer that differs from the rows is disputed as a whole", "[apply]") {
  world w;
  const auto l = log(block(10), 1), missed = log(block(11), 2), third = log(block(12), 3);
  w.apply(12, {tide::saw{{l, third}}}, {header(10), header(11), header(12)});
  SECTION("a log that was missed, and one that is not there") {
    const auto d =
        w.disputed(20, {tide::shown{{block(10), block(11), block(12)}, {l, missed}, false}});
    CHECK(d.read_whole == blocks{block(11), block(12)});
    CHECK(d.left.empty());
    CHECK(w.history(1) == "p1"); // nothing of the set is kept
    SECTION("the proofs first, then the rest of the answer") {
      const auto a =
          w.apply(20, {proof(block(11), {missed}), proof(block(12), {}),
                       tide::shown{{block(10), block(11), block(12)}, {l, missed}, false}});
      CHECK(a.added == 1);
      CHECK(a.rolled_back == 1);
      CHECK(w.history(1) == "p1 c2");
      CHECK(w.history(2) == "c1");
      CHECK(w.history(3) == "p1 r!2");
    }
    SECTION("a lie that the proof denies is left out") {
      w.apply(20, {proof(block(11), {}), proof(block(12), {third}),
                   tide::shown{{block(10), block(11), block(12)}, {l, missed}, false}});
      CHECK(w.history(2) == "none");
      CHECK(w.history(3) == "p1 c2");
    }
  }
  SECTION("deeper than max_depth the answer is enough for what was missed") {
    const auto a =
        w.apply(20, {tide::shown{{block(10), block(11), block(12)}, {l, missed, third}, true}});
    CHECK(a.added == 1);
    CHECK(w.history(2) == "c1");
  }
  SECTION("but not against a row") {
    const auto d = w.disputed(20, {tide::shown{{block(10), block(11), block(12)}, {l}, true}});
    CHECK(d.read_whole == blocks{block(12)});
  }
  SECTION("settled, but its own policy asks for more: pending") {
    auto slow = missed;
    slow.asks.blocks = 100;
    const auto a =
        w.apply(20, {tide::shown{{block(10), block(11), block(12)}, {l, slow, third}, true},
                     tide::mark_moved{block(12)}});
    CHECK(w.history(2) == "p1");
    CHECK(a.waiting == std::vector<tide::ripening>{{block(11), {.blocks = 100}}});
  }
  SECTION("another content") {
    auto changed = l;
    changed.digest = 43;
    CHECK(w.disputed(20, {tide::shown{{block(10)}, {changed}, false}}).read_whole ==
          blocks{block(10)});
    CHECK(w.disputed(20, {tide::saw{{changed}}}).read_whole == blocks{block(10)});
    w.apply(20, {proof(block(10), {changed})});
    CHECK(w.history(1) == "p1 r!2 c3");
  }
  SECTION("a range of another branch") {
    CHECK(w.refused(20, {tide::shown{{block(10, 'B')}, {}, false}}) != "");
    CHECK(w.refused(20, {tide::shown{{block(10), block(12)}, {l, third}, false}}) !=
          ""); // 11 is held
  }
  SECTION("a log outside of its range") {
    CHECK(w.refused(20, {tide::shown{{block(10)}, {l, third}, false}}) != "");
  }
}

TEST_CASE("a reorg undoes confirmed events, from the top", "[apply]") {
  world w;
  const auto l = log(block(10), 1, 0), m = log(block(10), 2, 1), n = log(block(11), 3),
             p = log(block(12), 4);
  w.apply(12, {tide::saw{{l, m, n, p}}}, {header(10), header(11), header(12)});
  w.apply(14,
          {tide::shown{{block(10), block(11)}, {l, m, n}, false}, tide::mark_moved{block(11)},
           tide::final_moved{block(9)}},
          {header(13), header(14)});
  CHECK(w.history(3) == "p1 c2");
  const auto a = w.apply(15,
                         {tide::orphaned{block(12)}, tide::orphaned{block(11)},
                          tide::orphaned{block(10)}, fork_at(9, 5)},
                         {header(10, 'B', 'A')});
  CHECK(a.rolled_back == 4);
  std::string order;
  for (const auto& f : w.feed())
    if (f.status == tide::status::rolled_back)
      order += std::to_string(f.block.number) + '.' + std::to_string(f.log_index) + ' ';
  CHECK(order == "12.0 11.0 10.1 10.0 ");
  const auto b = w.db->boot(world::chain);
  CHECK(b->mark == block(9));
  std::vector<evm::block_id> held;
  for (const auto& h : b->headers)
    held.push_back(h.id);
  CHECK(held == blocks{block(9), block(10, 'B')});
  store::reader r(*w.db);
  const auto reorgs = r.reorgs({});
  REQUIRE(reorgs->items.size() == 1);
  CHECK(reorgs->items[0].rolled_back == 3);
  CHECK(reorgs->items[0].depth == 5);
  CHECK(reorgs->items[0].ancestor == block(9));
}

TEST_CASE("what leaves is named by its hash: another block of that height keeps its rows",
          "[apply]") {
  world w;
  w.apply(12, {tide::saw{{log(block(11, 'B'), 1)}}}); // by a hint, before its header is held
  const auto done = w.apply(12, {tide::orphaned{block(11)}, fork_at(10, 1)});
  CHECK(done.rolled_back == 0);
  CHECK(w.history(1) == "p1");
  CHECK(w.apply(12, {tide::orphaned{block(11, 'B')}, fork_at(10, 1)}).rolled_back == 1);
}

TEST_CASE("sets that contradict the chain are refused", "[apply]") {
  world w;
  w.apply(
      12,
      {tide::saw{{log(block(10), 1)}}, tide::mark_moved{block(11)}, tide::final_moved{block(10)}},
      {header(10), header(11), header(12)});
  CHECK(w.refused(12, {tide::orphaned{block(10)}}) != "");
  CHECK(w.refused(12, {tide::mark_moved{block(10)}}) != "");
  CHECK(w.refused(12, {tide::mark_moved{block(12, 'B')}}) != "");
  CHECK(w.refused(12, {tide::final_moved{block(9)}}) != "");
  CHECK(w.refused(12, {tide::saw{{log(block(12, 'B'), 2)}}}) != "");
  CHECK(w.refused(12, {proof(block(12, 'B'), {})}) != "");
  auto p = proof(block(12), {});
  p.logs.push_back(log(block(12), 2));
  CHECK(w.refused(12, {p}) != "");
  CHECK(w.refused(12, {tide::shown{{block(12), block(11)}, {}, false}}) != "");
  CHECK(w.refused(12, {tide::mark_moved{block(1ULL << 63)}}) != "");
  auto high = log(block(1ULL << 63), 2);
  CHECK(w.refused(12, {tide::saw{{high}}}) != "");
  const auto b = w.db->boot(world::chain);
  CHECK(b->mark == block(11));
  CHECK(b->final_block == block(10));
  CHECK(b->headers.size() == 4);
  w.apply(13, {tide::orphaned{block(10)}, fork_at(9, 3, true)}, {});
  CHECK(w.db->boot(world::chain)->final_block == block(9));
}
