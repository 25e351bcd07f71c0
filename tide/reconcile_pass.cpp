// SPDX-License-Identifier: MIT
#include "tide/scan.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr int rounds_of_dispute = 3;

/// Whole transactions are large: a range of them is kept small.
std::uint64_t range_size(const interest& wants, const settings& s) {
  constexpr std::uint64_t of_whole_transactions = 100; // blocks
  return wants.transactions() ? std::min(s.max_range, of_whole_transactions) : s.max_range;
}

bool same(const std::vector<born>& a, const std::vector<born>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const born& x, const born& y) {
    return x.block == y.block && x.children == y.children;
  });
}

} // namespace

/// The second reading: a range by number, apart from what the head pass found, compared with the
/// store.
tide::pass tide::reconcile_pass(std::uint64_t from, std::uint64_t to, bool moves_mark,
                                const backfill* fills) {
  scan s;
  s.moves_mark = moves_mark;
  s.seeks = fills ? wants_->only(fills->subscription) : wants_;
  if (fills) s.fills = fills->subscription;
  s.from = moves_mark ? first_unmarked() : from; // what lies below the first header is void
  if (lies_deep(from)) {
    s.settles = true;
    to = std::min(to, held_.tip()->number - settings_.max_depth - 1);
  }
  s.asked = s.settles ? settings_.backfill : settings_.integrity;
  const auto bound = to;
  auto most = range_size(*s.seeks, settings_);
  if (moves_mark) most = std::min(most, mark_range_.most());
  to = std::min(to, from + most - 1);
  if (moves_mark) mark_range_.asked(to - from + 1);
  s.filter = s.seeks->node_filter();
  const ask_range wanted{from, to, s.filter, s.asked == proof::receipts, s.seeks->transactions()};
  std::optional<read_ahead::arrival> early;
  if (moves_mark) early = came_ahead(wanted);
  answer a;
  if (early) {
    a = std::move(early->says);
  } else {
    const bool open = moves_mark && ahead_.asked && is_ahead(ahead_.asked->what, wanted);
    if (!open) ask_for(wanted, std::nullopt, doubted_);
    answer got = co_await the_answer{*this};
    a = std::move(got);
    ahead_.asked.reset();
  }
  const auto asks = asks_;
  auto* range = std::get_if<range_answer>(&a.what);
  if (!range) {
    fail(std::get<no_answer>(a.what).text);
    co_return pass_end::failed;
  }
  if (auto fits = check_range(*range, from, to, ways_, s.asked != proof::none); !fits) {
    fail(a.endpoint_name + ": " + fits.error().text);
    co_return pass_end::failed;
  }
  if (s.asked == proof::receipts)
    for (const auto& h : range->headers)
      if (const auto no = object_to(h, s.seeks->transactions() != nullptr)) {
        object(a, *no, s.asked);
        co_return pass_end::failed;
      }
  if (!continues_ours(range->headers, from)) {
    doubted_ = a.endpoint; // if there is no fork to follow, another one is asked
    const auto* ours = held_.find(range->headers.back().number);
    suspect_reorg_ = settings_.quorum <= 1 || !ours;
    if (suspect_reorg_) co_return pass_end::again;
    const evm::block_id id = ours->id;
    suspect_reorg_ = !co_await vouched(id, std::nullopt);
    if (!suspect_reorg_)
      stands_alone(a.endpoint, "a quorum names " + place(id) + ", which is not on its chain");
    co_return pass_end::again;
  }
  doubted_.reset();
  s.headers = std::move(range->headers);
  if (!co_await vouched(s.headers.back().id(), a.endpoint)) {
    if (held_.find(s.headers.back().number)) suspect_reorg_ = true;
    co_return pass_end::failed;
  }
  const auto top = s.headers.back().number;
  if (!moves_mark) { // so deep there may be nothing of ours to compare it with
    const bool on_ours = co_await has_our_mark(a, top);
    if (!on_ours) co_return pass_end::failed;
  }
  const auto logs = std::move(range->logs);
  const auto transactions = std::move(range->transactions);
  a.what = no_answer{};
  s.from_whom = std::move(a);
  // Here alone, and below the mark never again: so each such log is counted once.
  auto* lost = moves_mark ? &undecodable_ : nullptr;
  evm::bloom_memory known;
  const auto see = [&](std::size_t seen_before) {
    auto of = s.headers.begin();
    for (const auto& l : logs) {
      if (s.proven.contains(l.block.number)) continue; // the block itself has said it
      while (of->number < l.block.number)
        ++of;
      if (s.settles && s.asked == proof::bloom && excludes(*of, l, ways_, known))
        s.excluded.insert(of->number);
      for (const auto& c : wants_->births(l))
        nursery_.add(c);
      if (!s.seeks->births(l).empty())
        s.creations[l.block.number][{l.tx, static_cast<std::int32_t>(l.log_index)}] = digest_of(l);
    }
    match_logs(s.seen, s.headers, std::span(logs).subspan(seen_before), *wants_,
               fills ? s.seeks.get() : nullptr, nursery_, lost);
    auto h = s.headers.begin();
    for (const auto& t : transactions) {
      while (h->number < t.block.number)
        ++h;
      if (fills && !s.seeks->wants(t)) continue;
      if (auto found = wants_->match(t, h->time, "reconcile")) s.seen.push_back(std::move(*found));
    }
    in_order(s.seen);
  };
  matched_range before;
  if (early && early->matched && early->matched->by == wants_ && early->matched->ways == ways_)
    before = std::move(*early->matched);
  s.seen = std::move(before.seen);
  undecodable_ += before.undecodable;
  see(before.logs);
  lost = nullptr;
  const auto children = nursery_.unsaved();
  const bool proves = co_await prove(s);
  if (!proves) co_return pass_end::failed;
  // A child that the answer did not name has logs in it that were taken for a stranger's.
  if (!same(nursery_.unsaved(), children)) {
    s.seen.clear();
    see(0);
  }
  if (fills && !wait_for_policies(s, fills->subscription)) co_return pass_end::again;
  if (moves_mark) {
    const auto last = s.headers.back().number;
    ahead_.suffices = asks == asks_;
    if (last < bound && !ahead_.asked && !ahead_.come) {
      ask_range next = wanted; // read while the store concludes this one
      next.from = last + 1;
      next.to = std::min(bound, last + most);
      ask_ahead(std::move(next), bound);
    }
  }
  if (!co_await conclude_scan(s)) co_return pass_end::failed;
  if (fills) co_return pass_end::done;
  last_reconcile_ =
      reconcile_report{now_, from, s.headers.back().number, s.added, s.denied, s.equal};
  if (!behind()) next_reconcile_ = std::max(next_reconcile_, now_);
  co_return pass_end::done;
}

