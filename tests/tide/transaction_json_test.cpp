// SPDX-License-Identifier: MIT
#include "tide/transaction_json.hpp"

#include "evm/hex.hpp"
#include "tests/tide/transaction_vectors.hpp"
#include "tide/rpc_json.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <functional>

using namespace tidemark;
using namespace tidemark::tide;
namespace json = boost::json;

namespace {

json::array all_vectors() {
  json::array all;
  for (const auto* text : transaction_vectors)
    all.push_back(json::parse(text));
  return all;
}

json::value block_with(json::array transactions) {
  return {{"number", "0x64"},
          {"hash", "0x" + std::string(64, '1')},
          {"parentHash", "0x" + std::string(64, '2')},
          {"timestamp", "0x1"},
          {"logsBloom", "0x" + std::string(512, '0')},
          {"transactions", std::move(transactions)}};
}

struct sealed {
  evm::header header;
  std::string error;
};
sealed seal_of(json::array transactions) {
  const auto block = block_with(std::move(transactions));
  sealed out{header_from(block).value(), {}};
  if (const auto done = seal_transactions(out.header, block); !done) out.error = done.error().text;
  return out;
}

transaction_rules rules_of(transaction_filter f = {}) {
  transaction_rules r;
  r.add(0, f);
  return r;
}

} // namespace

TEST_CASE("transactions root: types 0 to 4, as others compute it") {
  const auto s = seal_of(all_vectors());
  CHECK(s.error.empty());
  REQUIRE(s.header.made_transactions_root);
  CHECK(evm::to_hex(*s.header.made_transactions_root) == transaction_vectors_root);
  CHECK(s.header.unproved_transactions.empty());
  CHECK(s.header.transaction_types == std::vector<std::uint64_t>{0, 0, 0, 1, 2, 2, 3, 4});
  // keccak256 of the empty item: what an empty block has.
  CHECK(evm::to_hex(*seal_of({}).header.made_transactions_root) ==
        "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
}

TEST_CASE("transactions root: a field that is not the transaction's") {
  const auto all = all_vectors();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const char* field : {"nonce", "gas", "value", "r", "s", "v", "maxFeePerGas", "gasPrice",
                              "chainId", "maxFeePerBlobGas", "yParity"}) {
      const auto& one = all[i].as_object();
      const auto type = one.at("type").as_string();
      const bool typed = type != "0x0", priced = typed && type != "0x1";
      if (!one.contains(field) || (typed && std::string_view(field) == "v") ||
          (priced && std::string_view(field) == "gasPrice"))
        continue; // told twice, or not told
      CAPTURE(i, field);
      auto spoiled = all;
      spoiled[i].as_object()[field] = "0x7777";
      CHECK(seal_of(spoiled).error == "transaction " + std::to_string(i) +
                                          " of block 100 has fields that do not make its hash " +
                                          std::string(one.at("hash").as_string()));
    }
}

TEST_CASE("transactions root: what cannot be proved, and what cannot be read") {
  struct row {
    const char* name;
    std::function<void(json::array&)> spoil;
    std::string error, unproved;
  };
  const row rows[] = {
      {"hashes alone", [](json::array& a) { a[1] = a[1].at("hash"); }, "",
       "the endpoint says their hashes alone"},
      {"a type of another chain", [](json::array& a) { a[1].as_object()["type"] = "0x6a"; }, "",
       "types that this version cannot encode: 0x6a"},
      {"no value", [](json::array& a) { a[2].as_object().erase("value"); },
       "transaction 2 of block 100 has no value", ""},
      {"a wrong access", [](json::array& a) { a[3].as_object()["accessList"].as_array()[0] = 5; },
       "transaction 3 of block 100 has a wrong accessList", ""},
      {"a wrong authorization",
       [](json::array& a) {
         a[7].at("authorizationList").as_array()[0].as_object().erase("address");
       },
       "transaction 7 of block 100 has a wrong authorizationList", ""},
      {"another place", [](json::array& a) { std::swap(a[0], a[1]); },
       "transaction 0 of block 100 has a wrong transactionIndex", ""},
      {"no JSON object", [](json::array& a) { a[0].as_object()["type"] = 7; },
       "transaction 0 of block 100 has no type", ""},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    auto all = all_vectors();
    r.spoil(all);
    const auto s = seal_of(all);
    CHECK(s.error == r.error);
    CHECK(s.header.unproved_transactions == r.unproved);
    CHECK_FALSE(s.header.made_transactions_root);
  }
}

TEST_CASE("whole transactions: those that may be wanted, with what they say") {
  const auto block = block_with(all_vectors());
  const auto h = header_from(block).value();
  REQUIRE(h.transactions.size() == transaction_vectors.size());
  const auto all = transactions_from(block, h, rules_of());
  REQUIRE(all.has_value());
  REQUIRE(all->size() == transaction_vectors.size());
  const auto& t = (*all)[2];
  CHECK(t.hash == h.transactions[2]);
  CHECK(t.block == h.id());
  CHECK(t.index == 2);
  CHECK(evm::to_hex(t.from) == transaction_vectors_sender);
  CHECK(t.to == evm::parse_address("0x3535353535353535353535353535353535353535"));
  CHECK(t.value == evm::integer(1) << 255);
  CHECK(t.input.size() == 100);
  CHECK(t.nonce == 300);
  CHECK_FALSE(t.success);
  CHECK_FALSE((*all)[1].to);

  transaction_filter rich;
  rich.min_value = evm::integer(1'000'000'000'000'000'000);
  const auto some = transactions_from(block, h, rules_of(rich));
  REQUIRE(some.has_value());
  REQUIRE(some->size() == 2);
  CHECK((*some)[0].index == 0);
  CHECK((*some)[1].index == 2);
}

TEST_CASE("whole transactions: hashes alone, and another block's, are no answer") {
  auto all = all_vectors();
  all[3] = all[3].at("hash");
  auto block = block_with(all);
  CHECK(transactions_from(block, header_from(block).value(), rules_of()).error().text ==
        "transaction 3 of block 100 is a hash alone, where it was asked for as a whole");
  all = all_vectors();
  all[3].as_object()["blockHash"] = "0x" + std::string(64, '7');
  block = block_with(all);
  CHECK(transactions_from(block, header_from(block).value(), rules_of()).error().text ==
        "transaction 3 of block 100 has a wrong blockHash");
}
