// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::evm {

/// Lower-case hex with 0x.
std::string to_hex(bytes_view data);
template <std::size_t N> std::string to_hex(const fixed_bytes<N>& v) { return to_hex(v.view()); }
void append_hex(std::string& out, bytes_view data);

/// 0x and an even number of digits of any case; anything else is nothing.
std::optional<bytes> parse_hex(std::string_view text);
/// Exactly `out.size()` bytes; false leaves `out` undefined.
bool parse_hex_into(std::string_view text, std::span<std::uint8_t> out);
template <std::size_t N> std::optional<fixed_bytes<N>> parse_fixed(std::string_view text) {
  fixed_bytes<N> v;
  if (!parse_hex_into(text, v.octets)) return std::nullopt;
  return v;
}
inline std::optional<hash32> parse_hash(std::string_view text) { return parse_fixed<32>(text); }
inline std::optional<address20> parse_address(std::string_view text) {
  return parse_fixed<20>(text);
}

/// A JSON-RPC quantity: 0x and 1 or more digits, leading zeros allowed (endpoints send them); fits
/// 64 bits or is nothing.
std::optional<std::uint64_t> parse_quantity(std::string_view text);
/// 0x without leading zeros, as the execution API asks for.
std::string to_quantity(std::uint64_t value);

/// EIP-55 mixed-case text of an address.
std::string to_checksum(const address20& a);
/// An address as a person writes it: any case; mixed case must carry the right EIP-55 checksum.
std::optional<address20> parse_user_address(std::string_view text);

} // namespace tidemark::evm
