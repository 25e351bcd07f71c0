// SPDX-License-Identifier: MIT
#include "story.hpp"

#include <catch2/catch.hpp>

// What can happen to a transaction that was seen, one story a row: the chain is written block by
// block, the Tide and the store are the real ones, and the ledgers of four handlers must equal the
// chain at the end of each.

using namespace tidemark;
using sim::calm;
using sim::confirmations;
using sim::story;

TEST_CASE("a transfer is pending when it is mined and confirmed when it is deep enough") {
  story s;
  const auto t = s.transfer();
  s.mine({t});
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending");
  s.mine_empty(confirmations - 1);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending");
  s.mine();
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.compare() == "");
}

TEST_CASE("above the mark a transaction is mined again") {
  story s;
  const auto t = s.transfer(2), before = s.transfer(1);
  s.mine({t});
  s.mine();
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending");
  s.chain().rewind(2);
  SECTION("in the same place of another block") {
    s.mine({t});
    s.mine();
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending rolled_back pending");
  }
  SECTION("in a later block") {
    s.mine();
    s.mine({t});
    s.mine_empty(1);
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending rolled_back pending");
  }
  SECTION("behind another one, so that its log indexes shift") {
    s.mine({before, t});
    s.mine();
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending rolled_back");
    CHECK(s.life(t.hash, 1) ==
          "pending rolled_back pending"); // its second log before, its first one now
    REQUIRE(s.last_fact(t.hash, 2));
    CHECK(s.last_fact(t.hash, 1)->replaces.value_or("") == tide::event_id(1, t.hash, 0));
    CHECK(s.last_fact(t.hash, 2)->replaces.value_or("") == tide::event_id(1, t.hash, 1));
  }
  SECTION("and reverts now") {
    auto reverted = t;
    reverted.logs = 0;
    s.mine({reverted});
    s.mine();
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending rolled_back");
  }
  SECTION("with other values") {
    auto changed = t;
    changed.value += 1'000;
    s.mine({changed});
    s.mine();
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending rolled_back pending");
  }
  SECTION("never: it was dropped, or another took its nonce") {
    const auto other = s.transfer();
    s.mine({other});
    s.mine();
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending rolled_back");
    CHECK(s.life(other.hash, 0) != "");
  }
  s.mine_empty(4);
  s.catch_up();
  CHECK(s.compare() == "");
  CHECK(s.handler(0).fault == "");
}

TEST_CASE("A, B and A again are three inclusions") {
  story s;
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(3);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  const auto a = s.chain().canonical();
  s.chain().rewind(4);
  s.mine({s.transfer(), t});
  s.mine_empty(4);
  s.catch_up();
  const auto b = s.chain().canonical();
  s.chain().become(a);
  s.mine_empty(3);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back pending confirmed");
  CHECK(tide::message_id(*s.last_fact(t.hash, 0)).back() ==
        '2'); // the second time confirmed in that block
  CHECK(s.compare() == "");
}

TEST_CASE("a reorg while the daemon is down is found before anything is concluded") {
  story s;
  const auto t = s.transfer(), u = s.transfer();
  s.mine({t});
  s.mine_empty(3);
  s.catch_up();
  s.chain().rewind(3);
  s.chain().rewind(1);
  s.mine({u});
  s.mine_empty(6);
  s.restart();
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
  CHECK(s.compare() == "");
}

TEST_CASE("a reorg during a scan throws the scan away") {
  for (int effects = 1; effects < 14; ++effects) {
    story s;
    const auto t = s.transfer();
    s.mine({t});
    s.mine_empty(3);
    s.half_a_pass(effects);
    s.chain().rewind(4);
    s.mine();
    s.mine({t});
    s.mine_empty(4);
    s.catch_up();
    INFO("after " << effects << " effects");
    CHECK(s.compare() == "");
  }
}

TEST_CASE("above the mark blocks may leave at any depth") {
  story s;
  // All that is above the mark, as deep as it is.
  s.mine({s.transfer()});
  s.half_a_pass(6);
  s.chain().rewind(3);
  s.mine_empty(5);
  s.catch_up();
  CHECK(s.status().state == tide::chain_state::following);
  CHECK(s.compare() == "");
}

TEST_CASE("a lower head is an endpoint that lags, not a reorg") {
  story s;
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(3);
  s.catch_up();
  const auto ours = s.chain().canonical();
  s.chain().rewind(4);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.reorgs() == 0);
  SECTION("it comes back as it was") {
    s.chain().become(ours);
    s.mine();
    s.catch_up();
    CHECK(s.reorgs() == 0);
  }
  SECTION("it grows again with other blocks") {
    s.mine_empty(2); // nobody knows yet which of the two goes on
    s.catch_up();
    CHECK(s.reorgs() == 0);
    CHECK(s.life(t.hash, 0) == "pending confirmed");
    s.mine_empty(3);
    s.catch_up();
    CHECK(s.reorgs() == 1);
    CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
  }
  CHECK(s.compare() == "");
}

TEST_CASE("a forged hint yields nothing, a true one makes us look sooner") {
  story s;
  const auto t = s.transfer();
  const auto never = s.transfer();
  s.hint(never.hash, 0);
  s.catch_up();
  CHECK(s.life(never.hash, 0) == "");
  CHECK(s.hint_state(1) == "received");
  s.mine({t});
  s.hint(t.hash, 0);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending");
  CHECK(s.hint_state(2) == "verified");
  CHECK(s.last_fact(t.hash, 0)->first_seen == "webhook:relay");
}

TEST_CASE("a fork above the mark while the head runs far ahead does not stop the mark") {
  for (int left = 1; left <= 2; ++left) {
    story s;
    const auto t = s.transfer(), u = s.transfer();
    s.mine_empty(3);
    s.mine({t});
    s.mine();
    s.catch_up();
    REQUIRE(s.life(t.hash, 0) == "pending");
    s.chain().rewind(static_cast<std::uint64_t>(left));
    s.mine({u});
    s.mine_empty(70); // so many that the head pass begins anew near the head
    s.catch_up();
    s.catch_up();
    INFO(left << " blocks left");
    CHECK(s.status().state == tide::chain_state::following);
    CHECK(s.life(t.hash, 0) == (left == 2 ? "pending rolled_back" : "pending confirmed"));
    CHECK(s.compare() == "");
  }
}
