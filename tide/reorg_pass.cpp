// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::uint64_t headers_an_ask = 256;

} // namespace

/// Is our tip still the chain's? If it is, parents prove the rest.
tide::pass tide::check_pass() {
  next_check_ = now_ + settings_.reorg_interval;
  const auto tip = held_.tip();
  if (!tip) co_return pass_end::done;
  ask_for(ask_headers{tip->number, tip->number});
  const answer a = co_await the_answer{*this};
  const auto* read = std::get_if<headers_answer>(&a.what);
  // An endpoint that lags has no block there: that proves nothing, and the head pass says if nobody
  // answers at all.
  if (read && read->headers.front().hash != tip->hash) suspect_reorg_ = true;
  co_return pass_end::done;
}

/// Where the chain of an endpoint whose head is at least ours leaves what we hold. Not found: there
/// is no fork, or that endpoint cannot say. `lost`: nothing that we hold is on its chain, and what
/// lies below is not held.
task<std::optional<tide::fork>> tide::find_fork() {
  const auto tip = held_.tip();
  ask_for(ask_head{});
  const answer latest = co_await the_answer{*this};
  const auto* seen = std::get_if<head_answer>(&latest.what);
  if (!seen) {
    fail(std::get<no_answer>(latest.what).text);
    co_return std::nullopt;
  }
  fork f;
  if (!tip || seen->head.number < tip->number)
    co_return f; // a lower head is an endpoint that lags, not a reorg
  f.new_head = seen->head.id();
  const auto lowest = held_.linked_down_to();
  std::optional<evm::header> upper; // the lowest header of the new branch seen so far
  std::uint64_t to = tip->number;
  for (std::uint64_t window = 1;; window = std::min(window * 8, headers_an_ask)) {
    const auto from = to - lowest + 1 > window ? to - window + 1 : lowest;
    ask_for(ask_headers{from, to}, latest.endpoint);
    const answer a = co_await the_answer{*this};
    const auto* read = std::get_if<headers_answer>(&a.what);
    if (!read) {
      fail(std::get<no_answer>(a.what).text);
      co_return std::nullopt;
    }
    for (auto it = read->headers.rbegin(); it != read->headers.rend(); ++it) {
      if (upper && upper->parent != it->hash) {
        fail(a.endpoint_name + " mixed two forks while a reorg was looked into; asking again");
        co_return std::nullopt;
      }
      if (held_.find(it->number)->id.hash == it->hash) {
        f.found = it->number != tip->number;
        f.ancestor = it->id();
        f.base = *it;
        co_return f;
      }
      upper = *it;
    }
    if (from == lowest) break;
    to = from - 1;
  }
  f.found = true;
  if (lowest > first_unmarked()) {
    // The walk ended at the hole: all above it is undone and read again.
    f.ancestor = mark_;
    if (!mark_) {
      ask_for(ask_headers{0, 0}, latest.endpoint);
      const answer a = co_await the_answer{*this};
      const auto* read = std::get_if<headers_answer>(&a.what);
      if (!read) {
        fail(std::get<no_answer>(a.what).text);
        co_return std::nullopt;
      }
      f.ancestor = read->headers.front().id();
    }
  } else if (start_ > 0 && lowest + 1 == start_) {
    f.ancestor = upper->id(); // below the start all agree, whatever hash that block has now
    f.base = *upper;
  } else {
    f.lost = true;
  }
  co_return f;
}

bool tide::must_halt(std::uint64_t ancestor) const {
  if (final_ && ancestor < final_->number) return true;
  return mark_ && ancestor < mark_->number && mark_->number - ancestor > settings_.max_depth;
}

tide::pass tide::halt(const std::string& reason) {
  write_set set = new_set();
  set.verdicts.push_back(halted{reason});
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  if (!std::holds_alternative<applied>(done)) co_return pass_end::failed;
  halted_ = reason;
  second_look_.reset();
  out_.push_back(said{true, "halted: " + reason});
  co_return pass_end::done;
}

tide::pass tide::reorg_pass() {
  auto looked = co_await find_fork();
  if (!looked) co_return pass_end::failed;
  fork f = std::move(*looked);
  if (!f.found) {
    suspect_reorg_ = false;
    second_look_.reset();
    next_head_ = now_;
    co_return pass_end::done;
  }
  const auto ancestor = f.lost ? 0 : f.ancestor->number;
  if (f.lost || (mark_ && ancestor < mark_->number)) {
    // At or below the mark a block is taken back only when it is still so a poll later.
    if (second_look_ != ancestor) {
      second_look_ = ancestor;
      next_reorg_ = now_ + settings_.poll;
      co_return pass_end::again;
    }
    if (f.lost || must_halt(ancestor)) {
      std::string reason = "the chain left what we hold ";
      reason += f.lost
                    ? "deeper than what is held (max_depth " + std::to_string(settings_.max_depth) +
                          " below the mark " + std::to_string(mark_ ? mark_->number : 0) + ")"
                    : "at block " + std::to_string(ancestor + 1) + ", mark " +
                          std::to_string(mark_->number) +
                          (final_ ? ", final block " + std::to_string(final_->number) : "") +
                          ", max_depth " + std::to_string(settings_.max_depth);
      reason += "; nothing more is told until `tidemark chain resume " + settings_.name + "`";
      co_return co_await halt(reason);
    }
  }
  co_return co_await undo(f);
}

/// Takes back what left the chain, tip first, all of it in one transaction and before anything of
/// the new branch.
tide::pass tide::undo(const fork& f) {
  const auto old_head = *held_.tip();
  write_set set = new_set();
  std::uint32_t depth = 0;
  for (auto it = held_.all().rbegin(); it != held_.all().rend() && it->first > f.ancestor->number;
       ++it, ++depth)
    set.verdicts.push_back(orphaned{it->second.id});
  if (held_.contradicts(*f.ancestor)) {
    set.verdicts.push_back(orphaned{held_.find(f.ancestor->number)->id});
    set.headers.push_back(held_of(f.base, true));
  }
  set.verdicts.push_back(reorg{depth, *f.ancestor, old_head, f.new_head, false});
  const auto headers = set.headers;
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  const auto* ok = std::get_if<applied>(&done);
  if (!ok) {
    fail("what a reorg takes back contradicts what is stored");
    co_return pass_end::failed;
  }
  out_.push_back(said{false, "reorg: " + std::to_string(depth) +
                                 " blocks left the chain above block " +
                                 std::to_string(f.ancestor->number) + ", " +
                                 std::to_string(ok->rolled_back) + " events rolled back"});
  held_.drop_above(f.ancestor->number);
  for (const auto& h : headers)
    held_.add(h);
  if (mark_ && mark_->number >= f.ancestor->number) mark_ = f.ancestor;
  const auto above = [&](const ripening& r) { return r.block.number > f.ancestor->number; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), above), waiting_.end());
  suspect_reorg_ = false;
  second_look_.reset();
  next_head_ = now_;
  co_return pass_end::done;
}

} // namespace tidemark::tide
