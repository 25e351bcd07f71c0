// SPDX-License-Identifier: MIT
#include "tests/tide/reading_world.hpp"

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

TEST_CASE("reading blocks: the header by number, the logs by hash and without a filter") {
  endpoint e;
  const auto a = e.done<blocks_answer>(blocks(11, 15), {4, 2'000});
  REQUIRE(a.blocks.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(a.blocks[i].header.id() == id_of(11 + i));
    CHECK(a.blocks[i].logs == block_of(11 + i, 2).logs);
    CHECK_FALSE(a.blocks[i].from_receipts);
  }
  CHECK(e.stages == sizes{4, 4, 2});
  CHECK(e.count("address") + e.count("topics") + e.count("fromBlock") == 0);
  endpoint one;
  CHECK(one.done<blocks_answer>(blocks(11, 12), {1, 2'000}).blocks.size() == 2);
  CHECK(one.stages == sizes{2, 2}); // never less than one block
}

TEST_CASE("reading blocks: where logs are too big or refused, receipts hold the same") {
  for (const auto& said : {too_big, no_method}) {
    CAPTURE(said);
    endpoint e;
    e.logs(id_of(12)) = e.logs(id_of(14)) = said;
    const auto a = e.done<blocks_answer>(blocks(11, 15), {6, 2'000});
    REQUIRE(a.blocks.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(a.blocks[i].header.id() == id_of(11 + i));
      CHECK(a.blocks[i].logs == block_of(11 + i, 2).logs);
      CHECK(a.blocks[i].from_receipts == (i == 1 || i == 3));
    }
    CHECK(e.stages == sizes{6, 1, 4, 1});
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
      {"too big as well", too_big, "too big: query returned more than 10000 results"},
      {"no method", no_method,
       "a method it does not have: the method does not exist/is not available"},
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
