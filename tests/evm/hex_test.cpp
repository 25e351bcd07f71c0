// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace tidemark::evm;

TEST_CASE("hex: bytes round trip through text") {
  bytes all;
  for (int i = 0; i < 256; ++i)
    all.push_back(static_cast<std::uint8_t>(i));
  const auto text = to_hex(all);
  CHECK(text.substr(0, 8) == "0x000102");
  CHECK(text.substr(text.size() - 4) == "feff");
  CHECK(parse_hex(text) == all);
  CHECK(to_hex(bytes_view{}) == "0x");
  CHECK(parse_hex("0x") == bytes{});
  CHECK(parse_hex("0xaBcD") == bytes{0xab, 0xcd});

  std::string joined = "a";
  append_hex(joined, all);
  CHECK(joined == "a" + text);
}

TEST_CASE("hex: what is no hex is nothing") {
  const char* bad[] = {"", "0", "x", "00", "0x0", "0xabc", "0X00", "0xzz", "0x0g", "0x-1", "0x 1"};
  for (const char* text : bad) {
    CAPTURE(text);
    CHECK_FALSE(parse_hex(text));
  }
}

TEST_CASE("hex: each octet that is no digit is refused at both places") {
  for (int c = 0; c < 256; ++c) {
    const auto octet = static_cast<char>(c);
    const bool digit = std::string_view("0123456789abcdefABCDEF").find(octet) != std::string::npos;
    CAPTURE(c);
    CHECK(parse_hex(std::string("0x") + octet + "0").has_value() == digit);
    CHECK(parse_hex(std::string("0x0") + octet).has_value() == digit);
    CHECK(parse_quantity(std::string("0x") + octet).has_value() == digit);
  }
}

TEST_CASE("hex: fixed sizes are exact") {
  const std::string twenty(40, 'a');
  CHECK(parse_address("0x" + twenty));
  CHECK_FALSE(parse_address("0x" + twenty + "aa"));
  CHECK_FALSE(parse_address("0x" + twenty.substr(2)));
  CHECK_FALSE(parse_address(twenty + "aa"));
  CHECK_FALSE(parse_address(""));
  CHECK_FALSE(parse_hash("0x" + twenty));
  CHECK(parse_hash("0x" + std::string(64, '0'))->is_zero());
}

TEST_CASE("hex: quantities") {
  const struct {
    const char* text;
    std::optional<std::uint64_t> value;
  } rows[] = {
      {"0x0", 0},
      {"0x1", 1},
      {"0x112A880", 18000000},
      {"0x0000000000000000000000001", 1},
      {"0xffffffffffffffff", std::numeric_limits<std::uint64_t>::max()},
      {"0x00ffffffffffffffff", std::numeric_limits<std::uint64_t>::max()},
      {"0x10000000000000000", std::nullopt},
      {"0x", std::nullopt},
      {"", std::nullopt},
      {"1", std::nullopt},
      {"0x1 ", std::nullopt},
      {"-0x1", std::nullopt},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_quantity(row.text) == row.value);
  }
  CHECK(to_quantity(0) == "0x0");
  CHECK(to_quantity(15) == "0xf");
  CHECK(to_quantity(16) == "0x10");
  CHECK(to_quantity(18000000) == "0x112a880");
  CHECK(to_quantity(std::numeric_limits<std::uint64_t>::max()) == "0xffffffffffffffff");
}

TEST_CASE("hex: addresses by EIP-55") {
  // The examples of the EIP.
  const char* right[] = {
      "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
      "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"};
  for (const std::string text : right) {
    CAPTURE(text);
    const auto address = parse_user_address(text);
    REQUIRE(address);
    CHECK(to_checksum(*address) == text);
    CHECK(parse_user_address(to_hex(*address)) == address);
  }
  CHECK(parse_user_address("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"));
  CHECK(parse_user_address("0x1111111111111111111111111111111111111111"));
  CHECK_FALSE(parse_user_address("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"));
  CHECK_FALSE(parse_user_address("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"));
  CHECK_FALSE(parse_user_address("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe"));
  CHECK_FALSE(parse_user_address("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"));
}
