// SPDX-License-Identifier: MIT
#include "tide/scan.hpp"

#include <algorithm>

// What is so once a slice of a range is in the store.

namespace tidemark::tide {

/// What is final once the mark is at `mark`, where a policy rests on it: never above the mark,
/// never lower than before.
std::optional<evm::block_id> tide::final_at(const evm::block_id& mark) const {
  const auto seen = view().finalized;
  if (settings_.strongest_tag != tag::finalized || !seen) return std::nullopt;
  const auto end = *seen < mark.number ? *finalized_ : mark;
  if (final_ && end.number <= final_->number) return std::nullopt;
  const auto* held = held_.find(end.number);
  return end == mark || (held && held->id == end) ? std::optional(end) : std::nullopt;
}

void tide::after_slice(const scan& s, std::size_t last, const applied& a) {
  if (s.moves_mark) {
    const auto& top = s.headers[last - 1];
    for (const auto& h : s.headers) {
      if (h.number > top.number) break;
      if (mark_ && h.number <= mark_->number) continue;
      const auto* held = held_.find(h.number);
      held_.add(held_of(h, s.proven.count(h.number) > 0 || (held && held->whole)));
    }
    mark_ = top.id();
    if (mark_->number > settings_.max_depth) held_.drop_below(mark_->number - settings_.max_depth);
    if (const auto end = final_at(top.id())) final_ = end;
  }
  if (s.fills) advance(counts_.backfills, *s.fills, s.from, s.headers[last - 1].number);
  for (const auto& r : a.waiting)
    if (!dry_ && std::find(waiting_.begin(), waiting_.end(), r) == waiting_.end())
      waiting_.push_back(r);
}

} // namespace tidemark::tide
