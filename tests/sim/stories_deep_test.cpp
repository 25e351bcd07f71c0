// SPDX-License-Identifier: MIT
#include "story.hpp"

#include <catch2/catch.hpp>

// What happens below the mark, and to what was called final; see stories_test.cpp.

using namespace tidemark;
using sim::calm;
using sim::confirmations;
using sim::story;

TEST_CASE("a reorg below the mark takes a confirmed event back, and only when it is still so a "
          "poll later") {
  story s;
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(3);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  const auto ours = s.chain().canonical();
  s.chain().rewind(4);
  s.mine_empty(5);
  SECTION("it stays") {
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
    CHECK(s.reorgs() == 1);
  }
  SECTION("it was gone at the second look") {
    s.half_a_pass(12);
    s.chain().become(ours);
    s.mine_empty(3);
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending confirmed");
    CHECK(s.reorgs() == 0);
  }
  CHECK(s.compare() == "");
}

TEST_CASE("below the mark a quorum says so, or nothing is taken back") {
  auto p = calm();
  p.endpoints.resize(2);
  p.endpoints[1].index = 1;
  p.quorum = 2;
  story s(p);
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(3);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  s.chain().rewind(4);
  s.mine_empty(5);
  s.lie([](tide::answer_what& a) { a = tide::no_answer{"gone"}; }, 1);
  s.catch_up();
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.reorgs() == 0);
  CHECK(s.status().state == tide::chain_state::degraded);
  s.lie({});
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
  CHECK(s.compare() == "");
}

TEST_CASE("a reorg at the very start goes below it, where all agree") {
  story s; // its start is block 5, the head when it was new
  s.mine_empty(1);
  s.catch_up();
  s.chain().rewind(4);
  const auto t = s.transfer();
  s.mine();
  s.mine();
  s.mine({t});
  s.mine_empty(4);
  s.catch_up();
  CHECK(s.status().state == tide::chain_state::following);
  CHECK(s.compare() == "");
}

TEST_CASE("deeper than max_depth below the mark the chain halts and waits for an operator") {
  story s;
  s.mine_empty(10);
  s.catch_up();
  const auto t = s.transfer(), after = s.transfer();
  s.mine({t});
  s.mine_empty(12);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  const auto ours = s.chain().canonical();
  s.chain().rewind(13);
  s.mine_empty(16);
  s.catch_up();
  REQUIRE(s.status().state == tide::chain_state::halted);
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.status().reason.find("chain resume") != std::string::npos);
  SECTION("a restart does not forget it") {
    s.restart();
    s.catch_up();
    CHECK(s.status().state == tide::chain_state::halted);
    s.resume(true);
  }
  SECTION("resume alone says what it would take and stays halted") {
    s.resume(false);
    s.catch_up();
    CHECK(s.status().state == tide::chain_state::halted);
    s.resume(true);
  }
  SECTION("resume alone goes on if the chain is ours after all") {
    s.chain().become(ours);
    s.mine_empty(8);
    s.resume(false);
    s.mine({after});
    s.mine_empty(4);
    s.catch_up();
    CHECK(s.status().state == tide::chain_state::following);
    CHECK(s.life(t.hash, 0) == "pending confirmed");
    CHECK(s.compare() == "");
    return;
  }
  s.catch_up();
  CHECK(s.status().state == tide::chain_state::following);
  CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
  s.mine({after});
  s.mine_empty(4);
  s.catch_up();
  CHECK(s.compare() == "");
}

TEST_CASE("a restart amid an accepted reorg knows the block that was taken back to") {
  for (int effects = 1; effects < 60; ++effects) {
    story s;
    s.mine_empty(24);
    s.catch_up();
    s.chain().rewind(14);
    s.mine_empty(18);
    s.catch_up();
    REQUIRE(s.status().state == tide::chain_state::halted);
    s.resume(true);
    s.half_a_pass(effects);
    s.restart();
    s.resume(true); // where it was not done yet
    s.catch_up();
    INFO("after " << effects << " effects");
    CHECK(s.status().state == tide::chain_state::following);
    CHECK(s.compare() == "");
  }
}

