// SPDX-License-Identifier: MIT
#include "evm/keccak.hpp"
#include "evm/seal.hpp"
#include "tests/tide/chain_files.hpp"
#include "tests/tide/rpc_world.hpp"
#include "tide/rpc_json.hpp"
#include "tide/seal_json.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <functional>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;
namespace json = boost::json;

namespace {

template <class R> std::string trouble(const R& r) { return r ? "none" : r.error().text; }

std::string text(const json::value& v, const char* name) {
  return std::string(v.at(name).as_string());
}
evm::block_id block_in(const json::array& receipts) {
  const auto& v = receipts.at(0);
  return {evm::parse_quantity(text(v, "blockNumber")).value(),
          evm::parse_hash(text(v, "blockHash")).value()};
}

/// Another value of the same length.
void change(json::value& v) {
  auto& s = v.as_string();
  s.back() = s.back() == '1' ? '2' : '1';
}

/// The receipts of a block with all that its root needs.
json::array full_receipts(const made_block& b) {
  auto list = json::parse(receipts_json(b)).as_array();
  std::uint64_t gas = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto& r = list[i].as_object();
    std::vector<evm::log> logs;
    for (const auto& l : b.logs)
      if (l.tx == b.header.transactions[i]) logs.push_back(l);
    r["logsBloom"] = evm::to_hex(bloom_of(logs).bits);
    r["cumulativeGasUsed"] = evm::to_quantity(gas += 21'000);
    r["type"] = "0x2";
  }
  return list;
}

const made_block made = block_of(18, 3);

/// What receipts_root_from says of the block once `alter` was at its receipts.
std::string after(const std::function<void(json::array&)>& alter) {
  auto list = full_receipts(made);
  alter(list);
  return trouble(receipts_root_from(list, made.header.id()));
}

} // namespace

TEST_CASE("receipts: receipts of public chains make their root") {
  if (no_chain_files()) return;
  const struct {
    const char* block;
    const char* root;
  } rows[] = {
      {"mainnet-4306306", "0xfe2b1e2b5188454931ea1146b47bc18b0b11831ee2d2126143565a496e176849"},
      {"mainnet-18100000", "0x6dd032f81474c95722fd188fea3c0870289d92d5e6c377cd4725ce76028ff10a"},
      {"mainnet-18100010", "0xbf0bde6cf954872669db64af51917ef0fd7ff02a459bf90aed243fea5eaa535f"},
      {"mainnet-20000010", "0xc281b9059d1b92e4ab990286aca118a80c371ad9bb75718a28e7c77b71eb6133"},
      {"arb-sepolia-185232421",
       "0xf2109509af400ef1627626dd58c92626c176ae986c75d8e999769d8c2e6b45ab"},
      {"mainnet-18000000", nullptr}, // its header's
  };
  for (const auto& row : rows) {
    CAPTURE(row.block);
    auto list = chain_file(row.block + std::string("-receipts.json")).as_array();
    const auto root = receipts_root_from(list, block_in(list));
    REQUIRE(trouble(root) == "none");
    CHECK(unknown_receipt_types(list).empty());
    CHECK(evm::to_hex(*root) ==
          (row.root ? row.root
                    : text(chain_file(row.block + std::string("-header.json")), "receiptsRoot")));
    std::reverse(list.begin(), list.end());
    CHECK(receipts_root_from(list, block_in(list)).value() == *root);
  }
}

TEST_CASE("receipts: every part of a real receipt counts") {
  if (no_chain_files()) return;
  for (const char* name : {"mainnet-4306306", "mainnet-20000010", "arb-sepolia-185232421"}) {
    const auto real = chain_file(name + std::string("-receipts.json")).as_array();
    const auto block = block_in(real);
    const auto root = receipts_root_from(real, block).value();
    const auto differs = [&](const json::array& list) {
      const auto made_of = receipts_root_from(list, block);
      return !made_of || *made_of != root;
    };
    // Of a full block some will do: each costs the whole root.
    for (std::size_t i = 0; i < real.size(); i += 1 + real.size() / 12) {
      for (const char* field : {"status", "root", "type", "cumulativeGasUsed", "logsBloom"}) {
        CAPTURE(name, i, field);
        if (!real[i].as_object().contains(field)) continue;
        auto list = real;
        auto& said = list[i].as_object()[field];
        if (field == std::string("status"))
          said = said == "0x1" ? "0x0" : "0x1";
        else
          change(said);
        CHECK(differs(list));
      }
      const auto logs = real[i].at("logs").as_array().size();
      for (std::size_t l = 0; l < logs; ++l) {
        CAPTURE(name, i, l);
        const auto altered = [&](const std::function<void(json::object&)>& alter) {
          auto list = real;
          alter(list[i].as_object()["logs"].as_array()[l].as_object());
          return differs(list);
        };
        CHECK(altered([](json::object& o) { change(o["address"]); }));
        CHECK(altered([](json::object& o) {
          o["topics"].as_array().push_back(
              o["topics"].as_array().empty() ? json::value("0x00") : o["topics"].as_array()[0]);
        }));
        CHECK(altered([](json::object& o) { o["data"] = text(o, "data") + "00"; }));
        CHECK(altered([](json::object& o) { change(o["logIndex"]); }));
        auto list = real;
        auto& of = list[i].as_object()["logs"].as_array();
        of.erase(of.begin() + static_cast<std::ptrdiff_t>(l));
        CHECK(differs(list));
      }
    }
  }
}

