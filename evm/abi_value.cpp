// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <algorithm>
#include <optional>

namespace tidemark::evm {
namespace {

using kind = abi_type::kind;

const integer two_256 = integer(1) << 256;

/// 32 octets, big-endian, two's complement.
hash32 to_word(const integer& v) {
  integer left = v < 0 ? integer(v + two_256) : v;
  hash32 out;
  for (auto octet = out.octets.rbegin(); octet != out.octets.rend(); octet += 8) {
    auto limb = static_cast<std::uint64_t>(left & ~std::uint64_t{0});
    for (auto to = octet; to != octet + 8; ++to, limb >>= 8)
      *to = static_cast<std::uint8_t>(limb);
    left >>= 64;
  }
  return out;
}

void append_padded(bytes& out, bytes_view content) {
  out.insert(out.end(), content.begin(), content.end());
  out.resize((out.size() + 31) / 32 * 32);
}

bytes_view octets_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The in-place encoding of indexed values (ABI specification, "Encoding of indexed event
/// parameters"): no offsets, no lengths, all in multiples of 32 octets.
void append_in_place(bytes& out, const abi_type& type, const abi_value& value) {
  if (const auto* members = std::get_if<std::vector<abi_value>>(&value.is)) {
    for (std::size_t i = 0; i < members->size() && !type.inner.empty(); ++i) {
      const auto& member = type.inner[type.is == kind::tuple ? i % type.inner.size() : 0];
      append_in_place(out, member, (*members)[i]);
    }
  } else if (const auto* text = std::get_if<std::string>(&value.is)) {
    append_padded(out, octets_of(*text));
  } else if (const auto* content = std::get_if<bytes>(&value.is)) {
    append_padded(out, *content);
  } else {
    append_padded(out, topic_of(type, value).view());
  }
}

} // namespace

bool operator==(const abi_value& a, const abi_value& b) { return a.is == b.is; }

std::string to_decimal(const integer& v) {
  if (v >= 0 && v <= ~std::uint64_t{0}) return std::to_string(static_cast<std::uint64_t>(v));
  return v.str();
}

hash32 topic_of(const abi_type& type, const abi_value& value) {
  hash32 out;
  if (const auto* number = std::get_if<integer>(&value.is)) return to_word(*number);
  if (const auto* known = std::get_if<hashed>(&value.is)) return known->hash;
  if (const auto* flag = std::get_if<bool>(&value.is)) {
    out.octets.back() = *flag ? 1 : 0;
    return out;
  }
  if (const auto* address = std::get_if<address20>(&value.is)) {
    std::copy(address->octets.begin(), address->octets.end(), out.octets.end() - address20::size);
    return out;
  }
  if (const auto* text = std::get_if<std::string>(&value.is)) return keccak256(*text);
  if (const auto* content = std::get_if<bytes>(&value.is)) {
    if (type.is != kind::fixed_bytes) return keccak256(*content);
    std::copy_n(content->begin(), std::min<std::size_t>(content->size(), 32), out.octets.begin());
    return out;
  }
  bytes encoded;
  append_in_place(encoded, type, value);
  return keccak256(encoded);
}

} // namespace tidemark::evm
