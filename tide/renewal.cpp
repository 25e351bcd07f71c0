// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

// Another config, lists that changed, or rows that an order left waiting.

namespace tidemark::tide {

tide::effects tide::renew(std::shared_ptr<const interest> wants, const boot_state& from,
                          millis now) {
  renewal_ = renewal{std::move(wants), from.counting, from.waiting};
  return run(now);
}

/// Between two passes: what the last one concluded was drawn with the old forms, which the store
/// knows by its number.
void tide::take_over() {
  wants_ = std::move(renewal_->wants);
  counts_ = std::move(renewal_->counts);
  backfills_wait_.clear();
  for (const auto& r : renewal_->waiting) {
    // A pass may have ended since that was read: what it took back waits no more.
    const bool stands = mark_ && r.block.number <= mark_->number && !held_.contradicts(r.block);
    if (stands && std::find(waiting_.begin(), waiting_.end(), r) == waiting_.end())
      waiting_.push_back(r);
  }
  renewal_.reset();
  held_.forget_whole();
}

} // namespace tidemark::tide
