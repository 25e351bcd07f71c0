// SPDX-License-Identifier: MIT
#include "tide/rpc_json.hpp"

#include "tests/tide/chain_files.hpp"
#include "tests/tide/rpc_world.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;
namespace json = boost::json;

namespace {

/// The object with one member replaced; absent: left out.
json::value with(const std::string& text, const char* name, const char* value) {
  json::value v = json::parse(text);
  if (value)
    v.as_object()[name] = json::parse(value);
  else
    v.as_object().erase(name);
  return v;
}

template <class R> std::string trouble(const R& r) { return r ? "none" : r.error().text; }

const made_block block = block_of(18, 2);
const std::string header_text = to_json(block.header);
const std::string log_text = to_json(block.logs[1]);
const std::string receipt_text = receipt_json(block, 1);

struct bad {
  const char* name;
  const char* value; ///< null: the member is left out
};

std::string text(const json::value& v, const char* name) {
  return std::string(v.at(name).as_string());
}

} // namespace

TEST_CASE("rpc json: what is written is read") {
  const auto h = header_from(json::parse(header_text)).value();
  CHECK(h.id() == block.header.id());
  CHECK(h.parent == block.header.parent);
  CHECK(h.time == block.header.time);
  CHECK(h.logs_bloom == block.header.logs_bloom);
  CHECK(h.transactions == block.header.transactions);
  CHECK(h.receipts_root.is_zero());
  CHECK(log_from(json::parse(log_text)).value() == block.logs[1]);
  const auto r = receipt_from(json::parse(receipt_text)).value();
  CHECK(r.tx == block.header.transactions[1]);
  CHECK(r.block == block.header.id());
  CHECK(r.tx_index == 1);
  CHECK(r.success == true);
  CHECK(r.logs == std::vector{block.logs[1]});
}

TEST_CASE("rpc json: a header's wrong fields are named") {
  const bad rows[] = {
      {"number", nullptr},
      {"number", "18"},
      {"number", "null"},
      {"number", R"("18")"},
      {"number", R"("0x")"},
      {"number", R"("0x8000000000000000")"},
      {"number", R"("0x10000000000000000")"},
      {"number", R"("0x-1")"},
      {"hash", nullptr},
      {"hash", "null"},
      {"hash", R"("0x12")"},
      {"hash", "{}"},
      {"parentHash", nullptr},
      {"parentHash", R"("")"},
      {"timestamp", nullptr},
      {"timestamp", "1.5"},
      {"timestamp", R"("0xffffffffffffffff")"},
      {"logsBloom", nullptr},
      {"logsBloom", "null"},
      {"logsBloom", R"("0x00")"},
      {"transactions", R"(["0x12"])"},
      {"transactions", "[{}]"},
      {"transactions", "[null]"},
  };
  for (const auto& b : rows) {
    CAPTURE(b.name, b.value);
    const auto said = trouble(header_from(with(header_text, b.name, b.value)));
    CHECK(said.find("the block header") == 0);
    CHECK(said.find(b.name) != std::string::npos);
  }
  CHECK(header_from(with(header_text, "number", R"("0x7fffffffffffffff")")).has_value());
  CHECK(header_from(with(header_text, "transactions", nullptr)).value().transactions.empty());
  const auto root = hash_of(7, 'r');
  CHECK(header_from(with(header_text, "receiptsRoot", quoted(evm::to_hex(root)).c_str()))
            .value()
            .receipts_root == root);
  for (const char* v : {R"("0x12")", "null", "5"})
    CHECK(header_from(with(header_text, "receiptsRoot", v)).value().receipts_root.is_zero());
  for (const char* v : {"null", "[]", "5", R"("0x")"})
    CHECK(trouble(header_from(json::parse(v))) == "the block header is no object");
}

