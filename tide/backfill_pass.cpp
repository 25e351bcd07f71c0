// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>

// A subscription that counts from below the mark: what lies there is scanned while the chain goes
// on, a range at a time (contract §2, last paragraphs).

namespace tidemark::tide {

/// The next range of the first backfill. What a fork brought above the mark meanwhile is
/// reconcile's, which reads it with this subscription too.
tide::pass tide::backfill_pass() {
  const backfill next = counts_.backfills.front();
  if (next.at <= mark_->number) {
    const auto to = std::min(next.to, mark_->number);
    co_return co_await reconcile_pass(next.at, to, false, &next);
  }
  write_set set = new_set();
  set.verdicts.push_back(backfilled{next.subscription, next.at, next.to});
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  if (!std::holds_alternative<applied>(done)) co_return pass_end::failed;
  advance(counts_.backfills, next.subscription, next.at, next.to);
  co_return pass_end::done;
}

/// A range below all that we hold links to nothing of ours: whoever gave it has to be on our chain,
/// which shows at the mark.
task<bool> tide::has_our_mark(const answer& range, std::uint64_t last) {
  if (held_.find(last)) co_return true; // it was compared
  const evm::block_id ours = *mark_;
  ask_for(ask_headers{ours.number, ours.number}, range.endpoint);
  const answer a = co_await the_answer{*this};
  const auto* there = header_at(a, ours.number);
  if (!there) co_return false;
  if (there->hash == ours.hash) co_return true;
  suspect_reorg_ = true;
  fail(range.endpoint_name + " is on another chain at the mark, " + place(ours));
  co_return false;
}

} // namespace tidemark::tide
