// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bloom_bits.hpp"
#include "tide/tide.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace tidemark::tide {

/// False is certain, as far as the chain's blooms prove something: the block has no log of ours.
bool may_have_logs(const interest& wants, const chain_ways& ways, const evm::header& h,
                   proof asked);

/// What an answer says of a block: of each place, the digest of what is there.
using words = std::map<log_place, std::uint64_t>;

/// The header's bloom excludes this log: one of the two is not of the chain. Never so where blooms
/// are not known to hold, or of a log that is in none (state sync).
bool excludes(const evm::header& h, const evm::log& l, const chain_ways& ways,
              evm::bloom_memory& known);

/// One range on its way from reading to conclusion.
struct tide::scan {
  bool moves_mark = false;
  bool settles = false; ///< deeper than max_depth: the range answer is enough
  proof asked = proof::bloom;
  std::uint64_t from = 0;
  std::shared_ptr<const interest> seeks; ///< what the range is asked for
  std::optional<std::string> fills;      ///< the subscription, where it is read for one alone
  interest::filter filter;
  std::vector<evm::header> headers;
  std::vector<sighting> seen;                    ///< of the range answer, ascending
  std::map<std::uint64_t, block_reading> proven; ///< blocks of the range read whole, by number
  std::map<std::uint64_t, evm::block_id>
      left_behind; ///< blocks of rows that a fork left, by number
  std::uint64_t added = 0, denied = 0, equal = 0;
  answer from_whom; ///< the range answer, without what it said

  std::span<const sighting> seen_in(std::uint64_t number) const {
    const auto at =
        std::lower_bound(seen.begin(), seen.end(), number,
                         [](const sighting& x, std::uint64_t n) { return x.block.number < n; });
    const auto end = std::find_if(at, seen.end(),
                                  [number](const sighting& x) { return x.block.number != number; });
    return {at, end};
  }
  /// Logs of the range answer that make children of factories; they may be events as well.
  std::map<std::uint64_t, words> creations;
  words creations_in(std::uint64_t number) const {
    const auto at = creations.find(number);
    return at == creations.end() ? words{} : at->second;
  }
  /// Blocks of logs in the range answer that their headers' blooms exclude.
  std::set<std::uint64_t> excluded;
  bool answered_in(std::uint64_t number) const {
    return !seen_in(number).empty() || creations.contains(number);
  }
  bool logs_in(std::uint64_t number) const {
    const auto some = seen_in(number);
    return creations.contains(number) ||
           std::any_of(some.begin(), some.end(),
                       [](const sighting& x) { return x.log_index >= 0; });
  }
};

} // namespace tidemark::tide
