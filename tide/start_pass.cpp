// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

namespace tidemark::tide {

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
    ask_for(ask_headers{start - 1, start - 1}, latest.endpoint);
    const answer below = co_await the_answer{*this};
    const auto* before = header_at(below, start - 1);
    if (!before) {
      fail("the chain begins at block " + std::to_string(start) +
           ", and the block before it cannot be read: " + trouble_);
      co_return pass_end::failed;
    }
    beginning.mark = before->id();
    set.headers.push_back(held_of(*before, true));
  }
  set.verdicts.push_back(beginning);
  put(set);
  const store_answer done = co_await the_outcome{*this};
  if (!std::holds_alternative<applied>(done)) co_return pass_end::failed;
  started_ = true;
  start_ = start;
  mark_ = beginning.mark;
  for (const auto& h : set.headers)
    held_.add(h);
  next_head_ = now_;
  co_return pass_end::done;
}

} // namespace tidemark::tide
