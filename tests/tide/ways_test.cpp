// SPDX-License-Identifier: MIT
#include "tide/whole.hpp"

#include "tests/tide/rpc_world.hpp"

#include <catch2/catch.hpp>

// What is odd about some chains, and what is a lie on all of them.

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

using kind = objection::kind;

block_reading reading_of(const made_block& b) { return {b.header, b.logs, false, {}}; }

/// Two transactions with two logs each, counted within each of them.
block_reading counted_within() {
  auto b = block_of(20, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    b.logs[i].tx = b.header.transactions[i / 2];
    b.logs[i].tx_index = static_cast<std::uint32_t>(i / 2);
    b.logs[i].log_index = static_cast<std::uint32_t>(i % 2);
  }
  return reading_of(b);
}

chain_ways counts(numbering n) {
  chain_ways w;
  w.indexes = n;
  return w;
}

} // namespace

TEST_CASE("ways: indexes within transactions are an objection until they are learned, and then the "
          "only way") {
  auto b = counted_within();
  auto no = object_to(b, proof::bloom, {});
  REQUIRE(no);
  CHECK(no->what == kind::numbering);
  no = object_to(b, proof::bloom, counts(numbering::block));
  REQUIRE(no);
  CHECK(no->what == kind::lie);
  CHECK_FALSE(object_to(b, proof::bloom, counts(numbering::transaction)));
  CHECK(b.logs[1].tx == b.logs[0].tx); // in the chain's order again, by transaction
  CHECK(b.logs[1].log_index == 1);
  auto by_block = reading_of(block_of(20, 4));
  no = object_to(by_block, proof::bloom, counts(numbering::transaction));
  REQUIRE(no);
  CHECK(no->what == kind::lie);
}

TEST_CASE("ways: a hole is a lie however indexes are counted") {
  for (const auto how : {numbering::unknown, numbering::block, numbering::transaction}) {
    auto b = counted_within();
    b.logs.erase(b.logs.begin()); // index 0 of the first transaction
    const auto no = object_to(b, proof::bloom, counts(how));
    REQUIRE(no);
    CHECK(no->what == kind::lie);
  }
}

TEST_CASE("ways: a bloom that does not fit is an objection of its own, and none where blooms do "
          "not hold") {
  auto b = reading_of(block_of(20, 3));
  b.header.logs_bloom = {};
  const auto no = object_to(b, proof::bloom, {});
  REQUIRE(no);
  CHECK(no->what == kind::bloom);
  chain_ways odd;
  odd.bloom = blooms::do_not_hold;
  CHECK_FALSE(object_to(b, proof::bloom, odd));
  b.logs.pop_back();
  b.logs[0].log_index = 7; // but the indexes still have to
  CHECK(object_to(b, proof::bloom, odd));
}

TEST_CASE("ways: a bloom that more logs would make may be a lack, any other is none") {
  auto b = reading_of(block_of(20, 3));
  const auto says = [&] { return object_to(b, proof::bloom, {})->what; };
  b.logs.pop_back();
  CHECK(says() == kind::lack);
  b.logs.clear();
  CHECK(says() == kind::lack);
  auto nothing = b;
  nothing.header.transactions.clear(); // nothing could have made it
  CHECK(object_to(nothing, proof::bloom, {})->what == kind::bloom);
  b = reading_of(block_of(20, 3));
  b.header.logs_bloom.bits.octets.fill(0xff); // no block's logs make that
  CHECK(says() == kind::bloom);
}

TEST_CASE("ways: logs of no transaction are left out, those of an unlisted one are a lie") {
  auto made = block_of(20, 3);
  made.logs[2].tx = {};
  made.header.logs_bloom = bloom_of({made.logs[0], made.logs[1]});
  auto b = reading_of(made);
  CHECK_FALSE(object_to(b, proof::bloom, {}));
  CHECK(b.logs.size() == 2);
  b = reading_of(block_of(20, 3));
  b.logs[2].tx = tx_of(1);
  b.logs[2].tx_index = 99; // beyond the list
  const auto no = object_to(b, proof::bloom, {});
  REQUIRE(no);
  CHECK(no->what == kind::lie);
}

