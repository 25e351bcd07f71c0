// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::tide {

/// What becomes of a message that may not be tried any more.
enum class on_exhausted : std::uint8_t {
  block,     ///< it is tried on, and its key waits
  park_key,  ///< it and its key's later ones wait for an operator
  park_event ///< it waits for an operator, its key goes on
};

/// Why a gap stands where a message was to be.
enum class gap_reason : std::uint8_t { exhausted, skipped, expired, blocks, away };
std::string_view to_text(gap_reason r);

} // namespace tidemark::tide
