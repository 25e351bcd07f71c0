// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tidemark::config {

/// 16 bytes, big-endian; an IPv4 address is its IPv4-mapped IPv6 one (RFC 4291 §2.5.5.2), so that a
/// socket that takes both compares as one that takes IPv4 alone.
using ip_octets = std::array<std::uint8_t, 16>;

/// An IPv4 or IPv6 literal, without brackets, port or zone.
std::optional<ip_octets> parse_ip(std::string_view text);

/// Addresses that begin alike: 10.0.0.0/8, 2001:db8::/32, or one address without a slash.
struct address_range {
  ip_octets first{};
  std::uint8_t length = 128; ///< bits of `first` that count, of the 128
  bool has(const ip_octets& ip) const;
  friend bool operator==(const address_range&, const address_range&) = default;
};

/// Nothing also where bits are set behind the length: whoever writes 10.0.0.1/8 means something
/// else.
std::optional<address_range> parse_range(std::string_view text);

bool any_has(std::span<const address_range> ranges, const ip_octets& ip);

} // namespace tidemark::config
