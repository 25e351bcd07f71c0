// SPDX-License-Identifier: MIT
#include "tide/seal_json.hpp"

#include "tests/tide/chain_files.hpp"
#include "tests/tide/rpc_world.hpp"
#include "tide/rpc_json.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;
namespace json = boost::json;

namespace {

template <class R> std::string trouble(const R& r) { return r ? "none" : r.error().text; }

/// Another value of the same length.
void change(json::value& v) {
  auto& s = v.as_string();
  s.back() = s.back() == '1' ? '2' : '1';
}

/// A header with all that a header has, so that it can be sealed.
json::object full_header(const made_block& b) {
  auto v = json::parse(to_json(b.header)).as_object();
  const auto zero = evm::to_hex(evm::hash32{});
  for (const char* name :
       {"sha3Uncles", "stateRoot", "transactionsRoot", "receiptsRoot", "mixHash"})
    v[name] = zero;
  v["miner"] = evm::to_hex(evm::address20{});
  v["nonce"] = "0x0000000000000000";
  v["difficulty"] = "0x0";
  v["gasUsed"] = "0x0";
  v["gasLimit"] = "0x1c9c380";
  v["extraData"] = "0x";
  return v;
}

std::string sealing(json::object v) { return trouble(header_from(std::move(v), true)); }

const made_block made = block_of(18, 3);

} // namespace

TEST_CASE("seal json: headers of public chains hash to their hash") {
  std::size_t sealed = 0, unknown = 0;
  for (const auto& [name, v] : chain_files("-header.json")) {
    CAPTURE(name);
    const auto h = header_from(v, true);
    REQUIRE(trouble(h) == "none");
    REQUIRE(h->sealed);
    const bool aura = v.as_object().contains("auraSeal");
    CHECK(h->unknown_fields == (aura ? "auraSeal,auraStep" : ""));
    CHECK((*h->sealed == h->hash) == !aura);
    ++(aura ? unknown : sealed);
  }
  if (!std::filesystem::exists(chain_folder)) return;
  CHECK(sealed >= 16);
  CHECK(unknown == 3);
}

TEST_CASE("seal json: every field of a real header counts") {
  const char* told_beside[] = {"hash",          "size",      "transactions", "uncles",
                               "l1BlockNumber", "sendCount", "sendRoot"};
  std::size_t changed = 0;
  for (const auto& [name, v] : chain_files("-header.json")) {
    if (v.as_object().contains("auraSeal")) continue;
    for (const auto& member : v.as_object()) {
      const std::string field(member.key());
      CAPTURE(name, field);
      auto other = v;
      const bool beside =
          std::find(std::begin(told_beside), std::end(told_beside), field) != std::end(told_beside);
      if (beside) {
        if (field == "hash") continue;
        other.as_object().erase(field);
        CHECK(header_from(other, true)->sealed == header_from(v, true)->hash);
        continue;
      }
      change(other.as_object()[field]);
      const auto h = header_from(other, true);
      REQUIRE(trouble(h) == "none");
      CHECK(h->sealed != h->hash);
      // Left out, it is missed: a later fork's by another hash, the others by name. (A zero before
      // another is written as one left out.)
      ++changed;
      if (v.at(field) == "0x0" && field.find("lobGas") != std::string::npos) continue;
      other.as_object().erase(field);
      const auto without = header_from(other, true);
      CHECK((without ? without->sealed != without->hash
                     : trouble(without) == "the block header has no " + field));
    }
  }
  if (std::filesystem::exists(chain_folder)) CHECK(changed > 200);
}

TEST_CASE("seal json: a header's wrong fields are named") {
  const auto header = full_header(made);
  REQUIRE(sealing(header) == "none");
  const struct {
    const char* name;
    const char* value;
  } rows[] = {
      {"sha3Uncles", "0x"},
      {"miner", "0x00"},
      {"stateRoot", "0x12"},
      {"transactionsRoot", ""},
      {"receiptsRoot", "0x12"},
      {"mixHash", "0xzz"},
      {"nonce", "0x0"},
      {"difficulty", "0x"},
      {"difficulty", "12"},
      {"difficulty", "0xg"},
      {"difficulty", "0x10000000000000000000000000000000000000000000000000000000000000000"},
      {"gasLimit", "0x10000000000000000"},
      {"gasUsed", "0x10000000000000000"},
      {"extraData", "0x1"},
      {"baseFeePerGas", "0x10000000000000000000000000000000000000000000000000000000000000000"},
      {"withdrawalsRoot", "0x"},
      {"blobGasUsed", "0x10000000000000000"},
      {"excessBlobGas", "x"},
      {"parentBeaconBlockRoot", "0x00"},
      {"requestsHash", "0x00"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name, row.value);
    auto v = header;
    v[row.name] = row.value;
    CHECK(sealing(v) == std::string("the block header has a wrong ") + row.name);
    v[row.name] = 5;
    CHECK(sealing(v) == std::string("the block header has no ") + row.name);
  }
}

TEST_CASE("seal json: large numbers, and zeros before them") {
  auto v = full_header(made);
  const auto hash = [&](const char* difficulty) {
    v["difficulty"] = difficulty;
    return header_from(v, true).value().sealed;
  };
  CHECK(hash("0x0") == hash("0x000"));
  CHECK(hash("0x1") == hash("0x0001"));
  CHECK(hash("0x1") != hash("0x10"));
  CHECK(hash("0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff") !=
        hash("0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"));
}

TEST_CASE("seal json: what may be in the hash and is not known is said") {
  auto v = full_header(made);
  const auto unknown = [&] { return header_from(v, true).value().unknown_fields; };
  CHECK(unknown().empty());
  v["totalDifficulty"] = "0x1";
  v["withdrawals"] = json::array{};
  v["requestsHash"] = nullptr; // as left out
  v["blockAccessListHash"] = nullptr;
  CHECK(unknown().empty());
  v["slot"] = 5;
  v["blockAccessListHash"] = "0x12";
  CHECK(unknown() == "blockAccessListHash,slot");
  v["a\n\"name\" of somebody's, which is too long to be one"] = "";
  CHECK(unknown() == "a??name??of?somebody?s??which?is,blockAccessListHash,slot");
  for (int i = 0; i < 9; ++i)
    v["a" + std::to_string(i)] = 1;
  CHECK(unknown() == "a0,a1,a2,a3,a4,a5,a6,a7,and more");
}

TEST_CASE("seal json: a fork's field that is left out before a later one is said") {
  auto v = full_header(made);
  v["baseFeePerGas"] = "0x7";
  v["blobGasUsed"] = "0x0";
  v["excessBlobGas"] = "0x0"; // as anvil's first block before Shanghai has it
  const auto h = header_from(v, true).value();
  CHECK(h.unknown_fields == "withdrawalsRoot");
  CHECK(h.sealed);
  v["withdrawalsRoot"] = evm::to_hex(evm::hash32{});
  CHECK(header_from(v, true)->unknown_fields.empty());
  v.erase("baseFeePerGas");
  CHECK(header_from(v, true)->unknown_fields == "baseFeePerGas");
}

TEST_CASE("seal json: a seal of its own may stand in the nonce's place") {
  auto v = full_header(made);
  v.erase("nonce");
  v.erase("mixHash");
  CHECK(sealing(v) == "the block header has no mixHash");
  v["signature"] = "0x12";
  const auto h = header_from(v, true).value();
  CHECK_FALSE(h.sealed);
  CHECK(h.unknown_fields == "signature");
}
