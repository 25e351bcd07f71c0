// SPDX-License-Identifier: MIT
#pragma once

#include "tide/write_set.hpp"

#include <cstdint>
#include <optional>

// What a reading of a log does to the event's row (design §5, Identity). Pure: the store asks, and
// writes what it says.

namespace tidemark::tide {

/// How the log was read.
enum class reading : std::uint8_t {
  saw,     ///< at the head: tells, confirms nothing
  shown,   ///< by number, within max_depth: confirms what agrees, a difference is a dispute
  settled, ///< the same, deeper: the answer is enough
  proved   ///< its block was read whole and proves itself
};

/// An event as the store has it: its current inclusion.
struct event_row {
  tide::status status = status::pending;
  evm::block_id block;
  std::uint64_t digest = 0;
  needs asks;
  tide::why undone = why::none; ///< of a rolled_back: why
};

enum class dispute : std::uint8_t {
  none,
  read_whole, ///< answer and row differ: the log's block must prove which is right
  left,       ///< the row's block is not canonical any more: it must be rolled back first
  second      ///< the event is in two canonical blocks: the second is not stored, but said
};

/// In this order: `corrects`, `opens`, `confirms`. With a dispute there is nothing to do to the
/// row.
struct folded {
  tide::dispute dispute = dispute::none;
  bool corrects = false; ///< the current inclusion never was: rolled back, `corrected`
  bool opens =
      false; ///< a new inclusion: the event is pending, or confirmed at once with `confirms`
  bool confirms = false;
  friend bool operator==(const folded&, const folded&) = default;
};

/// `row_left`: at the height of the row's block another hash is canonical.
folded fold(const std::optional<event_row>& row, const sighting& log, reading how,
            const chain_view& view, bool row_left);

/// A row in a block that was read, by `shown`, `settled` or `proved`, without its log.
folded fold_absent(const event_row& row, reading how);

} // namespace tidemark::tide
