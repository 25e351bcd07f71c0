// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/hex.hpp"

#include <algorithm>
#include <optional>

namespace tidemark::evm {
namespace {

using kind = abi_type::kind;

const integer two_256 = integer(1) << 256;

/// The value of a digit of base 16; 16 where it is none.
unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

/// Digits with single '_' between them, from `at` to the first character that is neither. A number
/// of 256 bits or more is read to its end, but its value stays at 2^256: enough to be refused by
/// every range.
result<integer> read_digits(std::string_view text, std::size_t& at, unsigned base) {
  integer value = 0;
  bool digit_before = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '_') {
      if (!digit_before) return fail("'_' stands between two digits", at);
      digit_before = false;
      continue;
    }
    const auto digit = digit_of(text[at]);
    if (digit >= base) break;
    digit_before = true;
    if (value < two_256) value = value * base + digit;
  }
  if (!digit_before) return fail("expected a digit", at);
  return value;
}

/// The digits behind a '.': how many there are, and `value` with them at its end.
result<unsigned> read_fraction(std::string_view text, std::size_t& at, integer& value) {
  unsigned places = 0;
  for (; at < text.size() && digit_of(text[at]) < 10; ++at, ++places) {
    if (value >= two_256) return fail("too many digits", at);
    value = value * 10 + digit_of(text[at]);
  }
  if (places == 0) return fail("expected a digit", at);
  return places;
}

/// wei in one of it, as a power of ten.
result<unsigned> read_unit(std::string_view text, std::size_t& at) {
  const auto start = at;
  if (at < text.size() && text[at] == ' ') ++at;
  const auto word = text.substr(at);
  if (word == "gwei" || word == "ether") {
    at = text.size();
    return word == "gwei" ? 9u : 18u;
  }
  at = start;
  return 0u;
}

/// value · 10^up / 10^down, which must be whole.
result<integer> scaled(integer value, unsigned up, unsigned down) {
  for (; up > down && value < two_256 && value != 0; --up)
    value *= 10;
  for (; down > up && value != 0; --down) {
    if (value % 10 != 0) return fail("is not a whole number");
    value /= 10;
  }
  return value;
}

result<integer> read_decimal(std::string_view text, std::size_t& at) {
  auto value = read_digits(text, at, 10);
  if (!value) return value;
  unsigned down = 0, up = 0;
  if (at < text.size() && text[at] == '.') {
    const auto places = read_fraction(text, ++at, *value);
    if (!places) return places.error();
    down = *places;
  }
  const bool ether = text.substr(at) == "ether";
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E') && !ether) {
    auto exponent = read_digits(text, ++at, 10);
    if (!exponent) return exponent;
    // 10^78 is more than 2^256, so a larger one changes nothing but what a fraction takes away.
    up = static_cast<unsigned>(std::min(*exponent, integer(1'000'000)));
  }
  const auto unit = read_unit(text, at);
  if (!unit) return unit.error();
  return scaled(std::move(*value), up + *unit, down);
}

result<abi_value> parse_integer(const abi_type& type, std::string_view text) {
  auto value = parse_number(text);
  if (!value) return value.error();
  const bool is_signed = type.is == kind::int_;
  const integer above = integer(1) << (is_signed ? type.size - 1 : type.size);
  const integer lowest = is_signed ? integer(-above) : integer(0);
  if (*value < lowest || *value >= above) {
    return fail("out of range: " + type.canonical() + " is " + to_decimal(lowest) + " to " +
                to_decimal(above - 1));
  }
  return abi_value{std::move(*value)};
}

result<abi_value> parse_address_literal(std::string_view text) {
  if (const auto address = parse_user_address(text)) return abi_value{*address};
  if (const auto address = parse_address(text)) {
    return fail("wrong EIP-55 checksum: write it all in lower case, or " + to_checksum(*address));
  }
  return fail("expected an address: 0x and 40 hex digits");
}

result<abi_value> parse_octets(const abi_type& type, std::string_view text) {
  auto content = parse_hex(text);
  if (!content) return fail("expected 0x and an even number of hex digits");
  if (type.is == kind::fixed_bytes && content->size() != type.size) {
    return fail(type.canonical() + " is 0x and exactly " + std::to_string(2 * type.size) +
                " hex digits, here are " + std::to_string(2 * content->size()));
  }
  return abi_value{std::move(*content)};
}

} // namespace

result<integer> parse_number(std::string_view text) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++at;
  const bool hex = text.substr(at, 2) == "0x";
  if (hex) at += 2;
  auto value = hex ? read_digits(text, at, 16) : read_decimal(text, at);
  if (!value) return value;
  if (at != text.size()) {
    return fail("expected a whole number: 42, 1_000_000, 1e18, 0.5ether or 0x2a", at);
  }
  return negative ? integer(-*value) : *value;
}

result<abi_value> parse_value(const abi_type& type, std::string_view text) {
  switch (type.is) {
  case kind::uint:
  case kind::int_:
    return parse_integer(type, text);
  case kind::address:
    return parse_address_literal(text);
  case kind::boolean:
    if (text == "true" || text == "false") return abi_value{text == "true"};
    return fail("expected true or false");
  case kind::fixed_bytes:
  case kind::bytes:
    return parse_octets(type, text);
  case kind::string:
    return abi_value{std::string(text)};
  case kind::array:
  case kind::tuple:
    break;
  }
  return fail("an array or tuple cannot be written as one value; name a field of a tuple: "
              "order.maker");
}

} // namespace tidemark::evm