/// The range's headers join what we hold below, inside and above it.
bool tide::continues_ours(const std::vector<evm::header>& headers, std::uint64_t from) {
  const auto* below = held_.below(from);
  const bool next_to = below && (below->id.number + 1 == from ||
                                 (mark_ && below->id == *mark_ && from == first_unread()));
  const bool linked = !next_to || below->id.hash == headers.front().parent;
  const auto* above = held_.find(headers.back().number + 1);
  const bool joins = !above || above->parent == headers.back().hash;
  // A final block that is not on this chain confirms nothing on it.
  const bool is_final = std::none_of(headers.begin(), headers.end(), [&](const evm::header& h) {
    return finalized_ && h.number == finalized_->number && h.hash != finalized_->hash;
  });
  const auto other = std::find_if(headers.begin(), headers.end(),
                                  [&](const evm::header& h) { return held_.contradicts(h.id()); });
  // With a hole above, the tip says nothing about what lies below it: what a fork left is then
  // looked for from there down.
  const auto first = !linked ? headers.begin() : other;
  if (first != headers.end() && held_.linked_down_to() > first->number)
    held_.drop_above(std::max(first->number - 1, mark_ ? mark_->number : 0));
  return linked && joins && is_final && other == headers.end();
}

/// What lies just below the mark once more: a log that an endpoint's index did not have yet is
/// found late rather than never.
tide::pass tide::overlap_pass() {
  const auto to = mark_->number;
  const auto low = to >= settings_.overlap ? to - settings_.overlap + 1 : 0;
  for (auto from = std::max(lowest_counted(), low); from <= to; from = last_reconcile_->to + 1) {
    const auto end = co_await reconcile_pass(from, to, false);
    if (end != pass_end::done) co_return end;
  }
  co_return pass_end::done;
}