TEST_CASE("ways: one endpoint's word makes no chain odd") {
  oddity odd;
  for (int i = 0; i < 100; ++i)
    CHECK_FALSE(odd.seen(0, 2));
  CHECK(odd.seen(1, 2));
  odd.denied();
  CHECK_FALSE(odd.seen(1, 2));
  oddity sole;
  int times = 1;
  while (!sole.seen(0, 1))
    ++times;
  CHECK(times == 8);
}

TEST_CASE("ways: what an index that is behind would show as well has to be seen in many blocks") {
  oddity odd;
  for (int i = 0; i < 100; ++i)
    CHECK_FALSE(odd.seen_in(7, 0, 1));
  for (std::uint64_t block = 8; block < 14; ++block)
    CHECK_FALSE(odd.seen_in(block, 0, 1));
  CHECK(odd.seen_in(14, 0, 1));
  odd.denied();
  CHECK_FALSE(odd.seen_in(15, 0, 1));
}

TEST_CASE("ways: with receipts the header's fields and the root have to be what they claim") {
  auto b = reading_of(block_of(20, 2));
  b.header.receipts_root = hash_of(1, 'r');
  b.header.transactions_root = hash_of(1, 't');
  b.header.made_transactions_root = b.header.transactions_root;
  const auto says = [&] { return object_to(b, proof::receipts, {}); };
  CHECK(says()->what == kind::lie); // nothing was recomputed
  b.header.sealed = b.header.hash;
  b.receipts_root = b.header.receipts_root;
  CHECK_FALSE(says());
  b.receipts_root = hash_of(2, 'r');
  CHECK(says()->what == kind::lie);
  b.receipts_root = b.header.receipts_root;
  std::swap(b.logs[0].tx_index, b.logs[1].tx_index);
  CHECK(says()->what == kind::lie); // the root does not hold hashes: by their place in the list
  std::swap(b.logs[0].tx_index, b.logs[1].tx_index);
  b.header.sealed = hash_of(3, 's');
  CHECK(says()->what == kind::lie);
  b.header.unknown_fields = "auraSeal";
  CHECK(says()->what == kind::unprovable); // never a proof, and no lie
}

TEST_CASE("ways: with receipts the transactions have to make their root") {
  auto b = reading_of(block_of(20, 2));
  b.header.receipts_root = hash_of(1, 'r');
  b.header.sealed = b.header.hash;
  b.receipts_root = b.header.receipts_root;
  b.header.transactions_root = hash_of(1, 't');
  const auto says = [&] { return object_to(b, proof::receipts, {}); };
  SECTION("another root is a lie") {
    b.header.made_transactions_root = hash_of(2, 't');
    CHECK(says()->what == kind::lie);
    CHECK(object_to(b.header)->what == kind::lie);
  }
  SECTION("hashes alone prove nothing") { CHECK(says()->what == kind::unprovable); }
  SECTION("types of another chain: borne for logs where the proved receipts say them too") {
    b.header.transaction_types = {0x6a, 2};
    b.receipt_types = {2, 2};
    CHECK(says()->what == kind::unprovable);
    b.receipt_types = {0x6a, 2};
    CHECK_FALSE(says());
    CHECK_FALSE(object_to(b.header));
    b.watched = true; // but an event of a transaction rests on more
    CHECK(says()->what == kind::unprovable);
    CHECK(object_to(b.header, true)->what == kind::unprovable);
  }
  SECTION("a block without any has none to prove") {
    b.header.transactions.clear();
    b.logs.clear();
    b.watched = true;
    CHECK_FALSE(says());
  }
}

TEST_CASE("ways: state sync is Polygon's") {
  CHECK(has_state_sync(137));
  CHECK_FALSE(has_state_sync(1));
}
