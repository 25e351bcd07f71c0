// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>

namespace tidemark::tide {
namespace {

constexpr std::uint64_t a_few = 8, most_held = 256;

} // namespace

/// Where a new chain counts from is resolved once, in the transaction that makes it so; from then
/// on the store knows.
tide::pass tide::start_pass() {
  ask_for(ask_head{});
  const answer latest = co_await the_answer{*this};
  const auto* head = std::get_if<head_answer>(&latest.what);
  if (!head) {
    fail(std::get<no_answer>(latest.what).text);
    co_return pass_end::failed;
  }
  const auto start = settings_.start_block.value_or(head->head.number);
  write_set set = new_set();
  started beginning{start, {}};
  if (start > 0) {
    // A few more than the one: its height may be void, which a block above it shows.
    const auto top = head->head.number;
    const bool past = top >= start;
    // What counts from below it is undone by a fork like all else: then those blocks are held too.
    const bool below_counts = wants_->lowest(start) < start;
    const auto reach_down =
        below_counts ? std::max(a_few, std::min(settings_.max_depth, most_held)) : a_few;
    ask_for(ask_headers{past ? start - 1 - std::min(start - 1, reach_down) : start - 1,
                        past ? std::min(start + a_few, top) : start - 1},
            latest.endpoint);
    const answer below = co_await the_answer{*this};
    const auto* headers = std::get_if<headers_answer>(&below.what);
    if (!headers) {
      fail("the chain begins at block " + std::to_string(start) +
           ", and the block before it cannot be read: " + std::get<no_answer>(below.what).text);
      co_return pass_end::failed;
    }
    const auto before = std::find_if(headers->headers.rbegin(), headers->headers.rend(),
                                     [start](const evm::header& h) { return h.number < start; });
    if (before == headers->headers.rend() || (past && before == headers->headers.rbegin())) {
      fail(latest.endpoint_name + " does not show the blocks around block " +
           std::to_string(start) + ", where the chain begins");
      co_return pass_end::failed;
    }
    beginning.mark = before->id();
    if (below_counts)
      for (const auto& h : headers->headers)
        if (h.number < before->number) set.headers.push_back(held_of(h));
    set.headers.push_back(held_of(*before, !below_counts));
  }
  set.verdicts.push_back(beginning);
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  if (!std::holds_alternative<applied>(done)) co_return pass_end::failed;
  // From where each subscription counts, and what of it is to be scanned, the store has resolved by
  // this: begin from that. What does not know it takes an event below the start for one of ours,
  // where a hint points at it or a fork fills a void height.
  ended_ = true;
  co_return pass_end::done;
}

} // namespace tidemark::tide
