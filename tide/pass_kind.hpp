// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::tide {

/// What a Tide does at a time (design §5).
enum class pass_kind : std::uint8_t {
  none,
  start,
  nursery, ///< what factories made before anything of it counts
  head,
  hints,
  ripen,
  reconcile,
  overlap,
  ordered, ///< a range that an operator wants to be read again
  reorg,
  check,
  resume,
  skip,
  backfill ///< below the mark, for one subscription
};
inline constexpr auto pass_kinds = static_cast<std::size_t>(pass_kind::backfill) + 1; // the last

} // namespace tidemark::tide
