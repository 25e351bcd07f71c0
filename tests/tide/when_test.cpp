// SPDX-License-Identifier: MIT
#include "tide/when.hpp"

#include "evm/hex.hpp"
#include "tests/evm/show_result.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;

namespace {

const char* const order =
    "E(uint256 value, int256 delta, uint8 small, address from, address to, bool open, bytes4 tag, "
    "bytes blob, string note, string indexed name, (address maker, uint128 price, (bool, int8) "
    "inner) order, uint256[] ids)";

evm::abi_value text(const char* t) { return {std::string(t)}; }

/// The arguments of `order`, as a log would have them.
std::vector<evm::abi_value> arguments() {
  const auto maker = *evm::parse_address("0x52908400098527886e0f7030069857d2e4169ee7");
  const auto taker = *evm::parse_address("0x8617e340b3d01fa5f11f306f4090fd50e238070d");
  const evm::abi_type string_type{evm::abi_type::kind::string, 0, -1, {}, {}};
  using list = std::vector<evm::abi_value>;
  evm::abi_value inner{list{evm::abi_value{false}, evm::abi_value{evm::integer(-3)}}};
  evm::abi_value order_value{
      list{evm::abi_value{maker}, evm::abi_value{evm::integer(1'000'000)}, std::move(inner)}};
  const evm::integer value = (evm::integer(1) << 256) - 1;
  const evm::integer delta = -(evm::integer(1) << 255);
  return {{value},
          {delta},
          {evm::integer(7)},
          {maker},
          {taker},
          {true},
          {evm::bytes{0xde, 0xad, 0xbe, 0xef}},
          {evm::bytes{}},
          text("it's"),
          {evm::hashed{evm::topic_of(string_type, text("alice"))}},
          std::move(order_value),
          evm::abi_value{list{}}};
}

std::vector<evm::abi_parameter> inputs() { return evm::parse_event(order).value().inputs; }

std::optional<bool> holds(const char* expression, std::vector<std::size_t> unknown = {}) {
  const auto names = inputs();
  const auto values = arguments();
  std::vector<const evm::abi_value*> seen;
  for (const auto& v : values)
    seen.push_back(&v);
  for (const auto n : unknown)
    seen[n] = nullptr;
  return parse_when(expression, names).value().holds(seen);
}

} // namespace

TEST_CASE("when: comparisons are exact and of every type") {
  const struct {
    const char* expression;
    bool holds;
  } rows[] = {
      {"value == 115792089237316195423570985008687907853269984665640564039457584007913129639935",
       true},
      {"value > 115792089237316195423570985008687907853269984665640564039457584007913129639934",
       true},
      {"value >= 1_000_000e6", true},
      {"value <= 0xff", false},
      {"delta < 0", true},
      {"delta == -57896044618658097711785492504343953926634992332820282019728792003956564819968",
       true},
      {"delta < value", true},
      {"value > delta", true},
      {"small < delta", false},
      {"small != 7", false},
      {"7 == small", true},
      {"8 <= small", false},
      {"small >= 7", true},
      {"value > 0.5 ether", true},
      {"value > 0.5ether and value > 30 gwei", true},
      {"from == 0x52908400098527886E0F7030069857D2E4169EE7", true},
      {"from == \"0x52908400098527886e0f7030069857d2e4169ee7\"", true},
      {"from == to", false},
      {"from != to", true},
      {"order.maker == from", true},
      {"order.price == 1e6", true},
      {"order.inner.1 == -3", true},
      {"order.2.0", false},
      {"open", true},
      {"open == true", true},
      {"open != false", true},
      {"not open", false},
      {"tag == 0xdeadbeef", true},
      {"tag != '0xdeadbeee'", true},
      {"blob == 0x", true},
      {"blob == 0x00", false},
      {"note == \"it's\"", true},
      {"note == 'its'", false},
      {"name == 'alice'", true},
      {"name != 'alice'", false},
      {"name == note", false},
      {"true", true},
      {"false or (open)", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.expression);
    CHECK(holds(row.expression) == row.holds);
  }
}

TEST_CASE("when: not goes before and, and before or, brackets before all") {
  const struct {
    const char* expression;
    bool holds;
  } rows[] = {
      {"true or true and false", true}, {"(true or true) and false", false},
      {"not true or true", true},       {"not (true or true)", false},
      {"not false and false", false},   {"not not true", true},
      {"not small == 8", true},         {"small==7 and(open)or false", true},
      {"false or false or true", true}, {"\n true \t and\r\ntrue ", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.expression);
    CHECK(holds(row.expression) == row.holds);
  }
}

