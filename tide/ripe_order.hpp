// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tidemark::tide {

/// In which groups the blocks are read whose events wait for their own policies. One that nobody
/// serves any more must not hold the others: after a failure they are read one by one, and what
/// fails alone stands aside for a while and comes behind all others.
class ripe_order {
public:
  using millis = std::int64_t;
  static constexpr std::size_t most_at_once = 20;
  static constexpr millis rest = 30'000; ///< between two looks at one that stands aside

  bool rests(const evm::block_id& b, millis now) const {
    const auto at = aside_.find(b);
    return at != aside_.end() && now < at->second.until;
  }

  /// Of those that are ripe: what is read now.
  std::vector<evm::block_id> next(const std::set<evm::block_id>& ripe, millis now) const {
    std::vector<evm::block_id> out;
    for (const auto& b : ripe)
      if (out.size() < most_ && !aside_.contains(b)) out.push_back(b);
    if (!out.empty()) return out;
    const auto due = std::find_if(ripe.begin(), ripe.end(),
                                  [&](const evm::block_id& b) { return !rests(b, now); });
    if (due != ripe.end()) out.push_back(*due);
    return out;
  }

  void read(const std::vector<evm::block_id>& blocks) {
    for (const auto& b : blocks)
      aside_.erase(b);
    most_ = std::min(2 * most_, most_at_once);
  }

  void failed(const std::vector<evm::block_id>& blocks, const std::string& why, millis now) {
    if (blocks.size() == 1) aside_[blocks.front()] = {now + rest, why};
    most_ = 1;
  }

  /// What is not ripe any more has left, or was read by another pass.
  void only(const std::set<evm::block_id>& ripe) {
    std::erase_if(aside_, [&](const auto& one) { return !ripe.contains(one.first); });
  }

  struct stuck {
    millis until = 0;
    std::string why;
  };
  /// Those that stand aside, by height.
  const std::map<evm::block_id, stuck>& aside() const { return aside_; }

private:
  std::size_t most_ = most_at_once;
  std::map<evm::block_id, stuck> aside_;
};

} // namespace tidemark::tide
