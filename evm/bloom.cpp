// SPDX-License-Identifier: MIT
#include "evm/bloom.hpp"

#include "evm/bloom_bits.hpp"
#include "evm/keccak.hpp"

#include <algorithm>

namespace tidemark::evm {
namespace {

/// Bit 0 is the last octet's lowest.
std::size_t octet_of(std::uint16_t bit) { return 255 - bit / 8; }
std::uint8_t mask_of(std::uint16_t bit) { return static_cast<std::uint8_t>(1u << bit % 8); }

} // namespace

/// The low 11 bits of each of the hash's first three pairs of octets.
bloom_bits bits_of(bytes_view value) {
  const auto hash = keccak256(value);
  bloom_bits out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint16_t>((hash.octets[2 * i] << 8 | hash.octets[2 * i + 1]) & 2047);
  return out;
}

void bloom::add(bytes_view value) {
  for (const auto bit : bits_of(value))
    bits.octets[octet_of(bit)] |= mask_of(bit);
}

bool bloom::may_contain(bytes_view value) const { return evm::may_contain(*this, bits_of(value)); }

bool may_contain(const bloom& in, const bloom_bits& value) {
  return std::all_of(value.begin(), value.end(), [&in](std::uint16_t bit) {
    return (in.bits.octets[octet_of(bit)] & mask_of(bit)) != 0;
  });
}

} // namespace tidemark::evm