TEST_CASE("when: what hangs on an unknown value is unknown, and only that") {
  const struct {
    const char* expression;
    std::optional<bool> holds;
  } rows[] = {
      {"value > 1", std::nullopt},
      {"not value > 1", std::nullopt},
      {"small == 7", true},
      {"value > 1 or small == 7", true},
      {"small == 7 or value > 1", true},
      {"value > 1 and small == 8", false},
      {"small == 8 and value > 1", false},
      {"value > 1 and small == 7", std::nullopt},
      {"value > 1 or small == 8", std::nullopt},
      {"order.price > 1", std::nullopt},
      {"order.inner.0", std::nullopt},
      {"delta < value", std::nullopt},
  };
  for (const auto& row : rows) {
    CAPTURE(row.expression);
    CHECK(holds(row.expression, {0, 10}) == row.holds);
  }
}

TEST_CASE("when: errors say where and what would be right") {
  const struct {
    const char* expression;
    std::size_t at;
    const char* says;
  } rows[] = {
      {"", 0, "expected a name or a value, found the end"},
      {"valu > 1", 0, "no argument 'valu', did you mean 'value'?"},
      {"open and order.makr == from", 15, "'order' has no field 'makr', did you mean 'maker'?"},
      {"order.inner.2 == 1", 12, "'order.inner' has no field '2'"},
      {"value.x == 1", 6, "uint256, which has no fields"},
      {"name.x == 1", 5, "no fields"},
      {"order == 1", 0, "a tuple's fields can"},
      {"ids == 1", 0, "arrays and tuples cannot be compared"},
      {"value", 0, "no bool: compare it"},
      {"value >", 7, "found the end"},
      {"value > > 1", 8, "found '>'"},
      {"value = 1", 6, "'=='"},
      {"value > 1 && open", 10, "write and, or, not"},
      {"value > 1 + 1", 10, "no arithmetic"},
      {"value > 1 open", 10, "expected and, or, or the end, found 'open'"},
      {"1 < value < 3", 10, "do not chain"},
      {"(value > 1", 10, "expected ')', found the end"},
      {"value > 1)", 9, "found ')'"},
      {"value > 'a'", 8, "'value' is uint256 and cannot be compared with a text"},
      {"value == true", 9, "cannot be compared with true or false"},
      {"from == 5", 8, "address and cannot be compared with a number"},
      {"from < to", 5, "no order"},
      {"from == value", 5, "cannot be compared"},
      {"tag == 0xdead", 7, "exactly 8 hex digits"},
      {"tag == blob", 4, "cannot be compared"},
      {"small > 256", 8, "uint8 is 0 to 255"},
      {"value >= -1", 9, "0 to 1157"},
      {"value > 1.5", 8, "whole number"},
      {"value > 12abc", 10, "whole number"},
      {"from == 0x52908400098527886e0F7030069857D2E4169EE7", 8, "EIP-55"},
      {"from == '0x1'", 9, "40 hex digits"},
      {"note == 'x", 8, "a quote is missing"},
      {"1 == 1", 0, "two constants"},
      {"5 or true", 0, "a number, no bool"},
      {"or true", 0, "found 'or'"},
      {"value # 1", 6, "expected a name"},
  };
  const auto names = inputs();
  for (const auto& row : rows) {
    CAPTURE(row.expression);
    const auto parsed = parse_when(row.expression, names);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().at == row.at);
    CHECK_THAT(parsed.error().text, Catch::Contains(row.says));
  }
}

TEST_CASE("when: depth and length have an end") {
  const auto names = inputs();
  CHECK_THAT(parse_when(std::string(1'000, '('), names).error().text,
             Catch::Contains("nested too deep"));
  std::string nots;
  for (int i = 0; i < 100; ++i)
    nots += "not ";
  CHECK_THAT(parse_when(nots + "open", names).error().text, Catch::Contains("nested too deep"));
  CHECK_THAT(parse_when(std::string(5'000, ' '), names).error().text, Catch::Contains("4 KiB"));
  std::string many = "open";
  for (int i = 0; i < 400; ++i)
    many += " and open";
  CHECK(parse_when(many, names).has_value());
}

TEST_CASE("when: it says which inputs it names") {
  const auto names = inputs();
  CHECK(parse_when("open and order.price > 1", names).value().names_from(10));
  CHECK_FALSE(parse_when("open and order.price > 1", names).value().names_from(11));
  CHECK_FALSE(parse_when("not (true)", names).value().names_from(0));
  CHECK(parse_when("5 < value", names).value().names_from(0));
}
