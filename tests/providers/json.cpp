// SPDX-License-Identifier: MIT
#include "providers/json.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <string>

using namespace tidemark::providers;

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

} // namespace

TEST_CASE("JSON that is refused") {
  for (const std::string text :
       {"", " ", "{", "[1,]", "{\"a\":1,}", "{}x", "{} {}", "nul", "'a'", "\xef\xbb\xbf{}",
        "\"\xc3\x28\"", "\"\x80\"", "[01]", "[+1]", "[.5]", "[1.]", "[NaN]", "/**/1"}) {
    INFO(text);
    CHECK_FALSE(parse_json(text).has_value());
  }
  CHECK(parse_json(nested(32)).has_value());
  CHECK_FALSE(parse_json(nested(33)).has_value());
  CHECK_FALSE(parse_json(nested(100'000)).has_value());
  CHECK_FALSE(parse_json(std::string_view{"{}\0", 3}).has_value());
}

TEST_CASE("a member twice, anywhere") {
  for (const std::string text :
       {R"({"a":1,"a":1})", R"({"a":1,"\u0061":2})", R"([{"b":{"a":1,"c":2,"a":3}}])",
        R"({"a":{"x":1,"y":2},"a":{"x":1}})"}) {
    INFO(text);
    CHECK_FALSE(parse_json(text).has_value());
  }
  CHECK(parse_json(R"([{"a":1,"A":1,"b":{"a":1}},{"a":1}])").has_value());
}

TEST_CASE("numbers that nobody asks for") {
  const auto v = parse_json(R"([123456789012345678901234567890,1e400,-1e400,1e-400,
      18446744073709551615,-9223372036854775808,1.2345678901234568e+26])");
  REQUIRE(v.has_value());
  const auto& a = v->as_array();
  CHECK(a.at(0).is_double());
  CHECK(a.at(1).as_double() == std::numeric_limits<double>::infinity());
  CHECK(a.at(4).as_uint64() == std::numeric_limits<std::uint64_t>::max());
  CHECK(a.at(5).as_int64() == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("what a quantity may look like") {
  struct row {
    std::string text;
    std::optional<std::uint64_t> is;
    bool refused = false;
  };
  const row rows[] = {
      {"17", 17},
      {"0", 0},
      {R"("17")", 17},
      {R"("0017")", 17},
      {R"("0x11")", 17},
      {R"("0X0011")", 17},
      {R"("0xAb")", 0xab},
      {R"("")", {}},
      {"null", {}},
      {"9223372036854775807", 9223372036854775807U},
      {R"("0x7fffffffffffffff")", 9223372036854775807U},
      {"9223372036854775808", {}, true},
      {"18446744073709551616", {}, true},
      {R"("0x8000000000000000")", {}, true},
      {R"("0x1ffffffffffffffff")", {}, true},
      {"-1", {}, true},
      {"1.0", {}, true},
      {"1e400", {}, true},
      {"true", {}, true},
      {"{}", {}, true},
      {"[1]", {}, true},
      {R"("0x")", {}, true},
      {R"("-1")", {}, true},
      {R"("+1")", {}, true},
      {R"(" 1")", {}, true},
      {R"("1 ")", {}, true},
      {R"("1e3")", {}, true},
      {R"("ab")", {}, true},
      {R"("0xg")", {}, true},
      {R"("0x-1")", {}, true},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    const auto v = parse_json("{\"n\":" + r.text + "}");
    REQUIRE(v.has_value());
    hint h;
    hint_fields fields{*v, h};
    fields.block_number({"absent", "n"});
    CHECK(fields.trouble.has_value() == r.refused);
    CHECK(h.block_number == r.is);
  }
}

TEST_CASE("the ranges of a hint's members") {
  const auto v = parse_json(R"({"max":2147483647,"over":2147483648,"yes":true,"text":"true",
      "short":"0x12","id":"0xa","word":"base-mainnet","bad":"0xzz"})");
  REQUIRE(v.has_value());
  hint h;
  CHECK_FALSE(hint_fields{*v, h}.log_index({"max"}).trouble);
  CHECK(h.log_index == 2147483647U);
  CHECK(hint_fields{*v, h}.log_index({"over"}).trouble);
  CHECK_FALSE(hint_fields{*v, h}.removed({"yes"}).trouble);
  CHECK(h.removed == true);
  CHECK(hint_fields{*v, h}.removed({"text"}).trouble);
  CHECK(hint_fields{*v, h}.tx({"short"}).trouble);
  CHECK(hint_fields{*v, h}.block_hash({"max"}).trouble);
  CHECK_FALSE(hint_fields{*v, h}.chain({"id", "word"}).trouble);
  CHECK(h.chain_id == 10U);
  CHECK(h.network == "base-mainnet");
  CHECK(hint_fields{*v, h}.chain({"bad"}).trouble);
  CHECK(hint_fields{*v, h}.chain({"yes"}).trouble);
}

TEST_CASE("nothing is read after the first trouble") {
  const auto v = parse_json(R"({"a":-1,"b":2})");
  REQUIRE(v.has_value());
  hint h;
  hint_fields fields{*v, h};
  fields.block_number({"a"}).log_index({"b"});
  REQUIRE(fields.trouble);
  CHECK(fields.trouble->text == "a is not a block number");
  CHECK_FALSE(h.log_index);
}
