// SPDX-License-Identifier: MIT
#include "evm/seal.hpp"

#include "evm/hex.hpp"

#include <catch2/catch.hpp>

#include <string>

// Hashes and roots that @ethereumjs/rlp and @ethereumjs/mpt make of the same fields.

using namespace tidemark::evm;

namespace {

template <std::size_t N> fixed_bytes<N> full(std::uint8_t octet) {
  fixed_bytes<N> v;
  v.octets.fill(octet);
  return v;
}
const auto hash_of = full<32>;
const auto bloom_of = [](std::uint8_t octet) { return bloom{full<256>(octet)}; };

/// With the first `forks` of the six later fields.
header_fields header_of(int forks) {
  header_fields h;
  h.parent = hash_of(1);
  h.uncles = hash_of(2);
  h.miner = full<20>(3);
  h.state_root = hash_of(4);
  h.transactions_root = hash_of(5);
  h.receipts_root = hash_of(6);
  h.logs_bloom = bloom_of(7);
  h.difficulty = {1, 2};
  h.number = 9;
  h.gas_limit = 10;
  h.gas_used = 11;
  h.time = 12;
  h.extra_data = {13, 13, 13};
  h.mix_hash = hash_of(14);
  h.nonce.fill(15);
  if (forks > 0) h.base_fee = bytes{16};
  if (forks > 1) h.withdrawals_root = hash_of(17);
  if (forks > 2) h.blob_gas_used = 0;
  if (forks > 3) h.excess_blob_gas = 19;
  if (forks > 4) h.parent_beacon_root = hash_of(20);
  if (forks > 5) h.requests_hash = hash_of(21);
  return h;
}

receipt_fields receipt_of(std::uint8_t type) {
  receipt_fields r;
  r.type = type;
  r.cumulative_gas = 21'000;
  r.logs_bloom = bloom_of(7);
  return r;
}

tidemark::evm::log log_of() {
  tidemark::evm::log l;
  l.address = full<20>(9);
  l.topics = {hash_of(1), hash_of(2)};
  l.data = {0xaa, 0xbb};
  return l;
}

std::string root(const receipt_fields& r) { return to_hex(receipts_root({r})); }

} // namespace

TEST_CASE("seal: a header's hash, fork by fork") {
  const char* rows[] = {
      "0x3ee69cfa9ba8965726eb0940c114d0d6fa0856f042f3ee4bd11f3389ebd635d2",
      "0xe5daececa219ab84329e00b7255b12c22a219cc5881f7335b5f9c95098467910",
      "0x6f716148bee9555797f27bbf88e0260ddfaeac14e07e32242cbcab5ee3c3e777",
      "0xd01fff659c237d40028a09adc32211700a533f23a7f2973b9b7b40d6de78179d",
      "0xe94eceecb038a9110fdcc175a0e25d954dff9e547e9627c7d7374a71ef73fef5",
      "0x5cb9a93d28d0f1dfaf6bec7c382ee86e4f34ca919fecf9994ee97dc8c8894a80",
      "0xae71b878a400089b53396f02478cc16dae7cf0828ee59300e88d6e04af7883b0",
  };
  for (int forks = 0; forks < 7; ++forks) {
    CAPTURE(forks);
    CHECK(to_hex(header_hash(header_of(forks))) == rows[forks]);
  }
  // A field that its chain never had, before one that it has.
  auto gap = header_of(1);
  gap.blob_gas_used = 18;
  CHECK(to_hex(header_hash(gap)) ==
        "0x2ae9e24aba6b230025d8b515aa93af174459ae721fb3b9fe1f85233361af7952");
}

TEST_CASE("seal: receipts by type") {
  CHECK(to_hex(receipts_root({})) ==
        "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  const struct {
    std::uint8_t type;
    const char* root;
  } rows[] = {
      {0, "0x5eca7d277fb5fcb197dff294ad94113ef81b3f92fd9e908659d4073de3ea59b7"},
      {1, "0x72cea61e3209719081e925050acdd72ae6c4cfb6fa72106a595c4b6ba9e7403b"},
      {2, "0x8bb0cc9697d2d20c0aacb4ecf191bcec8c5bdc98046336178421012ab68db0cb"},
      {3, "0xf992e2968c4397b196b82dbe319e9ce38e90838f8cd008f2ef906b94aadacaa1"},
      {4, "0xc467c7104e69459db752065205516b7ab1c7763cb7e609e241a30c76ef9eb427"},
      {0x6a, "0xb63d292ef1869a1e11a72993632b38baec049a93238c294eeefcbe049d24ba41"},
      {0x7e, "0xfad29f013e14958241c6b013881096ac1029d63315ce2d97d0e00bb515b822b5"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type);
    CHECK(root(receipt_of(row.type)) == row.root);
  }
}

TEST_CASE("seal: a receipt that failed, and one before Byzantium") {
  auto r = receipt_of(0);
  r.success = false;
  CHECK(root(r) == "0x613689de9581d44e74524bb5122d3a8765308b857ec1eb7f4883c038d137c9b8");
  r.post_state = hash_of(8);
  CHECK(root(r) == "0x25c8038df217d44081628d3789dee7a80bccd482812323416a2d388f3ea9216e");
  r.success = true;
  CHECK(root(r) == "0x25c8038df217d44081628d3789dee7a80bccd482812323416a2d388f3ea9216e");
}

TEST_CASE("seal: a deposit's nonce counts from the version on") {
  auto r = receipt_of(0x7e);
  r.deposit_nonce = 5;
  CHECK(root(r) == root(receipt_of(0x7e)));
  r.deposit_version = 1;
  CHECK(root(r) == "0xf8c9dfc0252eeb90057052a31dd3caf46f107f7175dfa301391b98dadec28bb0");
  r.type = 2; // no deposit, whatever an endpoint says beside it
  CHECK(root(r) == root(receipt_of(2)));
}

TEST_CASE("seal: receipts with logs") {
  auto first = receipt_of(0), second = receipt_of(2);
  first.logs = {log_of(), log_of()};
  second.logs = {log_of()};
  second.cumulative_gas = 42'000;
  CHECK(to_hex(receipts_root({first, second})) ==
        "0x515e0f17f65e242609372743b55b181beff416114afa5ebf0f0eba6ddc5dd8eb");
  // Where it is, is not in it.
  first.logs[0].log_index = 7;
  first.logs[0].tx = hash_of(7);
  CHECK(to_hex(receipts_root({first, second})) ==
        "0x515e0f17f65e242609372743b55b181beff416114afa5ebf0f0eba6ddc5dd8eb");
}

TEST_CASE("seal: Polygon's state sync") {
  const block_id block{
      0x40b1ac0,
      parse_hash("0xbaa03f17ce34d98fc687ea64b2be18d1e1d8028574823a73a9a4f1809808f085").value()};
  const auto tx =
      parse_hash("0xe4733eb7834d1e62a2ff484065f1fd07bbb8905c41c1ed963fa139a25cd683dd").value();
  CHECK(is_state_sync(tx, block));
  CHECK_FALSE(is_state_sync(tx, {block.number + 1, block.hash}));
  CHECK_FALSE(is_state_sync(tx, {block.number, tx}));
  CHECK_FALSE(is_state_sync(block.hash, block));
}
