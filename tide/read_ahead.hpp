// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/chain_ways.hpp"
#include "tide/interest.hpp"
#include "tide/nursery.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::tide {

/// What of these logs of a range answer that passed check_range is ours. `of` (null: nobody in
/// particular): what it wants too. Logs that fit by topics alone are counted in `undecodable`, if
/// given.
void match_logs(std::vector<sighting>& out, const std::vector<evm::header>& headers,
                std::span<const evm::log> logs, const interest& wants, const interest* of,
                const nursery& children, std::uint64_t* undecodable);

/// The same before the range's turn, a part at a time. It holds as long as `by` and `ways` are the
/// chain's, where nobody wants transactions and no factory makes children.
struct matched_range {
  std::shared_ptr<const interest> by;
  chain_ways ways;
  std::size_t logs = 0; ///< so many of its logs
  std::vector<sighting> seen = {};
  std::uint64_t undecodable = 0;
};

/// Is the one the other, or its beginning?
bool is_ahead(const ask_range& asked, const ask_range& wanted);
bool same_blocks(const ask_blocks& asked, const ask_blocks& wanted);

constexpr std::size_t whole_blocks_an_ask = 20;

/// Ranges that are read while the store writes those below them: one on its way, and one that has
/// come; then, where that one lies within max_depth, the blocks of it that will be wanted whole.
/// Whatever else is asked gives all of them up.
struct read_ahead {
  struct range {
    ask_range what;
    std::uint64_t bound = 0; ///< no higher than this block, whatever comes after it
  };
  struct arrival {
    ask_range what;
    answer says;
    std::optional<matched_range> matched;
    std::int64_t at = 0; ///< ms since 1970
  };
  std::optional<range> asked; ///< by the open ask
  std::optional<arrival> come;
  struct part {
    ask_blocks what;
    answer says;
    std::int64_t at = 0; ///< ms since 1970
  };
  struct whole_blocks {
    std::vector<evm::block_id> unread; ///< not asked for yet, ascending
    std::optional<ask_blocks> asked;   ///< by the open ask
    std::deque<part> come;             ///< in the order in which they are wanted
  } whole;
  /// The last range needed no other answer than its own: the one after the next is worth asking for
  /// too.
  bool suffices = false;
};

} // namespace tidemark::tide
