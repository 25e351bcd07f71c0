// SPDX-License-Identifier: MIT
#include "evm/bloom_bits.hpp"
#include "evm/digest.hpp"
#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace tidemark::evm;

TEST_CASE("keccak: known answers") {
  CHECK(to_hex(keccak256("")) ==
        "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  CHECK(to_hex(keccak256("hello")) ==
        "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8");
  CHECK(to_hex(keccak256("Transfer(address,address,uint256)")) ==
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
  CHECK(to_hex(keccak256(bytes_view{})) == to_hex(keccak256("")));
}

TEST_CASE("bloom: three bits a value, and none for what is not in it") {
  // keccak("") starts c5d2 4601 86f7: bits 0x5d2, 0x601 and 0x6f7 of 2048, counted from the end.
  bloom b;
  CHECK_FALSE(b.may_contain(bytes_view{}));
  b.add(bytes_view{});
  CHECK(b.may_contain(bytes_view{}));
  bloom by_hand;
  for (const std::size_t bit : {0x5d2u, 0x601u, 0x6f7u}) {
    by_hand.bits.octets[255 - bit / 8] |= static_cast<std::uint8_t>(1 << bit % 8);
  }
  CHECK(b == by_hand);

  int seen = 0;
  for (std::uint8_t i = 0; i < 200; ++i)
    seen += b.may_contain(std::array{i}) ? 1 : 0;
  CHECK(seen == 0);
}

TEST_CASE("bloom: what is remembered of a value is what it has, also after all was forgotten") {
  bloom_memory known;
  for (int round = 0; round < 2; ++round)
    for (std::uint16_t i = 0; i < 5000; ++i) {
      hash32 topic;
      topic.octets[0] = static_cast<std::uint8_t>(i >> 8);
      topic.octets[31] = static_cast<std::uint8_t>(i);
      if (known.of(topic) != bits_of(topic.view())) FAIL("of topic " << i);
    }
  const address20 nobody;
  CHECK(known.of(nobody) == bits_of(nobody.view())); // not the topic that ends like it
  CHECK(known.of(nobody) != known.of(hash32{}));
}

TEST_CASE("digest: SHA-256's first eight bytes, big-endian") {
  CHECK(digest64(bytes_view{}) == 0xe3b0c44298fc1c14);
}