TEST_CASE("rpc json: a log's wrong fields are named") {
  const bad rows[] = {
      {"address", nullptr},
      {"address", R"("0x12")"},
      {"address", "null"},
      {"data", nullptr},
      {"data", R"("0x1")"},
      {"data", R"("zz")"},
      {"blockNumber", nullptr},
      {"blockNumber", R"("0x8000000000000000")"},
      {"blockHash", nullptr},
      {"blockHash", R"("0x")"},
      {"transactionHash", nullptr},
      {"transactionHash", "null"},
      {"transactionIndex", nullptr},
      {"transactionIndex", "null"},
      {"transactionIndex", R"("0x100000000")"},
      {"logIndex", nullptr},
      {"logIndex", "null"},
      {"logIndex", R"("0x80000000")"},
      {"logIndex", R"("0x100000001")"},
      {"topics", nullptr},
      {"topics", "null"},
      {"topics", "{}"},
      {"topics", R"(["0x12"])"},
      {"topics", "[null]"},
  };
  for (const auto& b : rows) {
    CAPTURE(b.name, b.value);
    const auto said = trouble(log_from(with(log_text, b.name, b.value)));
    CHECK(said.find("a log") == 0);
    CHECK(said.find(b.name) != std::string::npos);
  }
  const auto topic = quoted(evm::to_hex(hash_of(1, 'x')));
  const auto five = "[" + topic + "," + topic + "," + topic + "," + topic + "," + topic + "]";
  const auto four = "[" + topic + "," + topic + "," + topic + "," + topic + "]";
  CHECK(trouble(log_from(with(log_text, "topics", five.c_str()))) == "a log has a wrong topics");
  CHECK(log_from(with(log_text, "topics", four.c_str())).value().topics.size() == 4);
  CHECK(log_from(with(log_text, "topics", "[]")).value().topics.empty());
  CHECK(log_from(with(log_text, "data", R"("")")).value().data.empty());
  CHECK(log_from(with(log_text, "removed", nullptr)).has_value());
  CHECK(trouble(log_from(json::parse("null"))) == "a log is no object");
}

TEST_CASE("rpc json: a log of a pending block, and a removed one, are refused") {
  CHECK(trouble(log_from(with(log_text, "blockHash", "null"))) == "a log has no blockHash");
  CHECK(trouble(log_from(with(log_text, "blockNumber", "null"))) == "a log has no blockNumber");
  CHECK(trouble(log_from(with(log_text, "removed", "true"))) ==
        "a log of block 18 is marked as removed");
}

TEST_CASE("rpc json: a receipt's wrong fields are named") {
  const bad rows[] = {
      {"transactionHash", nullptr},
      {"transactionHash", "5"},
      {"blockHash", "null"},
      {"blockNumber", "null"},
      {"blockNumber", R"("0xffffffffffffffff")"},
      {"transactionIndex", nullptr},
      {"status", R"("0x2")"},
      {"status", R"("failed")"},
      {"status", "1"},
      {"logs", nullptr},
      {"logs", "null"},
      {"logs", "{}"},
  };
  for (const auto& b : rows) {
    CAPTURE(b.name, b.value);
    const auto said = trouble(receipt_from(with(receipt_text, b.name, b.value)));
    CHECK(said.find("a receipt") == 0);
    CHECK(said.find(b.name) != std::string::npos);
  }
  CHECK(trouble(receipt_from(with(receipt_text, "logs", "[5]"))) == "a log is no object");
  CHECK(trouble(receipt_from(json::parse("[]"))) == "a receipt is no object");
}

TEST_CASE("rpc json: a receipt's logs are its own") {
  for (const bad& b :
       {bad{"blockHash", nullptr}, bad{"blockNumber", nullptr}, bad{"transactionHash", nullptr}}) {
    CAPTURE(b.name);
    const auto other =
        quoted(b.name == std::string("blockNumber") ? "0x99" : evm::to_hex(hash_of(7, 'o')));
    CHECK(trouble(receipt_from(with(receipt_text, b.name, other.c_str()))) ==
          "a receipt's log names another block or transaction");
  }
}

TEST_CASE("rpc json: a receipt's status") {
  const auto status = [](const char* v) {
    return receipt_from(with(receipt_text, "status", v)).value().success;
  };
  CHECK(status(R"("0x1")") == true);
  CHECK(status(R"("0x01")") == true);
  CHECK(status(R"("0x0")") == false);
  CHECK(status(nullptr) == std::nullopt);
  CHECK(status("null") == std::nullopt);
  // The fee of a failed transaction is logged on some chains.
  CHECK(receipt_from(with(receipt_text, "status", R"("0x0")")).value().logs.size() == 1);
}

