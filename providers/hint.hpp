// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::providers {

/// What a payload claims about one thing on a chain: where to look, never what is there. Each
/// member may be unknown, even all of them (a pending log has no place yet).
struct hint {
  std::optional<std::uint64_t> chain_id; ///< as a number in the payload
  std::string network; ///< the provider's own name of the chain; empty: it gives none
  std::optional<std::uint64_t> block_number; ///< at most 2^63 - 1
  std::optional<evm::hash32> block_hash, tx;
  std::optional<std::uint32_t> log_index; ///< within the block; at most 2^31 - 1
  /// The sender's word that it left the chain: a reason to look again, no more.
  std::optional<bool> removed;
  /// The sender takes something back, in whatever words: what is held of it is not taken for
  /// granted.
  bool takes_back = false;
  friend bool operator==(const hint&, const hint&) = default;
};

/// A body that names more is not understood.
inline constexpr std::size_t max_hints = 100'000;

} // namespace tidemark::providers
