// SPDX-License-Identifier: MIT
#include "tests/tide/chain_files.hpp"
#include "tests/tide/reading_world.hpp"

#include <boost/json/serialize.hpp>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;
namespace json = boost::json;

namespace {

/// An endpoint with one block of mainnet.
struct mainnet : endpoint {
  json::value header_said = chain_file("mainnet-18000000-header.json");
  json::array receipts_said = chain_file("mainnet-18000000-receipts.json").as_array();
  evm::header known = header_from(header_said).value();

  mainnet() {
    header(known.number) = json::serialize(header_said);
    of(call_block_by_number(known.number, true)) = json::serialize(header_said);
    receipts(known.id()) = json::serialize(receipts_said);
    for (const auto& r : receipts_said)
      receipt(*evm::parse_hash(r.at("transactionHash").as_string())) = json::serialize(r);
  }
  ask_blocks ask() const { return {{known.id()}, true}; }
};

} // namespace

TEST_CASE("reading sealed blocks: the header's hash, the receipts' root, the logs out of them") {
  if (no_chain_files()) return;
  mainnet e;
  for (const bool one_by_one : {false, true}) {
    CAPTURE(one_by_one);
    if (one_by_one) e.receipts(e.known.id()) = no_method;
    e.heard.clear();
    const auto a = e.done<blocks_answer>(e.ask());
    REQUIRE(a.blocks.size() == 1);
    const auto& b = a.blocks[0];
    CHECK(b.header.sealed == b.header.hash);
    CHECK(b.receipts_root == b.header.receipts_root);
    CHECK(b.receipt_types.size() == b.header.transactions.size());
    // The file has hashes alone, so whose receipts they are is not proved.
    CHECK(b.header.unproved_transactions == "the endpoint says their hashes alone");
    CHECK(b.from_receipts);
    CHECK(bloom_of(b.logs) == b.header.logs_bloom);
    CHECK(e.count("eth_getLogs") == 0);
  }
}

TEST_CASE("reading sealed blocks: other receipts, another root") {
  if (no_chain_files()) return;
  mainnet e;
  // The status is in the root and in no bloom.
  auto& status = e.receipts_said[3].as_object()["status"];
  status = status == "0x1" ? "0x0" : "0x1";
  e.receipts(e.known.id()) = json::serialize(e.receipts_said);
  const auto a = e.done<blocks_answer>(e.ask());
  REQUIRE(a.blocks[0].receipts_root);
  CHECK(a.blocks[0].receipts_root != a.blocks[0].header.receipts_root);
}

TEST_CASE("reading sealed blocks: where another block is canonical nothing more is read") {
  if (no_chain_files()) return;
  mainnet e;
  const auto a = e.done<blocks_answer>(ask_blocks{{id_of(e.known.number)}, true});
  CHECK(a.blocks[0].header.id() == e.known.id());
  CHECK_FALSE(a.blocks[0].receipts_root);
  CHECK(e.heard.size() == 1);
}

TEST_CASE("reading sealed: a header without all of its fields is no answer") {
  endpoint e;
  e.range(11, 12) = "[]";
  CHECK(e.done<range_answer>(ask_range{11, 12, {}, false}).headers.size() == 2);
  CHECK(e.failed(ask_range{11, 12, {}, true}).find("a passing failure: the block header has no ") ==
        0);
  auto sealed = blocks(11, 12);
  sealed.sealed = true;
  CHECK(e.failed(sealed).find("a passing failure: the block header has no ") == 0);
}

TEST_CASE("reading sealed ranges: the headers' hashes") {
  if (no_chain_files()) return;
  mainnet e;
  const auto n = e.known.number;
  e.range(n, n) = "[]";
  CHECK(e.done<range_answer>(ask_range{n, n, {}, true}).headers[0].sealed == e.known.hash);
  CHECK_FALSE(e.done<range_answer>(ask_range{n, n, {}, false}).headers[0].sealed);
}
