// SPDX-License-Identifier: MIT
#include "tests/tide/reading_world.hpp"

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

TEST_CASE("reading blocks: the header by number, the logs by hash and without a filter") {
  endpoint e;
  const auto a = e.done<blocks_answer>(blocks(11, 15));
  REQUIRE(a.blocks.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(a.blocks[i].header.id() == id_of(11 + i));
    CHECK(a.blocks[i].logs == block_of(11 + i, 2).logs);
    CHECK_FALSE(a.blocks[i].from_receipts);
  }
  CHECK(e.stages == sizes{10});
  CHECK(e.count("address") + e.count("topics") + e.count("fromBlock") == 0);
}

TEST_CASE("reading blocks: where logs are too big or refused, receipts hold the same") {
  for (const auto& said : {too_big, no_method}) {
    CAPTURE(said);
    endpoint e;
    e.logs(id_of(12)) = e.logs(id_of(14)) = said;
    const auto a = e.done<blocks_answer>(blocks(11, 15));
    REQUIRE(a.blocks.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(a.blocks[i].header.id() == id_of(11 + i));
      CHECK(a.blocks[i].logs == block_of(11 + i, 2).logs);
      CHECK(a.blocks[i].from_receipts == (i == 1 || i == 3));
    }
    CHECK(e.stages == sizes{10, 2});
  }
}

TEST_CASE("reading blocks: receipts that are not the block's") {
  struct row {
    const char* name;
    std::string receipts;
    std::string says;
  };
  const auto b = block_of(12, 2);
  auto short_one = b;
  short_one.header.transactions.pop_back();
  const auto other = block_of(12, 2, 'B');
  const auto first = receipt_json(b, 0);
  auto stranger = b;
  stranger.header.transactions[1] = tx_of(7);
  for (auto& l : stranger.logs)
    l.tx = stranger.header.transactions[l.tx_index];
  const std::string block_12 = "block 12 " + evm::to_hex(b.header.hash);
  const row rows[] = {
      {"none", "null", "a passing failure: it has no receipts of " + block_12},
      {"too few", receipts_json(short_one),
       "a passing failure: it has 1 receipts for the 2 transactions of " + block_12},
      {"empty", "[]", "a passing failure: it has 0 receipts for the 2 transactions of " + block_12},
      {"one twice", "[" + first + "," + first + "]",
       "a passing failure: its receipts of " + block_12 + " are of other transactions"},
      {"of another transaction", receipts_json(stranger),
       "a passing failure: its receipts of " + block_12 + " are of other transactions"},
      {"a null in it", "[" + first + ",null]", "a passing failure: a receipt is no object"},
      {"of another fork", receipts_json(other),
       "a passing failure: a receipt of " + block_12 + " says 12 " +
           evm::to_hex(other.header.hash)},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    endpoint e;
    e.logs(id_of(12)) = too_big;
    e.receipts(id_of(12)) = r.receipts;
    CHECK(e.failed(blocks(11, 13)) == r.says);
  }
  endpoint e;
  e.logs(id_of(12)) = too_big;
  e.receipts(id_of(12)) = "[" + receipt_json(b, 1) + "," + first + "]"; // in any order
  CHECK(e.done<blocks_answer>(blocks(12, 12)).blocks[0].logs.size() == 2);
}

TEST_CASE("reading blocks: a height where another block is canonical is shown, not an error") {
  endpoint e;
  e.header(12) = to_json(block_of(12, 2, 'B').header);
  e.logs(id_of(12)) = "!unknown block";
  const auto a = e.done<blocks_answer>(blocks(11, 13));
  REQUIRE(a.blocks.size() == 3);
  CHECK(a.blocks[1].header.id() == id_of(12, 'B'));
  CHECK(a.blocks[1].logs.empty());
  CHECK(a.blocks[2].logs.size() == 2);
}

TEST_CASE("reading blocks: what else fails") {
  endpoint e;
  e.header(12) = "null";
  CHECK(e.failed(blocks(11, 13)) == "ahead of that endpoint: it has no block 12 (yet)");
  e = {};
  e.logs(id_of(12)) = "!unknown block";
  CHECK(e.failed(blocks(11, 13)) == "ahead of that endpoint: unknown block");
  e = {};
  e.logs(id_of(12)) = "null";
  CHECK(e.failed(blocks(11, 13)) == "a passing failure: its logs are no array");
  e = {};
  e.logs(id_of(12)) = "[{}]";
  CHECK(e.failed(blocks(11, 13)) == "a passing failure: a log has no address");
}

TEST_CASE("reading blocks: where receipts by hash are too big or refused, one after the other") {
  for (const auto& said : {too_big, no_method})
    for (const bool backwards : {false, true}) {
      CAPTURE(said, backwards);
      endpoint e;
      e.backwards = backwards;
      e.logs(id_of(12)) = e.receipts(id_of(12)) = said;
      const auto a = e.done<blocks_answer>(blocks(11, 13));
      CHECK(e.stages == sizes{6, 1, 2});
      CHECK(a.blocks[1].from_receipts);
      CHECK(a.blocks[1].logs == block_of(12, 2).logs);
      e.receipt(tx_of(1'201)) = "null";
      CHECK(e.failed(blocks(11, 13))
                .find("it has no receipt of transaction " + evm::to_hex(tx_of(1'201)) +
                      " of block 12 ") != std::string::npos);
      e.receipt(tx_of(1'201)) = receipt_json(block_of(12, 2), 0);
      CHECK(e.failed(blocks(11, 13)).find("are of other transactions") != std::string::npos);
    }
  endpoint e;
  e.set(block_of(12));
  e.logs(id_of(12)) = e.receipts(id_of(12)) = no_method;
  CHECK(e.done<blocks_answer>(blocks(12, 12)).blocks[0].logs.empty()); // no transactions at all
}

TEST_CASE("reading blocks: a receipt more, of a transaction that is not listed") {
  endpoint e;
  auto b = block_of(12, 3);
  const auto all = receipts_json(b);
  b.header.transactions.pop_back();
  e.header(12) = to_json(b.header);
  e.logs(id_of(12)) = too_big;
  e.receipts(id_of(12)) = all;
  CHECK(e.done<blocks_answer>(blocks(12, 12)).blocks[0].logs.size() == 3); // the asker judges it
}

TEST_CASE("reading blocks: in whatever order the answers come") {
  endpoint e;
  e.backwards = true;
  e.logs(id_of(13)) = too_big;
  e.header(14) = to_json(block_of(14, 2, 'B').header);
  e.logs(id_of(14)) = "!unknown block";
  const auto a = e.done<blocks_answer>(blocks(11, 15));
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(a.blocks[i].header.id() == id_of(11 + i, i == 3 ? 'B' : 'A'));
    CHECK(a.blocks[i].logs.size() == (i == 3 ? 0 : 2));
  }
}
