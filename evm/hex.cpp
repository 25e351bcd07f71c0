// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"

#include <cstring>

namespace tidemark::evm {
namespace {

constexpr char digits[] = "0123456789abcdef";
constexpr std::uint8_t no_digit = 0xff; // its high bits tell it from every digit's value

constexpr auto nibbles = [] {
  std::array<std::uint8_t, 256> t{};
  t.fill(no_digit);
  for (std::uint8_t i = 0; i < 10; ++i)
    t['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i)
    t['a' + i] = t['A' + i] = static_cast<std::uint8_t>(10 + i);
  return t;
}();

constexpr auto pairs = [] {
  std::array<std::array<char, 2>, 256> t{};
  for (std::size_t i = 0; i < 256; ++i)
    t[i] = {digits[i >> 4], digits[i & 15]};
  return t;
}();

std::uint8_t nibble(char c) { return nibbles[static_cast<unsigned char>(c)]; }

bool has_prefix(std::string_view text) {
  return text.size() >= 2 && text[0] == '0' && text[1] == 'x';
}

/// `text` has two digits for each octet of `out`. Looks at the end whether all were digits: answers
/// of megabytes come through here, and nearly all of them are good.
bool decode(std::string_view text, std::span<std::uint8_t> out) {
  std::uint8_t seen = 0;
  const char* in = text.data();
  for (auto& octet : out) {
    const auto high = nibble(in[0]);
    const auto low = nibble(in[1]);
    seen |= high | low;
    octet = static_cast<std::uint8_t>(high << 4 | low);
    in += 2;
  }
  return (seen & 0xf0) == 0;
}

} // namespace

void append_hex(std::string& out, bytes_view data) {
  const auto start = out.size();
  out.resize(start + 2 + 2 * data.size());
  char* to = out.data() + start;
  *to++ = '0';
  *to++ = 'x';
  for (auto octet : data) {
    std::memcpy(to, pairs[octet].data(), 2);
    to += 2;
  }
}

std::string to_hex(bytes_view data) {
  std::string out;
  append_hex(out, data);
  return out;
}

std::optional<bytes> parse_hex(std::string_view text) {
  if (!has_prefix(text) || text.size() % 2 != 0) return std::nullopt;
  bytes out((text.size() - 2) / 2);
  if (!decode(text.substr(2), out)) return std::nullopt;
  return out;
}

bool parse_hex_into(std::string_view text, std::span<std::uint8_t> out) {
  if (!has_prefix(text) || text.size() - 2 != 2 * out.size()) return false;
  return decode(text.substr(2), out);
}

std::optional<std::uint64_t> parse_quantity(std::string_view text) {
  if (!has_prefix(text) || text.size() == 2) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : text.substr(2)) {
    const auto digit = nibble(c);
    if (digit == no_digit || value >> 60 != 0) return std::nullopt;
    value = value << 4 | digit;
  }
  return value;
}

std::string to_quantity(std::uint64_t value) {
  int shift = 60;
  while (shift > 0 && value >> shift == 0)
    shift -= 4;
  std::string out = "0x";
  for (; shift >= 0; shift -= 4)
    out += digits[value >> shift & 15];
  return out;
}

} // namespace tidemark::evm
