// SPDX-License-Identifier: MIT
#include "tide/quorum.hpp"
#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::uint64_t blocks_a_batch = 50;
constexpr std::uint32_t tries_of_headers = 3;

constexpr millis set_back_for_good = millis{10} * 60'000;

/// Heights between the two are void.
bool is_child(const evm::header& child, const evm::block_id& parent) {
  return child.number > parent.number && child.parent == parent.hash;
}

} // namespace

/// With a quorum a tag's height counts once that many endpoints have reached it.
void tide::note_tags(const head_answer& a, std::optional<std::size_t> alone) {
  if (a.safe) safe_ = a.safe;
  if (finalized_ && held_.contradicts(*finalized_)) finalized_.reset(); // heard before that height
  if (!a.finalized) return;
  if (!settings_.instant && a.head.number > 0 &&
      !final_words_.count(alone, a.head.number, a.finalized->number, now_))
    return;
  // A final block that is not ours, at a height that we hold: somebody is on another fork. Nothing
  // is concluded until that was looked into; if it is not we, such a word counts for nothing.
  if (held_.contradicts(*a.finalized)) {
    suspect_reorg_ = true;
    return;
  }
  // Our own final height never goes down: an endpoint that lags says less, not something else.
  if (finalized_ && a.finalized->number < finalized_->number) return;
  const auto tip = held_.tip();
  if (!finalized_ || a.finalized->number > finalized_->number)
    standing_ = {a.finalized->number, tip ? tip->number : 0, now_};
  finalized_ = a.finalized;
}

/// Where the chain is: with a quorum, as far as so many endpoints have come. The head is that of
/// the first of them, since what is only pending needs one endpoint's word.
task<std::optional<tide::head_seen>> tide::look_at_head() {
  const auto strongest = settings_.strongest_tag;
  const bool safe = strongest != tag::none, finalized = strongest == tag::finalized;
  if (settings_.quorum <= 1) {
    ask_for(ask_head{safe, finalized});
    const answer a = co_await the_answer{*this};
    const auto* seen = std::get_if<head_answer>(&a.what);
    if (!seen) {
      fail(std::get<no_answer>(a.what).text);
      co_return std::nullopt;
    }
    note_tags(*seen, a.endpoint);
    const head_seen here{seen->head, a.endpoint};
    co_return here;
  }
  ask_for(ask_votes{safe, finalized, {}});
  const answer a = co_await the_answer{*this};
  const auto* got = std::get_if<votes_answer>(&a.what);
  if (!got || got->votes.empty()) {
    fail(got ? got->silent : std::get<no_answer>(a.what).text);
    co_return std::nullopt;
  }
  const auto agreed = count_heads(got->votes, settings_.quorum, settings_.instant);
  disagreement_.clear();
  if (!agreed)
    disagreement_ = "quorum: " + std::to_string(got->votes.size()) + " of the " +
                    std::to_string(settings_.quorum) +
                    " endpoints that must agree answer; the mark waits; " + got->silent;
  agreed_ = chain_view{agreed ? agreed->head.number : 0, {}, {}};
  if (agreed) note_tags(*agreed, std::nullopt);
  const auto& first = first_as_far_as(got->votes, agreed_->head);
  const head_seen here{first.says.head, first.endpoint};
  co_return here;
}

/// A lower head is an endpoint that lags. One of another chain, for long, is a chain that was set
/// back for good: nothing is taken back for it without an operator's word. True: it is halted for.
task<bool> tide::set_back(const evm::header& head, std::size_t endpoint) {
  if (!lower_since_) lower_since_ = now_;
  if (head.number >= held_.linked_down_to()) {
    if (!held_.contradicts(head.id()))
      set_back_since_.reset();
    else if (!set_back_since_)
      set_back_since_ = now_;
    const bool long_ago = set_back_since_ && now_ - *set_back_since_ >= set_back_for_good;
    co_return long_ago;
  }
  set_back_since_.reset();
  // Of what lies so low our events' blocks are known, and looked at as rarely.
  if (now_ - *lower_since_ < set_back_for_good || now_ < next_low_) co_return false;
  next_low_ = now_ + set_back_for_good;
  blocks_open_ = true;
  out_.push_back(want_event_blocks{});
  const std::vector<event_block> blocks = co_await the_event_blocks{*this};
  const auto ours = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const event_block& b) { return b.id.number <= head.number; });
  if (ours == blocks.end()) co_return false;
  ask_for(ask_headers{ours->id.number, ours->id.number}, endpoint);
  const answer a = co_await the_answer{*this};
  const auto* there = header_at(a, ours->id.number);
  co_return there && there->hash != ours->id.hash;
}

tide::effects tide::look(millis now) {
  next_head_ = now;
  return run(now);
}

