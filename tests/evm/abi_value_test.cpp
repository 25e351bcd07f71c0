// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/hex.hpp"
#include "tests/evm/abi_show.hpp"
#include "tests/evm/abi_vectors.hpp"
#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace tidemark::evm;

TEST_CASE("abi literal: what people write") {
  const struct {
    const char* type;
    const char* text;
    const char* value;
  } rows[] = {
      {"uint256", "0", "0"},
      {"uint256", "007", "7"},
      {"uint256", "1_000_000e6", "1000000000000"},
      {"uint256", "1e18", "1000000000000000000"},
      {"uint256", "5E0", "5"},
      {"uint256", "0e999999999999999999999999", "0"},
      {"uint256", "0xff", "255"},
      {"uint256", "0xFF_ff", "65535"},
      {"uint256", "0x1e2", "482"},
      {"uint256", "115792089237316195423570985008687907853269984665640564039457584007913129639935",
       "115792089237316195423570985008687907853269984665640564039457584007913129639935"},
      {"uint256", "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
       "115792089237316195423570985008687907853269984665640564039457584007913129639935"},
      {"uint64", "18446744073709551615", "18446744073709551615"},
      {"uint72", "18446744073709551616", "18446744073709551616"},
      {"uint8", "255", "255"},
      {"uint8", "-0", "0"},
      {"int8", "-128", "-128"},
      {"int8", "127", "127"},
      {"int8", "-0x80", "-128"},
      {"int256", "-57896044618658097711785492504343953926634992332820282019728792003956564819968",
       "-57896044618658097711785492504343953926634992332820282019728792003956564819968"},
      {"bool", "true", "true"},
      {"bool", "false", "false"},
      {"bytes", "0x", "0x"},
      {"bytes", "0xABcd", "0xabcd"},
      {"bytes2", "0xabcd", "0xabcd"},
      {"string", "", "\"\""},
      {"string", " as it is ", "\" as it is \""},
      {"address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
      {"address", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
       "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type, row.text);
    const auto value = parse_value(type_of(row.type), row.text);
    REQUIRE(value);
    CHECK(shown(*value) == row.value);
  }
}

TEST_CASE("abi literal: errors say where and what would be right") {
  const struct {
    const char* type;
    const char* text;
    std::size_t at;
    const char* says;
  } rows[] = {
      {"uint256", "", 0, "a digit"},
      {"uint256", "-", 1, "a digit"},
      {"uint256", "+1", 0, "a digit"},
      {"uint256", " 1", 0, "a digit"},
      {"uint256", "0x", 2, "a digit"},
      {"uint256", "1.5", 0, "whole number"},
      {"uint256", "1.", 2, "a digit"},
      {"uint256", "5gwe", 1, "1e18"},
      {"uint256", "0.0000000001gwei", 0, "whole number"},
      {"uint256", "1e60ether", 0, "out of range"},
      {"uint256", "1  gwei", 1, "1e18"},
      {"uint256", "1e", 2, "a digit"},
      {"uint256", "1e-3", 2, "a digit"},
      {"uint256", "1e3e3", 3, "1e18"},
      {"uint256", "_1", 0, "between two digits"},
      {"uint256", "1_", 2, "a digit"},
      {"uint256", "1__0", 2, "between two digits"},
      {"uint256", "12ab", 2, "1e18"},
      {"uint256", "1e78", 0, "out of range"},
      {"uint256", "1e99999999999999999999999999", 0, "out of range"},
      {"uint256", "115792089237316195423570985008687907853269984665640564039457584007913129639936",
       0, "out of range"},
      {"uint256", "0x10000000000000000000000000000000000000000000000000000000000000000", 0,
       "out of range"},
      {"uint256", "-1", 0, "0 to 1157"},
      {"uint8", "256", 0, "uint8 is 0 to 255"},
      {"int8", "128", 0, "int8 is -128 to 127"},
      {"int8", "-129", 0, "int8 is -128 to 127"},
      {"int256", "57896044618658097711785492504343953926634992332820282019728792003956564819968", 0,
       "out of range"},
      {"bool", "1", 0, "true or false"},
      {"bool", "True", 0, "true or false"},
      {"bytes", "abcd", 0, "0x"},
      {"bytes", "0xabc", 0, "even"},
      {"bytes2", "0xab", 0, "exactly 4 hex digits, here are 2"},
      {"bytes2", "0xabcdef", 0, "exactly 4 hex digits, here are 6"},
      {"address", "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", 0,
       "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
      {"address", "0x5aaeb6", 0, "40 hex digits"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type, row.text);
    const auto value = parse_value(type_of(row.type), row.text);
    REQUIRE_FALSE(value);
    CHECK(value.error().at == row.at);
    CHECK_THAT(value.error().text, Catch::Contains(row.says));
  }
  abi_type list;
  list.is = abi_type::kind::array;
  CHECK_THAT(parse_value(list, "[]").error().text, Catch::Contains("order.maker"));
}

TEST_CASE("abi literal: parts and units of wei") {
  const struct {
    const char* text;
    const char* value;
  } rows[] = {
      {"0.05ether", "50000000000000000"},
      {"1 ether", "1000000000000000000"},
      {"30gwei", "30000000000"},
      {"1.5e18", "1500000000000000000"},
      {"1.50", nullptr},
      {"2.0", "2"},
      {"0.000000001 gwei", "1"},
      {"-0.5ether", "-500000000000000000"},
      {"1_000_000e6", "1000000000000"},
      {"1E2", "100"},
      {"0e9999999999", "0"},
      {"0.1e9999999999", "116"}, // 2^256 or more: only that it is so large counts
      {"200000000000000000000000000000000000000000000000000000000000000000000000000000.0", nullptr},
  };
  const integer two_256 = integer(1) << 256;
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto value = parse_number(row.text);
    REQUIRE(value.has_value() == (row.value != nullptr));
    if (!value) continue;
    if (std::string(row.value) == "116")
      CHECK(*value >= two_256);
    else
      CHECK(to_decimal(*value) == row.value);
  }
}

TEST_CASE("abi literal: a number of a megabyte is refused at once") {
  CHECK_FALSE(parse_value(type_of("uint256"), std::string(1 << 20, '9')));
}

TEST_CASE("abi topics: a parsed literal is the topic that ethers filters by") {
  for (const auto& row : abi_vectors()) {
    const auto event = parse_event(row.text).value();
    const auto values = decode_log(event, hashes(row.topics), parse_hex(row.data).value()).value();
    std::size_t topic = 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!event.inputs[i].indexed) continue;
      CAPTURE(row.text, i);
      CHECK(to_hex(topic_of(event.inputs[i].type, values[i])) == row.topics[topic++]);
    }
  }
  const struct {
    const char* type;
    const char* text;
    const char* topic;
  } rows[] = {
      {"uint8", "255", "0x00000000000000000000000000000000000000000000000000000000000000ff"},
      {"int8", "-2", "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe"},
      {"int256", "-57896044618658097711785492504343953926634992332820282019728792003956564819968",
       "0x8000000000000000000000000000000000000000000000000000000000000000"},
      {"uint256", "115792089237316195423570985008687907853269984665640564039457584007913129639935",
       "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
      {"bool", "true", "0x0000000000000000000000000000000000000000000000000000000000000001"},
      {"bool", "false", "0x0000000000000000000000000000000000000000000000000000000000000000"},
      {"address", "0x52908400098527886E0F7030069857D2E4169EE7",
       "0x00000000000000000000000052908400098527886e0f7030069857d2e4169ee7"},
      {"bytes2", "0xabcd", "0xabcd000000000000000000000000000000000000000000000000000000000000"},
      {"string", "hello", "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"},
      {"bytes", "0x1234", "0x56570de287d73cd1cb6092bb8fdee6173974955fdef345ae579ee9f475ea7432"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type, row.text);
    const auto type = type_of(row.type);
    CHECK(to_hex(topic_of(type, parse_value(type, row.text).value())) == row.topic);
  }
}

TEST_CASE("abi topics: arrays and tuples are the keccak of their parts in place") {
  abi_type number;
  number.size = 8;
  abi_type list;
  list.is = abi_type::kind::array;
  list.inner = {number};
  const abi_value one_two_three{std::vector<abi_value>{{integer(1)}, {integer(2)}, {integer(3)}}};
  CHECK(to_hex(topic_of(list, one_two_three)) ==
        "0x6e0c627900b24bd432fe7b1f713f1b0744091a646a9fe4a65a18dfed21f2949c");

  abi_type pair;
  pair.is = abi_type::kind::tuple;
  pair.inner = {type_of("string"), type_of("address")};
  const abi_value text_and_address{std::vector<abi_value>{
      {std::string("hello")}, {*parse_address("0x52908400098527886E0F7030069857D2E4169EE7")}}};
  CHECK(to_hex(topic_of(pair, text_and_address)) ==
        "0xfac089dca0c9d45f7bb2a82a6d478eac5cf92cf4cfc9860c29bc9e6104cac86f");
}

TEST_CASE("abi values: any word of a static type comes back from decode, topic and literal") {
  std::mt19937_64 random(1559);
  for (const char* text : {"uint8", "uint64", "uint72", "uint256", "int8", "int64", "int72",
                           "int256", "bytes1", "bytes31", "bytes32", "address", "bool"}) {
    const auto event = parse_event(std::string("E(") + text + " indexed x)").value();
    const auto& type = event.inputs[0].type;
    for (int round = 0; round < 500; ++round) {
      hash32 word;
      const auto zeros = random() % 32; // small numbers too
      for (std::size_t i = zeros; i < 32; ++i)
        word.octets[i] = static_cast<std::uint8_t>(random());
      CAPTURE(text, to_hex(word));
      const auto value = decode_log(event, {event.topic0(), word}, {}).value()[0];
      const auto clean = topic_of(type, value);
      CHECK(decode_log(event, {event.topic0(), clean}, {}).value()[0] == value);
      CHECK(parse_value(type, shown(value)).value() == value);
      if (type.size == 256) CHECK(clean == word);
    }
  }
}

TEST_CASE("abi values: equality looks at kind and content") {
  const abi_value one{integer(1)};
  CHECK(one == abi_value{integer(1)});
  CHECK_FALSE(one == abi_value{integer(2)});
  CHECK_FALSE(one == abi_value{true});
  CHECK(abi_value{std::vector<abi_value>{one}} == abi_value{std::vector<abi_value>{one}});
  CHECK_FALSE(abi_value{std::vector<abi_value>{one}} == abi_value{std::vector<abi_value>{}});
}
