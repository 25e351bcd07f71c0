// SPDX-License-Identifier: MIT
#pragma once

#include "tide/tide.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace tidemark::tide {

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

  bool answered_in(std::uint64_t number) const {
    const auto at =
        std::lower_bound(seen.begin(), seen.end(), number,
                         [](const sighting& x, std::uint64_t n) { return x.block.number < n; });
    return at != seen.end() && at->block.number == number;
  }
};

} // namespace tidemark::tide
