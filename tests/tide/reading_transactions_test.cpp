// SPDX-License-Identifier: MIT
#include "tests/tide/reading_world.hpp"

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

const evm::address20 wanted = *evm::parse_address("0x00000000000000000000000000000000000000aa");

/// The first transaction of each block goes to `wanted`, the other one does not.
std::string whole(const made_block& b, std::size_t i) {
  return R"({"hash":")" + evm::to_hex(b.header.transactions[i]) + R"(","from":"0x)" +
         std::string(38, '0') + R"(01","to":)" +
         quoted(i == 0 ? evm::to_hex(wanted) : "0x" + std::string(40, 'b')) +
         R"(,"value":"0x5","input":"0x","nonce":"0x1","transactionIndex":")" + evm::to_quantity(i) +
         R"("})";
}
std::string with_whole(const made_block& b) {
  auto text = to_json(b.header);
  text.resize(text.find(R"("transactions":)"));
  text += R"("transactions":[)";
  for (std::size_t i = 0; i < b.header.transactions.size(); ++i)
    text += (i > 0 ? "," : "") + whole(b, i);
  return text + "]}";
}

struct watched_endpoint : endpoint {
  std::shared_ptr<transaction_rules> rules = std::make_shared<transaction_rules>();
  watched_endpoint() {
    transaction_filter f;
    f.to = {wanted};
    rules->add(0, f);
    for (std::uint64_t n = 10; n < 20; ++n)
      of(call_block_by_number(n, true)) = with_whole(block_of(n, 2));
  }
  ask_blocks ask(std::uint64_t from, std::uint64_t to) const {
    auto a = blocks(from, to);
    a.transactions = rules;
    return a;
  }
  ask_range range_of(std::uint64_t from, std::uint64_t to) const {
    return {from, to, {{}, {evm::hash32{}}}, false, rules};
  }
};

} // namespace

TEST_CASE("reading transactions of blocks: whole blocks, and the receipts of what is wanted") {
  watched_endpoint e;
  for (const bool backwards : {false, true}) {
    e.backwards = backwards;
    e.heard.clear();
    const auto a = e.done<blocks_answer>(e.ask(11, 12));
    REQUIRE(a.blocks.size() == 2);
    for (const auto& b : a.blocks) {
      CHECK(b.watched);
      REQUIRE(b.transactions.size() == 1);
      CHECK(b.transactions[0].hash == b.header.transactions[0]);
      CHECK(b.transactions[0].success == true);
      CHECK(b.logs.size() == 2);
    }
    CHECK(e.count("eth_getTransactionReceipt") == 2);
    CHECK(e.count(",false]") == 0);
  }
}

TEST_CASE("reading transactions of blocks: where all receipts are read, none is asked for alone") {
  watched_endpoint e;
  e.logs(id_of(11)) = too_big;
  const auto a = e.done<blocks_answer>(e.ask(11, 11));
  CHECK(a.blocks[0].from_receipts);
  REQUIRE(a.blocks[0].transactions.size() == 1);
  CHECK(a.blocks[0].transactions[0].success == true);
  CHECK(e.count("eth_getTransactionReceipt") == 0);
}

TEST_CASE("reading transactions of a range") {
  watched_endpoint e;
  e.of(call_logs(11, 13, {{}, {evm::hash32{}}})) = "[]";
  const auto a = e.done<range_answer>(e.range_of(11, 13));
  CHECK(a.headers.size() == 3);
  REQUIRE(a.transactions.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(a.transactions[i].block == id_of(11 + i));
    CHECK(a.transactions[i].success == true);
  }
}

TEST_CASE("reading transactions: another block is canonical, nothing is told of its own") {
  watched_endpoint e;
  e.of(call_block_by_number(11, true)) = with_whole(block_of(11, 2, 'B'));
  const auto a = e.done<blocks_answer>(e.ask(11, 11));
  CHECK(a.blocks[0].header.id() == id_of(11, 'B'));
  CHECK(a.blocks[0].transactions.empty());
}

TEST_CASE("reading transactions: receipts that do not fit are no answer") {
  const auto first = tx_of(1'100);
  struct row {
    const char* name;
    std::string receipt, says;
  };
  const row rows[] = {
      {"none yet", "null", "it has no receipt of transaction "},
      {"of another block", receipt_json(block_of(11, 2, 'B'), 0), "is of block 11 "},
      {"of another transaction", receipt_json(block_of(11, 2), 1), "its receipt of transaction "},
      {"refused", "!too many requests", "too many requests"},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    watched_endpoint e;
    e.receipt(first) = r.receipt;
    CHECK(e.failed(e.ask(11, 11)).find(r.says) != std::string::npos);
  }
}

TEST_CASE("reading transactions: few whole blocks go together") {
  watched_endpoint e;
  CHECK(reading(e.ask(11, 12), {}).most_together() == 10);
  CHECK(reading(blocks(11, 12), {}).most_together() > 1'000);
}

TEST_CASE("reading transactions: a creation's address, by its receipt or by its sender") {
  watched_endpoint e;
  e.rules = std::make_shared<transaction_rules>();
  e.rules->add(0, {{}, {}, 0, outcome_wanted::any});
  const auto b = block_of(11, 1);
  e.set(b);
  auto text = with_whole(b);
  const auto to = R"("to":)" + quoted(evm::to_hex(wanted));
  text.replace(text.find(to), to.size(), R"("to":null)");
  e.of(call_block_by_number(11, true)) = text;
  evm::address20 sender;
  sender.octets[19] = 1;
  const auto created = [&] {
    return e.done<blocks_answer>(e.ask(11, 11)).blocks[0].transactions[0].created;
  };
  CHECK(created() == evm::created_address(sender, 1));
  auto& receipt = e.receipt(b.header.transactions[0]);
  receipt.insert(1, R"("contractAddress":")" + evm::to_hex(wanted) + R"(",)");
  CHECK(created() == wanted);
  receipt.replace(receipt.find(R"("0x1","logs")"), 5, R"("0x0")");
  CHECK_FALSE(created());
}
