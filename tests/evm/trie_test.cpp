// SPDX-License-Identifier: MIT
#include "evm/trie.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace tidemark::evm;

namespace {

/// Value i is size(i) octets of i mod 251 + 1.
template <class Size> std::vector<bytes> values_of(std::size_t count, Size size) {
  std::vector<bytes> out;
  for (std::size_t i = 0; i < count; ++i)
    out.emplace_back(size(i), static_cast<std::uint8_t>(i % 251 + 1));
  return out;
}

struct row {
  std::size_t count;
  const char* root;
};

} // namespace

TEST_CASE("trie: of nothing") {
  CHECK(to_hex(ordered_trie_root({})) ==
        "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
}

TEST_CASE("trie: written by hand") {
  // One leaf: all of key 80, and "dog".
  CHECK(ordered_trie_root({{'d', 'o', 'g'}}) == keccak256(*parse_hex("0xc7822080"
                                                                     "83646f67")));
  // A branch: at 0 the leaf of key 01 (one nibble left), at 8 that of key 80, both short enough to
  // stand in it themselves.
  CHECK(ordered_trie_root({{'d', 'o', 'g'}, {'c', 'a', 't'}}) ==
        keccak256(*parse_hex("0xdb"
                             "c53183636174"
                             "80808080808080"
                             "c53083646f67"
                             "8080808080808080")));
}

// The roots that @ethereumjs/mpt makes of the same values: the sizes at which keys grow, with nodes
// short enough to stand in others and too long for it.
TEST_CASE("trie: of short values") {
  const row rows[] = {
      {1, "0xac92bc8d02906a87a573c32c72bb427036f0e43d7a7375c5c491ebba064add15"},
      {2, "0xb723d6de373f71d46d8ba91828a825672fff720efea492ee45097cbd40bdb2e0"},
      {16, "0x929524b2add9d810b51038da4ea4bfbb0c39987f2e64def98d41b8b6c07f81b2"},
      {17, "0x951d3a24d90c83ad119bca58a75d66b12c0f19c7ceab90904ae066f7a7956d0b"},
      {127, "0xc116a8f5fbcebbf88cb3144e26f25cabfc071322d4ae2ee5b48a9fbccfce77b0"},
      {128, "0x3e6c0afecb0295a19975e7995e61b31c8814f1d071efdc922d620619409b1cf2"},
      {129, "0x971387825662aa910254fc07c75a1322d0c4bf3fda8ce4115505128f095c32c7"},
      {130, "0xd1d0b40eb8bc8e0528b9289a3fafd044f9fbbabdee9124dd85a9dd0b5cfc67d8"},
      {255, "0xf40fbec4489a56179498e73d389bfbefbc56ce378e5c4229b0cb5ad3e85d6160"},
      {256, "0x4909e4478d64892984fc25449a39a30394d24962bfd5ff5623eda5ec2b2b8490"},
      {257, "0xe2707f47605b8db437ecc40ea16711610a70a0514c59943c43951208b4e63406"},
      {300, "0xe6dae8a4496fb624cd827e62e0624c78ae109c6669357c0250aae760d61332ed"},
      {2000, "0xf33b1b0f977577dd600d02f5be7cb73998ba8fdf6d5c16da5aed8317cb9c8735"},
  };
  for (const auto& r : rows) {
    CAPTURE(r.count);
    const auto values = values_of(r.count, [](std::size_t i) { return 1 + i % 5; });
    CHECK(to_hex(ordered_trie_root(values)) == r.root);
  }
}

TEST_CASE("trie: of long values") {
  const row rows[] = {
      {1, "0x7195ae7abdc4a508eeafd936626224502c56e3b9e890189869debc0ce4bad7a4"},
      {2, "0xdc76871dbdd777b2fe6a92a9fea6d75bf745397ee56d7fea452be36dbeca552e"},
      {16, "0x43a77105f9b74bab64e497f8cf4c1aa813000c0b8f4295c7584c7e65945a60ab"},
      {17, "0xba5d57cd35c564c5305a780364a123423d228ef35483cd42f3f10696c73e426f"},
      {127, "0xae6db25f68fae4d1e23bbd370967e50960c44e841f551ea474b9a6e07a6821d6"},
      {128, "0x77138aab49177a150edc8560f1443f000b1914ae313828015969a22b17559655"},
      {129, "0x82870338db36508d9b7ae705c65aa910dfc4f9892cdda66dc3dedf58efa6a792"},
      {130, "0x87f6091a119e4aaab682b3d19416f51f0a1387a8f2ad8ab087784358b6376dfc"},
      {255, "0x2d62625d5e15f28eb79b4069f97437b2eaa7583f7d99fba9acfd18c433378524"},
      {256, "0x7f2e622c3dfb94099d8f2372bee349c36ddeeb133fd00a74cb51358bc89bdc75"},
      {257, "0xa5b6e5932d37e900077cb20e9637f95e721053faea8541f5de96e09ab6c03a9d"},
      {300, "0xa3878f5f31f7dea0f0d0dc3b33c5d24499368a10e5d22458073bdca7f850f453"},
      {2000, "0x01d8c1965833b3d3b5be1c1527e48a20de0920c7a469bd8bef6a50e50426847d"},
  };
  for (const auto& r : rows) {
    CAPTURE(r.count);
    const auto values = values_of(r.count, [](std::size_t i) { return 20 + i % 60; });
    CHECK(to_hex(ordered_trie_root(values)) == r.root);
  }
}

TEST_CASE("trie: each value and its place count") {
  auto values = values_of(140, [](std::size_t i) { return 20 + i % 60; });
  const auto root = ordered_trie_root(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].back() ^= 1;
    CHECK(ordered_trie_root(values) != root);
    values[i].back() ^= 1;
  }
  std::swap(values[127], values[128]);
  CHECK(ordered_trie_root(values) != root);
  std::swap(values[127], values[128]);
  CHECK(ordered_trie_root(values) == root);
  values.pop_back();
  CHECK(ordered_trie_root(values) != root);
}