TEST_CASE("rpc json: headers of public chains") {
  for (const auto& [name, v] : chain_files("-header.json")) {
    CAPTURE(name);
    const auto h = header_from(v);
    REQUIRE(trouble(h) == "none");
    CHECK(evm::to_hex(h->hash) == text(v, "hash"));
    CHECK(evm::to_hex(h->parent) == text(v, "parentHash"));
    CHECK(evm::to_hex(h->receipts_root) == text(v, "receiptsRoot"));
    CHECK_FALSE(h->sealed);
    CHECK(h->number == evm::parse_quantity(text(v, "number")));
    CHECK(h->time == evm::parse_quantity(text(v, "timestamp")));
    CHECK(h->transactions.size() == v.at("transactions").as_array().size());
  }
}

TEST_CASE("rpc json: logs of public chains") {
  std::size_t count = 0;
  for (const auto& [name, v] : chain_files("-logs-")) {
    CAPTURE(name);
    for (const auto& answer : v.is_array() ? v.get_array() : json::array{v})
      for (const auto& one : answer.at("logs").as_array()) {
        const auto l = log_from(one);
        REQUIRE(trouble(l) == "none");
        CHECK(json::serialize(json::parse(to_json(*l)).at("topics")) ==
              json::serialize(one.at("topics")));
        CHECK(evm::to_hex(l->data) == text(one, "data"));
        ++count;
      }
  }
  if (std::filesystem::exists(chain_folder)) CHECK(count > 20);
}

TEST_CASE("rpc json: receipts of public chains") {
  for (const auto& [name, v] : chain_files("-receipt-statesync.json"))
    CHECK(trouble(receipt_from(v)) == "none");
  for (const auto& [name, v] : chain_files("-receipts.json")) {
    CAPTURE(name);
    std::size_t logs = 0, last = 0;
    for (const auto& one : v.as_array()) {
      const auto r = receipt_from(one);
      REQUIRE(trouble(r) == "none");
      CHECK(r->success.has_value() == one.as_object().contains("status"));
      for (const auto& l : r->logs) {
        CHECK((logs == 0 || l.log_index == last + 1));
        last = l.log_index;
        ++logs;
      }
    }
  }
}

TEST_CASE("rpc json: calls") {
  evm::address20 a, b;
  a.octets[19] = 1;
  b.octets[19] = 2;
  const auto hash = hash_of(7, 'A');
  CHECK(call_block_by_number(0).params == R"(["0x0",false])");
  CHECK(call_block_by_number(18'000'000).params == R"(["0x112a880",false])");
  CHECK(call_block_by_tag("finalized").params == R"(["finalized",false])");
  CHECK(call_logs_of_block(hash).params == R"([{"blockHash":")" + evm::to_hex(hash) + R"("}])");
  CHECK(call_receipts_of_block(hash).params == "[\"" + evm::to_hex(hash) + "\"]");
  CHECK(call_receipt(hash).method == "eth_getTransactionReceipt");

  // An empty list would mean all or nothing, as the endpoint likes.
  CHECK(call_logs(1, 16, {}).params == R"([{"fromBlock":"0x1","toBlock":"0x10"}])");
  CHECK(call_logs(1, 2, {{a}, {}}).params.find("topics") == std::string::npos);
  CHECK(call_logs(1, 2, {{}, {hash}}).params.find("address") == std::string::npos);
  CHECK(call_logs(1, 2, {{a, b}, {hash}}).params ==
        R"([{"fromBlock":"0x1","toBlock":"0x2","address":[")" + evm::to_hex(a) + R"(",")" +
            evm::to_hex(b) + R"("],"topics":[[")" + evm::to_hex(hash) + R"("]]}])");
  interest::filter narrow;
  narrow.topics[1] = {hash};
  CHECK(call_logs(1, 2, narrow).params ==
        R"([{"fromBlock":"0x1","toBlock":"0x2","topics":[null,null,[")" + evm::to_hex(hash) +
            R"("]]}])");
  for (const auto& call :
       {call_logs(0, 0, {}), call_logs(5, 9, {{a}, {hash}}), call_logs_of_block(hash)})
    for (const char* tag : {"latest", "pending", "safe", "finalized", "earliest"})
      CHECK(call.params.find(tag) == std::string::npos);

  std::string out;
  append_request(out, 18446744073709551615u, call_logs(1, 2, {{a, b}, {hash}}));
  const auto read = json::parse(out);
  CHECK(read.at("method") == "eth_getLogs");
  CHECK(read.at("params").as_array().size() == 1);
}
