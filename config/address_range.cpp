// SPDX-License-Identifier: MIT
#include "config/address_range.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace tidemark::config {

namespace {

constexpr std::uint8_t mapped_bits = 96;

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, out);
  if (trouble != std::errc{} || stop != end) return std::nullopt;
  return out;
}

bool bit(const ip_octets& ip, std::size_t n) { return (ip[n / 8] >> (7 - n % 8) & 1) != 0; }

} // namespace

std::optional<ip_octets> parse_ip(std::string_view text) {
  const std::string copy{text};
  if (copy.find('\0') != copy.npos) return std::nullopt;
  ip_octets out{};
  if (::inet_pton(AF_INET6, copy.c_str(), out.data()) == 1) return out;
  std::array<std::uint8_t, 4> four{};
  if (::inet_pton(AF_INET, copy.c_str(), four.data()) != 1) return std::nullopt;
  out = {};
  out[10] = out[11] = 0xff;
  std::copy(four.begin(), four.end(), out.begin() + 12);
  return out;
}

bool address_range::has(const ip_octets& ip) const {
  for (std::size_t n = 0; n < length; ++n)
    if (bit(ip, n) != bit(first, n)) return false;
  return true;
}

std::optional<address_range> parse_range(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = text.substr(0, slash);
  const auto ip = parse_ip(address);
  if (!ip) return std::nullopt;
  if (slash == text.npos) return address_range{*ip};
  const bool four = address.find(':') == address.npos;
  const auto bits = whole_number(text.substr(slash + 1));
  if (!bits || *bits > (four ? 32U : 128U)) return std::nullopt;
  address_range out{*ip, static_cast<std::uint8_t>(*bits + (four ? mapped_bits : 0))};
  for (std::size_t n = out.length; n < 128; ++n)
    if (bit(out.first, n)) return std::nullopt;
  return out;
}

bool any_has(std::span<const address_range> ranges, const ip_octets& ip) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const address_range& r) { return r.has(ip); });
}

} // namespace tidemark::config