/// New heads: what lies between our tip and the endpoint's, header by header, each block with
/// something of ours read whole.
tide::pass tide::head_pass() {
  const auto looked = co_await look_at_head();
  if (!looked) co_return pass_end::failed;
  const evm::header head = looked->head;
  const auto endpoint = looked->endpoint;
  const auto tip = held_.tip();
  if (tip && head.number < tip->number) {
    const bool for_good = co_await set_back(head, endpoint);
    if (!for_good) co_return pass_end::done;
    const std::string reason =
        "the endpoint's head is block " + std::to_string(head.number) + ", below ours (" +
        std::to_string(tip->number) + "), and of another chain, and has been for " +
        std::to_string(set_back_for_good / 60'000) +
        " minutes: the chain was set back; nothing more is told until `tidemark chain resume " +
        settings_.name + "`";
    co_return co_await halt(reason);
  }
  lower_since_.reset();
  set_back_since_.reset();
  if (tip && head.number == tip->number) {
    // Only another hash from a head at least ours is a fork.
    if (head.hash != tip->hash) suspect_reorg_ = true;
    co_return pass_end::done;
  }
  auto from = tip ? tip->number + 1 : first_unmarked();
  if (head.number < from) co_return pass_end::done; // start_block is still to come
  // Far behind, what is deep enough already is reconcile's: reading it here too would be twice the
  // work.
  chain_view there = view();
  there.head = head.number;
  bool hole = false;
  // Near it too, where a block in between cannot be had: it stops the mark, which says so and can
  // be told to skip it, and not what lies above.
  const bool stuck =
      records_[static_cast<std::size_t>(pass_kind::head)].failures >= tries_of_headers;
  if (head.number - from >= blocks_a_batch || stuck)
    if (const auto deep = reach(settings_.confirmations, there); deep && *deep + 1 > from) {
      from = std::min(*deep + 1, head.number);
      hole = true;
    }

  for (auto parent = hole ? std::nullopt : tip; from <= head.number;) {
    std::vector<evm::header> fresh;
    if (from == head.number) {
      fresh.push_back(head);
    } else {
      const auto to = std::min(from + blocks_a_batch - 1, head.number);
      ask_for(ask_headers{from, to}, endpoint);
      const answer between = co_await the_answer{*this};
      const auto* headers = std::get_if<headers_answer>(&between.what);
      if (!headers) {
        fail(std::get<no_answer>(between.what).text);
        co_return pass_end::failed;
      }
      fresh = headers->headers;
    }
    for (const auto& h : fresh) {
      if (parent && !is_child(h, *parent)) {
        suspect_reorg_ = true; // it does not continue what we hold: the fork is looked into at once
        co_return pass_end::done;
      }
      parent = h.id();
    }
    from = fresh.back().number + 1;
    const auto end = co_await take_new(fresh, endpoint);
    if (end != pass_end::done) co_return end;
  }
  co_return pass_end::done;
}

std::string tide::origin_of(const evm::hash32& tx) const {
  for (const auto& h : hints_)
    if (h.tx == tx) return "webhook:" + h.source;
  return "head";
}

/// Rows above our tip in blocks that these headers replace: a webhook brought them from a branch
/// that left before its headers were held, so no fork of what is held will ever show it. False:
/// they lie elsewhere.
bool tide::leave_behind(write_set& set, const store_answer& done, const evm::header& lowest) const {
  const auto* differs = std::get_if<disputed>(&done);
  if (!differs || !differs->read_whole.empty() || differs->left.empty()) return false;
  const auto tip = held_.tip();
  const auto from = tip && lowest.parent == tip->hash ? tip->number + 1 : lowest.number;
  const auto above = mark_ ? std::max(from, mark_->number + 1) : from;
  std::vector<verdict> first;
  for (const auto& id : differs->left) {
    if (id.number < above) return false;
    first.insert(first.begin(), orphaned{id}); // the tip first
  }
  set.verdicts.insert(set.verdicts.begin(), first.begin(), first.end());
  return true;
}

/// Headers that continue ours: what they have of ours is stored as pending, in the transaction that
/// makes them our tip.
tide::pass tide::take_new(const std::vector<evm::header>& fresh, std::size_t endpoint) {
  std::vector<evm::block_id> ids;
  nursery_.drop_above(fresh.front().number - 1); // of blocks that never became ours
  for (const auto& h : fresh)
    if (settings_.follow && !wants_->empty() && may_have_ours(h, settings_.integrity))
      ids.push_back(h.id());
  auto readings = co_await read_whole(ids, endpoint, settings_.integrity);
  if (!readings) {
    // A pending event is a courtesy; the headers are not. What cannot be read now is reconcile's,
    // which never passes it over.
    if (suspect_reorg_ || records_[static_cast<std::size_t>(pass_kind::head)].failures == 0)
      co_return pass_end::failed;
    readings.emplace();
    ids.clear();
  }
  write_set set = new_set();
  saw seen;
  for (std::size_t i = 0, r = 0; i < fresh.size(); ++i) {
    const bool read = r < ids.size() && ids[r] == fresh[i].id();
    if (read)
      for (auto& s : sightings_of((*readings)[r++], ""))
        seen.logs.push_back(std::move(s));
    // A bloom is proved by the header's hash alone, where more than blooms is asked for.
    const bool proved_empty =
        settings_.integrity == proof::bloom && !may_have_ours(fresh[i], proof::bloom);
    set.headers.push_back(held_of(fresh[i], read || proved_empty));
    if (seen.logs.size() < rows_a_set() && i + 1 < fresh.size()) continue;
    if (!seen.logs.empty()) set.verdicts.push_back(std::exchange(seen, {}));
    set.view.head = fresh[i].number;
    const auto headers = set.headers;
    for (int round = 0;; ++round) {
      put(set);
      const store_answer done = co_await the_outcome{*this};
      if (std::holds_alternative<applied>(done)) break;
      if (round == 0 && leave_behind(set, done, fresh.front())) continue;
      suspect_reorg_ = true;
      fail("what was seen at the head contradicts what is stored; the fork is looked for");
      co_return pass_end::failed;
    }
    for (const auto& h : headers)
      held_.add(h);
    set = new_set();
  }
  // While reconcile is far behind, what it will read anyway is not held.
  if (const auto t = target(); t && *t > first_unmarked() && !held_.find(first_unmarked()))
    held_.drop_between(first_unmarked(), *t - 1);
  next_hints_ = now_; // a hint may have waited for these
  co_return pass_end::done;
}

} // namespace tidemark::tide