/// Concludes a range in slices of whole blocks, each true by itself and moving the mark to its own
/// end.
task<bool> tide::conclude_scan(scan& s) {
  std::size_t first = 0;
  auto next = s.seen.begin();
  while (first < s.headers.size()) {
    std::size_t last = first, rows = 0;
    for (; last < s.headers.size(); ++last) {
      const auto number = s.headers[last].number;
      auto end = next;
      while (end != s.seen.end() && end->block.number <= number)
        ++end;
      const auto proven = s.proven.find(number);
      rows += proven != s.proven.end()
                  ? proven->second.logs.size() + proven->second.transactions.size()
                  : static_cast<std::size_t>(end - next);
      if (rows > rows_a_set() && last > first) break;
      next = end;
    }
    if (!co_await conclude_slice(s, first, last)) co_return false;
    first = last;
  }
  co_return true;
}

/// What the range says of the headers [first, last), in order, and the mark at its end.
write_set tide::slice_of(const scan& s, std::size_t first, std::size_t last) const {
  write_set set = new_set();
  for (auto it = s.left_behind.rbegin(); it != s.left_behind.rend(); ++it)
    set.verdicts.push_back(orphaned{it->second});
  shown run;
  auto next =
      std::lower_bound(s.seen.begin(), s.seen.end(), s.headers[first].number,
                       [](const sighting& x, std::uint64_t n) { return x.block.number < n; });
  auto above_last = first > 0 ? s.headers[first - 1].number + 1 : s.from;
  for (std::size_t i = first; i < last; ++i) {
    const auto& h = s.headers[i];
    const auto void_from = std::exchange(above_last, h.number + 1);
    const auto proven = s.proven.find(h.number);
    const auto* held = held_.find(h.number);
    const bool whole = held && held->whole;
    if (s.moves_mark) set.headers.push_back(held_of(h, proven != s.proven.end() || whole));
    if (proven != s.proven.end()) {
      if (!run.blocks.empty()) set.verdicts.push_back(std::exchange(run, {}));
      auto proof = proof_of(proven->second, "reconcile");
      proof.void_from = void_from;
      set.verdicts.push_back(std::move(proof));
      while (next != s.seen.end() && next->block.number == h.number)
        ++next;
      continue;
    }
    // A block that was read whole before has all its rows: what differs there is a dispute.
    const bool settles = s.settles && !(whole && held->id == h.id());
    if (settles != run.settles && !run.blocks.empty())
      set.verdicts.push_back(std::exchange(run, {}));
    run.settles = settles;
    if (run.blocks.empty()) run.void_from = void_from;
    run.only_adds = s.fills.has_value();
    run.blocks.push_back(h.id());
    for (; next != s.seen.end() && next->block.number == h.number; ++next)
      run.logs.push_back(*next);
  }
  if (!run.blocks.empty()) set.verdicts.push_back(std::move(run));
  if (s.fills)
    set.verdicts.push_back(backfilled{*s.fills,
                                      first > 0 ? s.headers[first - 1].number + 1 : s.from,
                                      s.headers[last - 1].number});
  if (s.moves_mark) {
    if (const auto end = final_at(s.headers[last - 1].id()))
      set.verdicts.push_back(final_moved{*end});
    set.verdicts.push_back(mark_moved{s.headers[last - 1].id()});
  }
  return set;
}

task<bool> tide::conclude_slice(scan& s, std::size_t first, std::size_t last) {
  for (int round = 0; round < rounds_of_dispute; ++round) {
    put(slice_of(s, first, last));
    const store_answer done = co_await the_outcome{*this};
    if (const auto* ok = std::get_if<applied>(&done)) {
      after_slice(s, last, *ok);
      s.added += ok->added;
      s.denied += ok->rolled_back;
      s.equal += ok->equal;
      co_return true;
    }
    const auto& differs = std::get<disputed>(done);
    if (!co_await settle(s, differs)) co_return false;
  }
  fail("the answers for blocks " + std::to_string(s.headers[first].number) + " to " +
       std::to_string(s.headers[last - 1].number) +
       " keep contradicting what is stored; the mark waits below them");
  co_return false;
}

} // namespace tidemark::tide
