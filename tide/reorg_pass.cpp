// SPDX-License-Identifier: MIT
#include "tide/fork.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::uint64_t headers_at_first = 8, headers_an_ask = 256;

} // namespace

/// Is our tip still the chain's? If it is, parents prove the rest. An endpoint that lags has no
/// block there: that proves nothing, and the head pass says if nobody answers at all.
tide::pass tide::check_pass() {
  next_check_ = now_ + settings_.reorg_interval;
  const auto tip = held_.tip();
  if (!tip) co_return pass_end::done;
  if (settings_.quorum > 1) {
    ask_for(ask_votes{false, false, tip->number});
    const answer a = co_await the_answer{*this};
    if (const auto* got = std::get_if<votes_answer>(&a.what))
      for (const auto& v : got->votes)
        if (v.there && v.there->hash != tip->hash) suspect_reorg_ = true;
    co_return pass_end::done;
  }
  ask_for(ask_headers{tip->number, tip->number});
  const answer a = co_await the_answer{*this};
  if (const auto* read = std::get_if<headers_answer>(&a.what))
    for (const auto& h : read->headers)
      if (h.number == tip->number && h.hash != tip->hash) suspect_reorg_ = true;
  co_return pass_end::done;
}

/// Where the chain of an endpoint (of the preferred one, if none is named) whose head is at least
/// ours leaves what we hold. Not found: there is no fork, or that endpoint cannot say. `lost`:
/// nothing that we hold is on its chain, and what lies below is not held. `lower_too`: an operator
/// says that the chain was set back.
task<std::optional<tide::fork>> tide::find_fork(std::optional<std::size_t> endpoint,
                                                bool lower_too) {
  const auto tip = held_.tip();
  ask_for(ask_head{}, endpoint);
  const answer latest = co_await the_answer{*this};
  const auto* seen = std::get_if<head_answer>(&latest.what);
  if (!seen) {
    fail(std::get<no_answer>(latest.what).text);
    co_return std::nullopt;
  }
  fork f;
  f.endpoint = latest.endpoint;
  f.endpoint_name = latest.endpoint_name;
  if (!tip || (seen->head.number < tip->number && !lower_too))
    co_return f; // a lower head is an endpoint that lags, not a reorg
  f.new_head = seen->head.id();
  std::optional<evm::header> upper;
  const auto end = co_await walk_down(f, upper);
  if (end == walk::unclear) co_return std::nullopt;
  if (end == walk::met) co_return f;
  f.found = true;
  if (upper) f.branch = upper->hash;
  if (!co_await below_the_held(f, upper)) co_return std::nullopt;
  co_return f;
}

/// Down the new branch by parent hash, in windows that grow, until it meets ours (`met`: `f` says
/// where) or all that we hold linked is passed. `upper`: the lowest header of it seen so far.
task<tide::walk> tide::walk_down(fork& f, std::optional<evm::header>& upper) {
  const auto tip = held_.tip()->number, lowest = held_.linked_down_to();
  // From a little above our tip: its height may be void there.
  std::uint64_t to = std::min(tip + headers_at_first, f.new_head.number);
  for (std::uint64_t window = 2 * headers_at_first; to >= lowest;
       window = std::min(window * 8, headers_an_ask)) {
    const auto from = to - lowest + 1 > window ? to - window + 1 : lowest;
    ask_for(ask_headers{from, to}, f.endpoint);
    const answer a = co_await the_answer{*this};
    const auto* read = std::get_if<headers_answer>(&a.what);
    if (!read) {
      fail(std::get<no_answer>(a.what).text);
      co_return walk::unclear;
    }
    for (auto it = read->headers.rbegin(); it != read->headers.rend(); ++it) {
      if (upper && upper->hash == it->hash) continue; // the one that this window begins with
      if (upper && upper->parent != it->hash) {
        fail(a.endpoint_name + " mixed two forks while a reorg was looked into; asking again");
        co_return walk::unclear;
      }
      const auto* held = held_.find(it->number); // none: that height is void on our branch
      if (held && held->id.hash == it->hash) {
        f.found = upper && it->number != tip;
        f.ancestor = it->id();
        f.base = *it;
        if (upper) f.branch = upper->hash;
        co_return walk::met;
      }
      upper = *it;
    }
    if (from == lowest) break;
    // With one that is known above: only then heights without a block are known to be void.
    const auto next = upper ? upper->number : from - 1;
    if (next == to && window == headers_an_ask) {
      fail(a.endpoint_name + " has no block in the " + std::to_string(window) + " below block " +
           std::to_string(to));
      co_return walk::unclear;
    }
    to = next;
  }
  co_return walk::at_the_end;
}

