// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/hex.hpp"
#include "tests/evm/abi_show.hpp"
#include "tests/evm/abi_vectors.hpp"
#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::evm;

TEST_CASE("abi parse: signatures and topics as ethers and viem have them") {
  for (const auto& row : abi_vectors()) {
    CAPTURE(row.text);
    const auto event = parse_event(row.text);
    REQUIRE(event);
    CHECK(event->signature() == row.signature);
    CHECK(to_hex(event->topic0()) == row.topics[0]);
    CHECK(event->topic_count() == row.topics.size());
  }
}

TEST_CASE("abi parse: what people write") {
  const struct {
    const char* text;
    const char* signature;
    std::size_t topics;
  } rows[] = {
      {"Transfer(address indexed from,address indexed to,uint256 value)",
       "Transfer(address,address,uint256)", 3},
      {" \n event\tTransfer ( address  indexed from , uint value ) ; ", "Transfer(address,uint256)",
       2},
      {"E(uint,int)", "E(uint256,int256)", 1},
      {"E(address payable indexed to)", "E(address)", 2},
      {"E(uint a, uint b) anonymous", "E(uint256,uint256)", 0},
      {"E(bool indexed, bool indexed, bool indexed, bool indexed) anonymous;",
       "E(bool,bool,bool,bool)", 4},
      {"event event(bool event)", "event(bool)", 1},
      {"event(bool)", "event(bool)", 1},
      {"$_1()", "$_1()", 1},
      {"E(uint8 uint16, bytes bytes32)", "E(uint8,bytes)", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto event = parse_event(row.text);
    REQUIRE(event);
    CHECK(event->signature() == row.signature);
    CHECK(event->topic_count() == row.topics);
  }
}

TEST_CASE("abi parse: names, and arg0 where there is none") {
  const auto event = parse_event("E(uint8, address indexed who, bytes)").value();
  REQUIRE(event.inputs.size() == 3);
  CHECK(event.inputs[0].name == "arg0");
  CHECK(event.inputs[1].name == "who");
  CHECK(event.inputs[1].indexed);
  CHECK(event.inputs[2].name == "arg2");
  CHECK_FALSE(event.inputs[2].indexed);
  CHECK(event.inputs[2].type.dynamic());
  CHECK_FALSE(event.inputs[0].type.dynamic());
}

TEST_CASE("abi parse: every elementary type") {
  std::vector<std::string> types{"address", "bool", "bytes", "string"};
  for (int bits = 8; bits <= 256; bits += 8) {
    types.push_back("uint" + std::to_string(bits));
    types.push_back("int" + std::to_string(bits));
  }
  for (int size = 1; size <= 32; ++size)
    types.push_back("bytes" + std::to_string(size));
  for (const auto& type : types) {
    CAPTURE(type);
    const auto event = parse_event("E(" + type + " x)");
    REQUIRE(event);
    CHECK(event->inputs[0].type.canonical() == type);
  }
}

TEST_CASE("abi parse: errors say where and what would be right") {
  const struct {
    const char* text;
    std::size_t at;
    const char* says;
  } rows[] = {
      {"", 0, "name"},
      {"event", 5, "name"},
      {"event ", 6, "name"},
      {"Transfer", 8, "'('"},
      {"1E()", 0, "name"},
      {"E(", 2, "a type"},
      {"E(uint256", 9, "',' or ')'"},
      {"E(uint256 a", 11, "',' or ')'"},
      {"E(uint256 a b)", 12, "',' or ')'"},
      {"E(uint256,)", 10, "a type"},
      {"E(,uint256)", 2, "a type"},
      {"E(uint256 a) x", 13, "the end"},
      {"E(uint256 a);;", 13, "the end"},
      {"E(uint256 a) anonymous anonymous", 23, "the end"},
      {"E(uint25 a)", 2, "8, 16, 24"},
      {"E(uint0 a)", 2, "8, 16, 24"},
      {"E(uint08 a)", 2, "8, 16, 24"},
      {"E(int264 a)", 2, "8, 16, 24"},
      {"E(int99999999999 a)", 2, "8, 16, 24"},
      {"E(bytes33 a)", 2, "bytes1 to bytes32"},
      {"E(bytes0 a)", 2, "bytes1 to bytes32"},
      {"E(bool ok, IERC20 token)", 11, "write address"},
      {"E(Uint256 a)", 2, "no type"},
      {"E(function f)", 2, "no type"},
      {"E(uint256 payable a)", 10, "cannot stand here"},
      {"E(bool indexed indexed)", 15, "cannot stand here"},
      {"E(string memory s)", 16, "',' or ')'"},
      {"E(bool a, bool a)", 10, "called 'a'"},
      {"E(bool arg1, bool)", 13, "called 'arg1'"},
      {"E(bool indexed, bool indexed, bool indexed, bool indexed)", 44, "at most 3"},
      {"E(bool indexed a,bool indexed b,bool indexed c,bool indexed d,bool indexed e) anonymous",
       62, "at most 3, or 4"},
      {"E((address a, uint256[3] a)[] orders)", 14, "called 'a'"},
      {"E(uint256[ a)", 11, "']'"},
      {"E(uint256[0] a)", 10, "length"},
      {"E(uint256[99999999999999999999] a)", 10, "length"},
      {"E(tuple t)", 8, "'('"},
      {"E((address a t)", 13, "in the tuple"},
      {"E(()", 3, "a type"},
      {"E(bool grün)", 9, "not ASCII"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto event = parse_event(row.text);
    REQUIRE_FALSE(event);
    CHECK(event.error().at == row.at);
    CHECK_THAT(event.error().text, Catch::Contains(row.says));
  }
}

TEST_CASE("abi parse: depth and length have an end") {
  CHECK_THAT(parse_event("E(" + std::string(10'000, '(')).error().text,
             Catch::Contains("too deep"));
  std::string dimensions = "E(bool";
  for (int i = 0; i < 5000; ++i)
    dimensions += "[]";
  CHECK_THAT(parse_event(dimensions + ")").error().text, Catch::Contains("dimensions"));
  // Both together: what is decoded becomes JSON.
  std::string both = "bool";
  for (int i = 0; i < 8; ++i)
    both = '(' + both + "[])";
  CHECK(parse_event("E(" + both + ")"));
  CHECK_THAT(parse_event("E(" + both + "[])").error().text, Catch::Contains("too deep"));
  CHECK_THAT(parse_event("E(bool " + std::string(20'000, 'a') + ")").error().text,
             Catch::Contains("too long"));
}

TEST_CASE("abi parse: arrays and tuples, in either way of writing them") {
  const struct {
    const char* text;
    const char* signature;
  } rows[] = {
      {"E(uint256[] a)", "E(uint256[])"},
      {"E(bool x, bytes32[2][] a)", "E(bool,bytes32[2][])"},
      {"E((address a, uint256[3] b)[] orders)", "E((address,uint256[3])[])"},
      {"event E(tuple(address maker, (bool, uint) inner) indexed t)",
       "E((address,(bool,uint256)))"},
      {"E(tuple(uint)[2][] , string)", "E((uint256)[2][],string)"},
      {"E(tuple ( uint a ) [ 3 ] indexed x) anonymous;", "E((uint256)[3])"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto event = parse_event(row.text);
    REQUIRE(event);
    CHECK(event->signature() == row.signature);
  }
  const auto t = parse_event("E((address maker, (bool, uint8) inner) indexed, uint8[4])").value();
  CHECK(t.inputs[0].name == "arg0");
  CHECK(t.inputs[0].indexed);
  CHECK(t.inputs[0].type.names == std::vector<std::string>{"maker", "inner"});
  CHECK(t.inputs[0].type.inner[1].names == std::vector<std::string>{"", ""});
  CHECK(t.inputs[1].name == "arg1");
}

TEST_CASE("abi types: the size of a head is held, whatever the lengths multiply to") {
  const struct {
    const char* type;
    std::uint64_t size;
  } rows[] = {
      {"uint8", 32},
      {"string", 32},
      {"uint8[3]", 96},
      {"uint8[]", 32},
      {"string[3]", 32},
      {"(uint8,bool[2])", 96},
      {"(uint8,bytes)", 32},
      {"(uint8,bool[2])[3]", 288},
      {"uint8[1000000000][1000000000][1000000000]", std::uint64_t{1} << 40},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type);
    CHECK(type_of(row.type).head_size() == row.size);
  }
}

TEST_CASE("abi types: the canonical text of arrays and tuples") {
  abi_type number;
  number.size = 8;
  abi_type list;
  list.is = abi_type::kind::array;
  list.inner = {number};
  abi_type pair = list;
  pair.length = 2;
  abi_type both;
  both.is = abi_type::kind::tuple;
  both.inner = {list, pair};
  CHECK(both.canonical() == "(uint8[],uint8[2])");
  CHECK(both.dynamic());
  CHECK(list.dynamic());
  CHECK_FALSE(pair.dynamic());
  CHECK(pair.hashed_in_topic());
}
