// SPDX-License-Identifier: MIT
#include "tide/fork.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::uint64_t a_few = 64;

} // namespace

/// The ancestor of a fork deeper than the headers that we hold: among the blocks of our own events,
/// from the top; below all of them, the block before anything counts.
task<std::optional<tide::fork>> tide::find_deep_fork(const std::vector<event_block>& blocks,
                                                     const fork& seen) {
  fork f = seen;
  f.found = true;
  f.lost = false;
  const auto lowest = held_.linked_down_to();
  for (const auto& b : blocks) {
    // What lies above its head has left, where the chain was set back.
    if (b.id.number >= lowest || b.id.number > f.new_head.number) continue;
    // A few more than the one: its height may be void there.
    ask_for(ask_headers{b.id.number, std::min(b.id.number + a_few, f.new_head.number)}, f.endpoint);
    const answer a = co_await the_answer{*this};
    const auto* there = header_at(a, b.id.number);
    if (!there && std::holds_alternative<no_answer>(a.what)) co_return std::nullopt;
    if (!there || there->hash != b.id.hash) continue;
    f.base = *there;
    f.ancestor = b.id;
    co_return f;
  }
  const auto begin = lowest_counted(), top = begin > 0 ? begin - 1 : 0;
  ask_for(ask_headers{top - std::min(top, a_few), top}, f.endpoint);
  const answer a = co_await the_answer{*this};
  const auto* read = std::get_if<headers_answer>(&a.what);
  if (!read) co_return std::nullopt;
  f.base = read->headers.back();
  f.ancestor = f.base.id();
  co_return f;
}

/// The chain that an order goes by: with a quorum the one that so many endpoints are on, whichever
/// is preferred. Nothing: `trouble_` says why.
task<std::optional<tide::fork>> tide::fork_to_follow() {
  if (settings_.quorum <= 1) {
    auto preferred = co_await find_fork(std::nullopt, true);
    co_return preferred;
  }
  const auto tip = held_.tip();
  std::size_t ours = 0;
  for (std::size_t e = 0; e < settings_.endpoints; ++e) {
    auto looked = co_await find_fork(e, true);
    if (!looked) continue;
    if (looked->found) {
      const auto word_of_all = co_await poll_forks(*looked, true);
      if (word_of_all == word::left) co_return looked;
    } else if (looked->ancestor && tip && looked->new_head.number >= tip->number) {
      if (++ours >= settings_.quorum) co_return looked;
    }
  }
  fail("no quorum of " + std::to_string(settings_.quorum) + " for any chain" +
       (trouble_.empty() ? "" : "; " + trouble_));
  co_return std::nullopt;
}

/// `chain resume`: goes on if the chain is ours after all; else says what would be taken back, and
/// takes it back when told to.
tide::pass tide::resume_pass() {
  const bool accept = *std::exchange(resume_order_, std::nullopt);
  const auto answer_with = [this](resume_report r) {
    out_.push_back(resume_answered{std::move(r)});
  };
  if (!halted_) {
    answer_with({true, "the chain is not halted", {}, 0, 0});
    co_return pass_end::done;
  }
  auto looked = co_await fork_to_follow();
  if (!looked) {
    answer_with({false, "no endpoint could say which chain is canonical: " + trouble_, {}, 0, 0});
    co_return pass_end::failed;
  }
  fork f = std::move(*looked);
  const auto tip = held_.tip();
  const bool lower = tip && f.new_head.number < tip->number;
  if (!f.found && lower) {
    const std::string text =
        "the endpoint's head is below ours, which proves nothing; try again when it has caught up";
    answer_with({false, text, {}, 0, 0});
    co_return pass_end::done;
  }
  write_set set = new_set();
  if (!f.found || (!f.lost && !lower && !must_halt(f.ancestor->number))) {
    set.verdicts.push_back(resumed{});
    put(std::move(set));
    const store_answer done = co_await the_outcome{*this};
    if (!std::holds_alternative<applied>(done)) {
      answer_with({false, "going on contradicts what is stored", {}, 0, 0});
      co_return pass_end::failed;
    }
    halted_.reset();
    set_back_since_.reset();
    suspect_reorg_ = f.found;
    next_head_ = now_;
    answer_with({true, "the chain is ours", {}, 0, 0});
    co_return pass_end::done;
  }
  blocks_open_ = true;
  out_.push_back(want_event_blocks{});
  const std::vector<event_block> blocks = co_await the_event_blocks{*this};
  if (f.lost) {
    auto deep = co_await find_deep_fork(blocks, f);
    if (!deep) {
      answer_with({false,
                   "no endpoint could name the blocks that a common ancestor is looked for in",
                   {},
                   0,
                   0});
      co_return pass_end::failed;
    }
    f = std::move(*deep);
  }
  const auto ancestor = *f.ancestor;
  const auto old_head = *held_.tip();
  resume_report report{false, "", ancestor,
                       old_head.number - std::min(old_head.number, ancestor.number), 0};
  for (const auto& b : blocks)
    if (b.id.number > ancestor.number) report.rolled_back += b.confirmed;
  if (!accept) {
    report.text = "the chain left ours above block " + std::to_string(ancestor.number);
    answer_with(report);
    co_return pass_end::done;
  }
  for (const auto& b : blocks)
    if (b.id.number > ancestor.number ||
        (b.id.number == ancestor.number && b.id.hash != ancestor.hash))
      set.verdicts.push_back(orphaned{b.id});
  set.verdicts.push_back(
      reorg{static_cast<std::uint32_t>(report.depth), ancestor, old_head, f.new_head, true});
  set.verdicts.push_back(resumed{});
  set.headers.push_back(held_of(f.base, true));
  set.keep_from = std::min(set.keep_from, ancestor.number); // below the old mark's max_depth
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  const auto* ok = std::get_if<applied>(&done);
  if (!ok) {
    answer_with({false, "what the reorg takes back contradicts what is stored", {}, 0, 0});
    co_return pass_end::failed;
  }
  held_.drop_above(ancestor.number);
  nursery_.drop_above(ancestor.number);
  if (!held_.find(ancestor.number)) held_ = {};
  held_.add(held_of(f.base, true));
  if (mark_) mark_ = mark_after(*mark_, ancestor, start_);
  if (final_ && final_->number > ancestor.number) final_ = ancestor;
  finalized_.reset();
  waiting_.erase(
      std::remove_if(waiting_.begin(), waiting_.end(),
                     [&](const ripening& r) { return r.block.number > ancestor.number; }),
      waiting_.end());
  halted_.reset();
  set_back_since_.reset();
  suspect_reorg_ = false;
  second_look_.reset();
  next_head_ = now_;
  report.resumed = true;
  report.rolled_back = ok->rolled_back;
  report.text = "taken back to block " + std::to_string(ancestor.number);
  answer_with(report);
  co_return pass_end::done;
}

} // namespace tidemark::tide
