// SPDX-License-Identifier: MIT
#include "net/egress.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tidemark::net {
namespace {

namespace ip = boost::asio::ip;

struct v4_range {
  std::uint32_t first;
  unsigned bits;
  bool contains(std::uint32_t a) const { return (a >> (32 - bits)) == (first >> (32 - bits)); }
};

constexpr std::array<v4_range, 4> v4_private{{
    {0x0A000000, 8},  // 10.0.0.0 RFC 1918
    {0x7F000000, 8},  // 127.0.0.0 loopback
    {0xAC100000, 12}, // 172.16.0.0 RFC 1918
    {0xC0A80000, 16}, // 192.168.0.0 RFC 1918
}};

constexpr std::array<v4_range, 12> v4_never{{
    {0x00000000, 8},  // 0.0.0.0 "this network"
    {0x64400000, 10}, // 100.64.0.0 CGNAT, and a metadata service in it
    {0xA83F8110, 32}, // 168.63.129.16 metadata behind a public address
    {0xA9FE0000, 16}, // 169.254.0.0 link-local, and the metadata services
    {0xC0000000, 24}, // 192.0.0.0 IETF protocol assignments
    {0xC0000200, 24}, // 192.0.2.0 documentation
    {0xC0586300, 24}, // 192.88.99.0 6to4 relays
    {0xC6120000, 15}, // 198.18.0.0 benchmarks
    {0xC6336400, 24}, // 198.51.100.0 documentation
    {0xCB007100, 24}, // 203.0.113.0 documentation
    {0xE0000000, 4},  // 224.0.0.0 multicast
    {0xF0000000, 4},  // 240.0.0.0 reserved, broadcast
}};

template <std::size_t N> bool in(const std::array<v4_range, N>& ranges, std::uint32_t a) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const v4_range& r) { return r.contains(a); });
}

bool v4_may(std::uint32_t a, bool private_ok) {
  if (in(v4_never, a)) return false;
  return private_ok || !in(v4_private, a);
}

using v6_bytes = ip::address_v6::bytes_type;

struct v6_range {
  v6_bytes first;
  unsigned bits;
  bool contains(const v6_bytes& a) const {
    for (unsigned i = 0; i < bits; ++i)
      if (((a[i / 8] ^ first[i / 8]) >> (7 - i % 8) & 1) != 0) return false;
    return true;
  }
};

constexpr v6_range v6_mapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr v6_range v6_nat64{{0x00, 0x64, 0xff, 0x9b}, 96};
constexpr v6_range v6_6to4{{0x20, 0x02}, 16};
constexpr v6_range v6_loopback{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128};
constexpr v6_range v6_ula{{0xfc}, 7};
constexpr v6_range v6_global{{0x20}, 3};

constexpr std::array<v6_range, 2> v6_metadata{{
    {{0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128}, // fd00:ec2::254
    {{0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128}, // fd20:ce::254
}};

constexpr std::array<v6_range, 3> v6_not_global{{
    {{0x20, 0x01, 0x00}, 23},       // 2001::/23 Teredo, ORCHID, benchmarks
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, // 2001:db8::/32 documentation
    {{0x3f, 0xff, 0x00}, 20},       // 3fff::/20 documentation
}};

template <std::size_t N> bool in(const std::array<v6_range, N>& ranges, const v6_bytes& a) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const v6_range& r) { return r.contains(a); });
}

std::uint32_t carried(const v6_bytes& a, std::size_t at) {
  return std::uint32_t{a[at]} << 24 | std::uint32_t{a[at + 1]} << 16 |
         std::uint32_t{a[at + 2]} << 8 | a[at + 3];
}

bool v6_may(const v6_bytes& a, bool private_ok) {
  if (v6_mapped.contains(a)) return v4_may(carried(a, 12), private_ok);
  if (v6_nat64.contains(a)) return v4_may(carried(a, 12), false);
  if (v6_6to4.contains(a)) return v4_may(carried(a, 2), false);
  if (v6_loopback.contains(a)) return private_ok;
  if (v6_ula.contains(a)) return private_ok && !in(v6_metadata, a);
  return v6_global.contains(a) && !in(v6_not_global, a);
}

} // namespace

bool may_connect(const ip::address& address, egress mode) {
  if (mode == egress::anything) return true;
  const bool private_ok = mode == egress::private_ok;
  return address.is_v4() ? v4_may(address.to_v4().to_uint(), private_ok)
                         : v6_may(address.to_v6().to_bytes(), private_ok);
}

} // namespace tidemark::net
