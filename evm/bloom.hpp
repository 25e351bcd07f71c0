// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

namespace tidemark::evm {

/// The 2048-bit logs bloom of a header or receipt (yellow paper 4.3.1): three bits a value, by its
/// keccak.
struct bloom {
  fixed_bytes<256> bits;

  void add(bytes_view value);
  /// False is certain; true is "may be".
  bool may_contain(bytes_view value) const;
  friend bool operator==(const bloom&, const bloom&) = default;
};

} // namespace tidemark::evm