TEST_CASE("receipts: receipts that contradict themselves are refused") {
  CHECK(after([](json::array&) {}) == "none");
  const struct {
    const char* name;
    const char* value;
    const char* said;
  } rows[] = {
      {"blockHash", "null", "a receipt has no blockHash"},
      {"logsBloom", R"("0x00")", "the receipt of transaction 1 has a wrong logsBloom"},
      {"logsBloom", "null", "the receipt of transaction 1 has no logsBloom"},
      {"cumulativeGasUsed", "null", "the receipt of transaction 1 has no cumulativeGasUsed"},
      {"cumulativeGasUsed", R"("0x5207")",
       "the receipt of transaction 1 has a cumulativeGasUsed below the one before it"},
      {"status", "null", "the receipt of transaction 1 has a wrong status"},
      {"type", R"("0x100")", "the receipt of transaction 1 has a wrong type"},
      {"depositNonce", R"("x")", "the receipt of transaction 1 has a wrong depositNonce"},
      {"transactionIndex", R"("0x0")",
       "there are 3 receipts, and their transactionIndex is not 0 and up"},
      {"transactionIndex", R"("0x5")",
       "there are 3 receipts, and their transactionIndex is not 0 and up"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name, row.value);
    CHECK(after([&](json::array& list) {
            list[1].as_object()[row.name] = json::parse(row.value);
          }) == row.said);
  }
  CHECK(after([](json::array& list) { list.erase(list.begin()); }) ==
        "there are 2 receipts, and their transactionIndex is not 0 and up");
  CHECK(after([](json::array& list) { list[0] = nullptr; }) == "a receipt is no object");
  CHECK(after([](json::array& list) {
          list[2].as_object()["logsBloom"] = evm::to_hex(evm::bloom{}.bits);
        }) == "the receipt of transaction 2 has a logsBloom that its logs do not make");
  CHECK(trouble(receipts_root_from(full_receipts(made), id_of(18, 'B'))) ==
        "a receipt is of another block");
}

TEST_CASE("receipts: logs count through the block or through their transaction") {
  const auto index = [](json::array& list, std::size_t receipt, const char* is) {
    list[receipt].as_object()["logs"].as_array()[0].as_object()["logIndex"] = is;
  };
  const std::string refused = "the receipts' logs have a logIndex out of their order";
  CHECK(after([&](json::array& list) {
          for (std::size_t i = 0; i < 3; ++i)
            index(list, i, "0x0");
        }) == "none");
  CHECK(after([&](json::array& list) { index(list, 2, "0x3"); }) == refused);
  CHECK(after([&](json::array& list) { // exchanged, so that the block has 0, 1, 2 still
          index(list, 1, "0x2");
          index(list, 2, "0x1");
        }) == refused);
}

TEST_CASE("receipts: receipts' types") {
  const auto types = [](const char* type) {
    auto list = full_receipts(made);
    list[1].as_object()["type"] = type;
    list[2].as_object()["type"] = type;
    return unknown_receipt_types(list);
  };
  for (const char* type : {"0x0", "0x1", "0x2", "0x3", "0x4", "0x64", "0x6a", "0x7e"})
    CHECK(types(type).empty());
  for (const char* type : {"0x5", "0x6b", "0x7b", "0x7f", "0xff"})
    CHECK(types(type) == type);
  auto list = full_receipts(made);
  const auto root = receipts_root_from(list, made.header.id()).value();
  for (auto& r : list)
    r.as_object()["type"] = "0x0";
  const auto legacy = receipts_root_from(list, made.header.id()).value();
  CHECK(legacy != root);
  for (auto& r : list)
    r.as_object().erase("type");
  CHECK(receipts_root_from(list, made.header.id()).value() == legacy);
  CHECK(unknown_receipt_types(list).empty());
}

TEST_CASE("receipts: Polygon's pseudo receipt is in no root") {
  const auto id = made.header.id();
  auto list = full_receipts(made);
  const auto root = receipts_root_from(list, id).value();
  evm::bytes key;
  for (const char c : std::string_view("matic-bor-receipt-"))
    key.push_back(static_cast<std::uint8_t>(c));
  for (int i = 7; i >= 0; --i)
    key.push_back(static_cast<std::uint8_t>(id.number >> (8 * i)));
  key.insert(key.end(), id.hash.octets.begin(), id.hash.octets.end());
  auto pseudo = list[2].as_object();
  pseudo["transactionHash"] = evm::to_hex(evm::keccak256(key));
  pseudo["transactionIndex"] = "0x3";
  pseudo["cumulativeGasUsed"] = "0x0";
  auto& log = pseudo["logs"].as_array()[0].as_object();
  log["transactionHash"] = pseudo["transactionHash"];
  log["logIndex"] = "0x3";
  list.insert(list.begin(), pseudo);
  CHECK(receipts_root_from(list, id).value() == root);
  pseudo["transactionHash"] = log["transactionHash"] = evm::to_hex(id.hash);
  list[0] = pseudo;
  CHECK(trouble(receipts_root_from(list, id)) != "none");

  for (const auto& [name, v] : chain_files("-receipt-statesync.json")) {
    const auto r = receipt_from(v).value();
    CHECK(evm::is_state_sync(r.tx, r.block));
    CHECK(receipts_root_from(json::array{v}, r.block).value() == evm::receipts_root({}));
  }
  std::size_t logs = 0;
  for (const auto& [name, v] : chain_files("polygon-pos-logs"))
    for (const auto& answer : v.as_array())
      for (const auto& one : answer.at("logs").as_array()) {
        const auto l = log_from(one).value();
        CHECK(evm::is_state_sync(l.tx, l.block));
        ++logs;
      }
  if (std::filesystem::exists(chain_folder)) CHECK(logs > 0);
}