/// Nothing that we hold linked is on the new branch: where it left us then. False: that endpoint
/// cannot say.
task<bool> tide::below_the_held(fork& f, std::optional<evm::header>& upper) {
  const auto lowest = held_.linked_down_to();
  if (lowest > first_unmarked()) {
    // The walk ended at the hole: all above it is undone and read again.
    f.ancestor = mark_;
    if (mark_) co_return true;
    ask_for(ask_headers{0, 0}, f.endpoint);
    const answer a = co_await the_answer{*this};
    const auto* first = header_at(a, 0);
    if (first) f.ancestor = first->id();
    co_return first != nullptr;
  }
  const auto begin = lowest_counted();
  if (begin == 0 || lowest >= begin || !upper) {
    f.lost = true;
    co_return true;
  }
  // Below where anything counts from all agree, whatever hash that block has now, and whatever its
  // height.
  if (upper->number >= begin) {
    const auto low = begin > headers_at_first ? begin - headers_at_first : 0;
    ask_for(ask_headers{low, begin - 1}, f.endpoint);
    const answer a = co_await the_answer{*this};
    const auto* read = std::get_if<headers_answer>(&a.what);
    if (!read || read->headers.back().hash != upper->parent) {
      fail(a.endpoint_name + " cannot say what lies below the start");
      co_return false;
    }
    upper = read->headers.back();
  }
  f.ancestor = upper->id();
  f.base = *upper;
  co_return true;
}

/// At or below the mark one endpoint's fork is not enough: each is asked for the branch that it is
/// on. A quorum left: `left`, and `f` is what they say. A quorum is on ours: `ours`, and those that
/// are alone with their fork lose their turn. Neither: `split`, and `trouble_` says how.
task<std::optional<tide::word>> tide::poll_forks(fork& f, bool lower_too) {
  std::size_t left = 1, ours = 0;
  std::vector<fork> alone{f};
  std::string how = f.endpoint_name + " left";
  for (std::size_t e = 0; e < settings_.endpoints && left < settings_.quorum; ++e) {
    if (e == f.endpoint) continue;
    const auto looked = co_await find_fork(e, lower_too);
    if (!looked) continue; // it does not answer, and counts for nothing
    if (looked->found && looked->ancestor == f.ancestor && looked->branch == f.branch) {
      ++left;
    } else if (!looked->found && looked->ancestor) {
      ++ours;
      how += ", " + looked->endpoint_name + " did not";
    } else if (looked->found) {
      alone.push_back(*looked);
      how += ", " + looked->endpoint_name + " left elsewhere";
    }
  }
  if (left >= settings_.quorum) co_return word::left;
  if (ours >= settings_.quorum) {
    for (const auto& one : alone)
      stands_alone(one.endpoint,
                   "it is alone with a fork at or below the mark, head " + place(one.new_head));
    co_return word::ours;
  }
  fail("a fork at or below the mark, and no quorum of " + std::to_string(settings_.quorum) +
       " for either side: " + how + "; nothing is confirmed and nothing taken back");
  co_return word::split;
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

/// Whoever made us look was wrong, or it is over. The head has its next look at its time: at once,
/// the same suspicion would come again and nothing else have a turn.
tide::pass_end tide::no_fork() {
  suspect_reorg_ = false;
  second_look_.reset();
  return pass_end::done;
}

tide::pass tide::reorg_pass() {
  auto looked = co_await find_fork(std::nullopt, false);
  if (!looked) co_return pass_end::failed;
  fork f = std::move(*looked);
  if (!f.found && settings_.quorum > 1) {
    // The preferred one is on our branch, or lags: it was another one that made us look.
    for (std::size_t e = 0; e < settings_.endpoints && !f.found; ++e) {
      if (e == looked->endpoint) continue;
      auto other = co_await find_fork(e, false);
      if (other && other->found) f = std::move(*other);
    }
  }
  if (!f.found) co_return no_fork();
  const auto ancestor = f.lost ? 0 : f.ancestor->number;
  if (f.lost || (mark_ && ancestor < mark_->number)) {
    const auto word_of_all = co_await poll_forks(f, false);
    if (!word_of_all || *word_of_all == word::split) co_return pass_end::failed;
    if (*word_of_all == word::ours) co_return no_fork();
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
  const auto* ours = held_.find(f.ancestor->number);
  if (ours && ours->id != *f.ancestor) {
    set.verdicts.push_back(orphaned{ours->id});
    set.headers.push_back(held_of(f.base, true));
  } else if (!ours && f.base.id() == *f.ancestor) {
    set.headers.push_back(held_of(f.base, true)); // below the start, where ours begins elsewhere
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
  nursery_.drop_above(f.ancestor->number);
  for (const auto& h : headers)
    held_.add(h);
  if (mark_) mark_ = mark_after(*mark_, *f.ancestor, start_);
  const auto above = [&](const ripening& r) { return r.block.number > f.ancestor->number; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), above), waiting_.end());
  suspect_reorg_ = false;
  second_look_.reset();
  next_head_ = now_;
  co_return pass_end::done;
}

} // namespace tidemark::tide
