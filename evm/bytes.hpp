// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

namespace tidemark::evm {

using bytes = std::vector<std::uint8_t>;
using bytes_view = std::span<const std::uint8_t>;

/// N bytes in the order in which the chain writes them (big-endian where they are a number).
template <std::size_t N> struct fixed_bytes {
  std::array<std::uint8_t, N> octets{};

  static constexpr std::size_t size = N;
  bytes_view view() const noexcept { return octets; }
  bool is_zero() const noexcept { return *this == fixed_bytes{}; }
  friend auto operator<=>(const fixed_bytes&, const fixed_bytes&) = default;
};

using hash32 = fixed_bytes<32>;
using address20 = fixed_bytes<20>;

/// A height and the hash there; they travel as a pair, because a number alone names no block.
struct block_id {
  std::uint64_t number = 0;
  hash32 hash;
  friend auto operator<=>(const block_id&, const block_id&) = default;
};

} // namespace tidemark::evm

template <std::size_t N> struct std::hash<tidemark::evm::fixed_bytes<N>> {
  /// The values are hashes already (or addresses, which are parts of hashes): eight bytes of them
  /// do.
  std::size_t operator()(const tidemark::evm::fixed_bytes<N>& v) const noexcept {
    std::size_t h = 0;
    std::memcpy(&h, v.octets.data() + (N - sizeof h), sizeof h);
    return h;
  }
};
