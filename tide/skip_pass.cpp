// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {

/// `chain skip`: what no endpoint serves does not hold the mark for ever, nor what waits behind its
/// events. Only an operator says so, only from the mark on or where events wait below it, and a row
/// says so for ever. The mark needs the last block's hash: its own header gives it, or its child's.
tide::pass tide::skip_pass() {
  const skip_order order = *std::exchange(skip_order_, std::nullopt);
  const auto no = [this](std::string text) {
    out_.push_back(skip_answered{false, std::move(text)});
  };
  if (halted_ || !started_) {
    no(halted_ ? "the chain is halted: resume it first" : "the chain has not started yet");
    co_return pass_end::done;
  }
  const auto next = first_unmarked();
  const bool below =
      order.to < next && std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& r) {
        return r.block.number >= order.from && r.block.number <= order.to;
      });
  if ((order.from != next && !below) || order.to < order.from) {
    no("only what the mark waits at can be skipped, from block " + std::to_string(next) +
       " on, or blocks below it with events that wait for their confirmations");
    co_return pass_end::done;
  }
  if (below) co_return co_await skipped_to(order, *mark_);
  if (const auto reached = target(); !reached || order.to > *reached) {
    no("the policy lets the mark be at block " +
       (reached ? std::to_string(*reached) : std::string("none")) +
       " at most; what lies above is not held up");
    co_return pass_end::done;
  }
  evm::block_id last{order.to, {}};
  if (const auto* held = held_.find(order.to)) {
    last = held->id;
  } else {
    ask_for(ask_headers{order.to, order.to + 1});
    const answer a = co_await the_answer{*this};
    const auto* own = header_at(a, order.to);
    const auto* child = own ? nullptr : header_at(a, order.to + 1);
    if (!own && !child) {
      ask_for(ask_headers{order.to + 1, order.to + 1});
      const answer above = co_await the_answer{*this};
      child = header_at(above, order.to + 1);
      if (child) last.hash = child->parent;
    } else {
      last.hash = own ? own->hash : child->parent;
    }
    if (last.hash == evm::hash32{}) {
      no("neither the header of block " + std::to_string(order.to) +
         " nor of the one above can be read, and the mark needs its hash: " + trouble_);
      co_return pass_end::done;
    }
  }
  if (!co_await vouched(last, std::nullopt)) {
    no(trouble_);
    co_return pass_end::done;
  }
  co_return co_await skipped_to(order, last);
}

/// With the mark there.
tide::pass tide::skipped_to(const skip_order& order, const evm::block_id& last) {
  const auto no = [this](std::string text) {
    out_.push_back(skip_answered{false, std::move(text)});
  };
  write_set set = new_set();
  set.verdicts.push_back(skipped{order.from, order.to, order.who, order.reason});
  set.verdicts.push_back(mark_moved{last});
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  const auto* ok = std::get_if<applied>(&done);
  if (!ok) {
    no("skipping contradicts what is stored");
    co_return pass_end::failed;
  }
  mark_ = last;
  for (const auto& r : ok->waiting)
    waiting_.push_back(r);
  out_.push_back(said{true, "skipped: blocks " + std::to_string(order.from) + " to " +
                                std::to_string(order.to) + " on the order of " + order.who + ": " +
                                order.reason});
  out_.push_back(skip_answered{true, ""});
  co_return pass_end::done;
}

} // namespace tidemark::tide
