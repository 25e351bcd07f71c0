// SPDX-License-Identifier: MIT
#include "evm/bloom.hpp"

#include "evm/keccak.hpp"

namespace tidemark::evm {
namespace {

struct place {
  std::size_t octet;
  std::uint8_t mask;
};

/// The low 11 bits of each of the hash's first three pairs of octets; bit 0 is the last octet's
/// lowest.
std::array<place, 3> places(bytes_view value) {
  const auto hash = keccak256(value);
  std::array<place, 3> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const unsigned bit = (hash.octets[2 * i] << 8 | hash.octets[2 * i + 1]) & 2047;
    out[i] = {255 - bit / 8, static_cast<std::uint8_t>(1u << bit % 8)};
  }
  return out;
}

} // namespace

void bloom::add(bytes_view value) {
  for (const auto& p : places(value))
    bits.octets[p.octet] |= p.mask;
}

bool bloom::may_contain(bytes_view value) const {
  for (const auto& p : places(value)) {
    if ((bits.octets[p.octet] & p.mask) == 0) return false;
  }
  return true;
}

} // namespace tidemark::evm
