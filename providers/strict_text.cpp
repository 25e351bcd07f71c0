// SPDX-License-Identifier: MIT
#include "providers/strict_text.hpp"

#include <array>

namespace tidemark::providers {

namespace {

constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> values_of(std::string_view alphabet) {
  std::array<std::uint8_t, 256> values{};
  for (auto& v : values)
    v = no_digit;
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}

constexpr auto hex_values = values_of("0123456789abcdef");
constexpr auto base64_values =
    values_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

} // namespace

std::optional<evm::bytes> decode_lower_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  evm::bytes out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = hex_values[static_cast<unsigned char>(text[i])];
    const auto low = hex_values[static_cast<unsigned char>(text[i + 1])];
    if (high == no_digit || low == no_digit) return std::nullopt;
    out.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return out;
}

std::optional<evm::bytes> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const auto length = text.size();
  for (int i = 0; i < 2 && text.ends_with('='); ++i)
    text.remove_suffix(1);
  evm::bytes out;
  out.reserve(length / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto value = base64_values[static_cast<unsigned char>(c)];
    if (value == no_digit) return std::nullopt;
    bits = (bits << 6 | value) & 0xfffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  // Spare bits that are not zero would give one MAC many texts.
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return out;
}

} // namespace tidemark::providers
