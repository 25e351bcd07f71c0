// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <algorithm>

namespace tidemark::evm {

std::string to_checksum(const address20& a) {
  auto text = to_hex(a);
  const auto hash = keccak256(std::string_view(text).substr(2));
  for (std::size_t i = 0; i < 40; ++i) {
    const auto nibble = hash.octets[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15;
    auto& c = text[i + 2];
    if (c >= 'a' && nibble >= 8) c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::optional<address20> parse_user_address(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return std::nullopt;
  const auto body = text.substr(2);
  const bool lower = std::any_of(body.begin(), body.end(), [](char c) { return c >= 'a'; });
  const bool upper =
      std::any_of(body.begin(), body.end(), [](char c) { return c >= 'A' && c <= 'F'; });
  if (lower && upper && to_checksum(*address) != text) return std::nullopt;
  return address;
}

} // namespace tidemark::evm