TEST_CASE("a reorg to below the start, where our branch has no block") {
  sim::run s(calm());
  const auto start = s.chain().head();
  s.chain().rewind(2);
  s.chain().mine_void();
  s.chain().mine_these({});
  s.catch_up();
  REQUIRE(s.chain().find(start - 1) == nullptr);
  REQUIRE(s.process().start_block() == start);
  s.chain().rewind(2);
  for (int i = 0; i < 6; ++i)
    s.chain().mine_these({});
  s.catch_up();
  CHECK(s.status().state == tide::chain_state::following);
  CHECK(s.reorgs() == 1);
  CHECK(s.compare() == "");
}

TEST_CASE("what counts from below the start leaves with its block, like all else") {
  auto p = calm();
  p.latecomer = true;
  p.latecomer_from = 2;
  sim::run s(p);
  const auto others = [&] {
    auto t = s.chain().make_transaction();
    t.logs = 1;
    t.foreign = true;
    t.by_block = t.reverts = false;
    return t;
  };
  const auto t = others(), u = others();
  s.chain().rewind(3);
  s.chain().mine_these({t});
  s.chain().mine_these({}); // the block before the start is held in any case
  s.chain().mine_these({});
  const auto start = s.chain().head();
  s.catch_up();
  REQUIRE(s.process().start_block() == start);
  s.chain().mine_these({});
  s.chain().mine_these({});
  s.catch_up();
  s.reload();
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "confirmed");
  SECTION("at once") {}
  SECTION("after a restart") { s.restart(); }
  s.chain().rewind(5);
  s.chain().mine_these({});
  s.chain().mine_these({u});
  for (int i = 0; i < 4; ++i)
    s.chain().mine_these({});
  s.catch_up();
  s.catch_up();
  CHECK(s.status().state == tide::chain_state::following);
  CHECK(s.life(t.hash, 0) == "confirmed rolled_back");
  CHECK(s.life(u.hash, 0) == "pending confirmed");
  CHECK(s.compare() == "");
}

TEST_CASE("below what the chain called final nothing is taken back, however shallow") {
  auto p = calm();
  p.tags = true;
  story s(p);
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(10);            // 8 of them above what is final
  for (int i = 0; i < 15; ++i) // of 45 s each: its word counts after a while
    s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  s.chain().rewind(11);
  s.mine_empty(14);
  s.catch_up();
  CHECK(s.status().state == tide::chain_state::halted);
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  s.resume(true);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
}

TEST_CASE("nothing is confirmed before a quorum names its block") {
  auto p = calm();
  p.endpoints.resize(2);
  p.endpoints[1].index = 1;
  p.quorum = 2;
  story s(p);
  s.lie([](tide::answer_what& a) {
    if (auto* v = std::get_if<tide::votes_answer>(&a))
      for (auto& one : v->votes)
        if (one.endpoint == 1) one.there.reset();
  });
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(4);
  s.catch_up();
  CHECK(s.life(t.hash, 0).find("confirmed") == std::string::npos);
  CHECK(s.status().state == tide::chain_state::degraded);
  s.lie({});
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.compare() == "");
}

TEST_CASE("a hint's receipt of a block that left, deeper than what is held, is nothing") {
  story s;
  const auto t = s.transfer();
  tide::answer_what receipt;
  s.lie([&](tide::answer_what& a) {
    if (std::holds_alternative<tide::receipts_answer>(a)) receipt = a;
  });
  s.mine({t});
  s.hint(t.hash, 0);
  s.catch_up();
  REQUIRE(std::holds_alternative<tide::receipts_answer>(receipt));
  s.chain().rewind(1);
  s.mine_empty(20);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending rolled_back");
  // An endpoint that has not let go of that fork knows the receipt and the block, by their hashes.
  s.lie([&](tide::answer_what& a) {
    if (std::holds_alternative<tide::receipts_answer>(a)) a = receipt;
  });
  s.hint(t.hash, 1);
  s.hint(t.hash, 0);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending rolled_back");
  CHECK(s.compare() == "");
}

TEST_CASE("a chain set back below all that is held halts, and an operator's word follows it") {
  story s;
  const auto t = s.transfer();
  s.mine_empty(2);
  s.mine({t});
  s.mine_empty(30);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  s.chain().rewind(31);
  s.mine_empty(6); // far below the head that was, and the headers that are held
  for (int i = 0; i < 16 && s.status().state != tide::chain_state::halted; ++i)
    s.catch_up();
  REQUIRE(s.status().state == tide::chain_state::halted);
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  s.resume(true);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
  CHECK(s.compare() == "");
}
