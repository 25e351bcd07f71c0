// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::size_t rows_a_set = 250;
constexpr int rounds_of_dispute = 3;

} // namespace

/// One range on its way from reading to conclusion.
struct tide::scan {
  bool moves_mark = false;
  bool settles = false; ///< deeper than max_depth: the range answer is enough
  std::vector<evm::header> headers;
  std::vector<sighting> seen;                    ///< of the range answer, ascending
  std::map<std::uint64_t, block_reading> proven; ///< blocks of the range read whole, by number
  std::map<std::uint64_t, evm::block_id>
      left_behind; ///< blocks of rows that a fork left, by number
  std::uint64_t added = 0, denied = 0;
  std::size_t endpoint = 0;
};

/// The second reading: a range by number, apart from what the head pass found, compared with the
/// store.
tide::pass tide::reconcile_pass(std::uint64_t from, std::uint64_t to, bool moves_mark) {
  scan s;
  s.moves_mark = moves_mark;
  const auto head = held_.tip()->number;
  if (head > settings_.max_depth && from < head - settings_.max_depth) {
    s.settles = true;
    to = std::min(to, head - settings_.max_depth - 1);
  }
  to = std::min(to, from + settings_.max_range - 1);
  // No subscription here asks for nothing, where an empty filter would ask for everything.
  ask_for(ask_range{
      from, to, wants_->empty() ? interest::filter{{}, {evm::hash32{}}} : wants_->node_filter()});
  answer a = co_await the_answer{*this};
  auto* range = std::get_if<range_answer>(&a.what);
  if (!range) {
    fail(std::get<no_answer>(a.what).text);
    co_return pass_end::failed;
  }
  if (auto fits = check_range(*range, from); !fits) {
    fail(a.endpoint_name + ": " + fits.error().text);
    co_return pass_end::failed;
  }
  const auto* below = from > 0 ? held_.find(from - 1) : nullptr;
  const bool linked = !below || below->id.hash == range->headers.front().parent;
  const auto* above = held_.find(range->headers.back().number + 1);
  const bool joins = !above || above->parent == range->headers.back().hash;
  if (!linked || !joins ||
      std::any_of(range->headers.begin(), range->headers.end(),
                  [&](const evm::header& h) { return held_.contradicts(h.id()); })) {
    // With a hole above, the tip says nothing about the mark: what the fork left is then looked for
    // from the mark down.
    if (!linked && held_.linked_down_to() > from) held_.drop_above(from - 1);
    suspect_reorg_ = true;
    co_return pass_end::again;
  }
  s.endpoint = a.endpoint;
  s.headers = std::move(range->headers);
  for (const auto& l : range->logs) {
    const auto& h = s.headers[l.block.number - from];
    if (auto found = wants_->match(l, h.time, std::nullopt, "reconcile"))
      s.seen.push_back(std::move(*found));
  }
  if (!co_await read_suspicious(s, a.endpoint)) co_return pass_end::failed;
  if (!co_await conclude_scan(s)) co_return pass_end::failed;
  last_reconcile_ = reconcile_report{now_, from, s.headers.back().number, s.added, s.denied};
  if (!behind()) next_reconcile_ = std::max(next_reconcile_, now_);
  co_return pass_end::done;
}

/// What lies just below the mark once more: a log that an endpoint's index did not have yet is
/// found late rather than never.
tide::pass tide::overlap_pass() {
  const auto to = mark_->number;
  const auto low = to >= settings_.overlap ? to - settings_.overlap + 1 : 0;
  for (auto from = std::max(start_, low); from <= to; from = last_reconcile_->to + 1) {
    const auto end = co_await reconcile_pass(from, to, false);
    if (end != pass_end::done) co_return end;
  }
  co_return pass_end::done;
}

/// An empty answer is a claim to be proved: where the bloom may hold something of ours, the answer
/// has nothing, and the block was never read whole, it is read whole now.
task<bool> tide::read_suspicious(scan& s, std::size_t endpoint) {
  if (settings_.integrity == proof::none) co_return true;
  std::vector<evm::block_id> ids;
  std::size_t i = 0;
  for (const auto& h : s.headers) {
    bool answered_here = false;
    for (; i < s.seen.size() && s.seen[i].block.number == h.number; ++i)
      answered_here = true;
    const auto* held = held_.find(h.number);
    if (!answered_here && !(held && held->whole) && wants_->may_be_in(h.logs_bloom))
      ids.push_back(h.id());
  }
  auto readings = co_await read_whole(ids, endpoint);
  if (!readings) co_return false;
  for (auto& b : *readings)
    s.proven.emplace(b.header.number, std::move(b));
  co_return true;
}

/// Concludes a range in slices of whole blocks, each true by itself and moving the mark to its own
/// end.
task<bool> tide::conclude_scan(scan& s) {
  std::size_t first = 0;
  while (first < s.headers.size()) {
    std::size_t last = first, rows = 0;
    for (; last < s.headers.size(); ++last) {
      const auto number = s.headers[last].number;
      const auto proven = s.proven.find(number);
      rows += proven != s.proven.end()
                  ? proven->second.logs.size()
                  : static_cast<std::size_t>(
                        std::count_if(s.seen.begin(), s.seen.end(),
                                      [&](const sighting& x) { return x.block.number == number; }));
      if (rows > rows_a_set && last > first) break;
    }
    if (!co_await conclude_slice(s, first, last)) co_return false;
    first = last;
  }
  co_return true;
}

task<bool> tide::conclude_slice(scan& s, std::size_t first, std::size_t last) {
  for (int round = 0; round < rounds_of_dispute; ++round) {
    write_set set = new_set();
    for (auto it = s.left_behind.rbegin(); it != s.left_behind.rend(); ++it)
      set.verdicts.push_back(orphaned{it->second});
    shown run;
    run.settles = s.settles;
    auto next =
        std::lower_bound(s.seen.begin(), s.seen.end(), s.headers[first].number,
                         [](const sighting& x, std::uint64_t n) { return x.block.number < n; });
    for (std::size_t i = first; i < last; ++i) {
      const auto& h = s.headers[i];
      const auto proven = s.proven.find(h.number);
      if (s.moves_mark) {
        const auto* held = held_.find(h.number);
        set.headers.push_back(held_of(h, proven != s.proven.end() || (held && held->whole)));
      }
      if (proven != s.proven.end()) {
        if (!run.blocks.empty()) set.verdicts.push_back(std::exchange(run, {{}, {}, s.settles}));
        proved whole{h.id(), {}, sightings_of(proven->second, "reconcile")};
        for (const auto& l : proven->second.logs)
          whole.places.push_back({l.tx, static_cast<std::int32_t>(l.log_index)});
        set.verdicts.push_back(std::move(whole));
        while (next != s.seen.end() && next->block.number == h.number)
          ++next;
        continue;
      }
      run.blocks.push_back(h.id());
      for (; next != s.seen.end() && next->block.number == h.number; ++next)
        run.logs.push_back(*next);
    }
    if (!run.blocks.empty()) set.verdicts.push_back(std::move(run));
    if (s.moves_mark) {
      if (settings_.confirmations.at_least == tag::finalized && finalized_ && view().finalized &&
          (!final_ || finalized_->number > final_->number))
        set.verdicts.push_back(final_moved{*finalized_});
      set.verdicts.push_back(mark_moved{s.headers[last - 1].id()});
    }
    put(std::move(set));
    const store_answer done = co_await the_outcome{*this};
    if (const auto* ok = std::get_if<applied>(&done)) {
      after_slice(s, last, *ok);
      s.added += ok->added;
      s.denied += ok->rolled_back;
      co_return true;
    }
    const auto& differs = std::get<disputed>(done);
    for (const auto& id : differs.left)
      s.left_behind[id.number] = id;
    std::vector<evm::block_id> unread;
    for (const auto& id : differs.read_whole)
      if (!s.proven.count(id.number)) unread.push_back(id);
    if (unread.empty() && differs.left.empty()) {
      fail("two readings of " + place(differs.read_whole.front()) +
           " differ, both of which prove themselves; the mark waits below it");
      co_return false;
    }
    auto readings = co_await read_whole(unread, s.endpoint);
    if (!readings) co_return false;
    for (auto& b : *readings)
      s.proven.emplace(b.header.number, std::move(b));
  }
  fail("the answers for blocks " + std::to_string(s.headers[first].number) + " to " +
       std::to_string(s.headers[last - 1].number) +
       " keep contradicting what is stored; the mark waits below them");
  co_return false;
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
    if (settings_.confirmations.at_least == tag::finalized && view().finalized &&
        (!final_ || finalized_->number > final_->number))
      final_ = finalized_;
  }
  for (const auto& r : a.waiting)
    if (std::find(waiting_.begin(), waiting_.end(), r) == waiting_.end()) waiting_.push_back(r);
}

/// Events at or below the mark whose own policies asked for more than the chain's, and now have it:
/// their blocks are read again, whole, so that they too are confirmed by a second answer from a
/// chain that is canonical at this moment.
tide::pass tide::ripen() {
  const auto v = view();
  std::map<std::uint64_t, evm::block_id> blocks;
  for (const auto& r : waiting_)
    if (holds(r.asks, r.block.number, v)) blocks[r.block.number] = r.block;
  std::vector<evm::block_id> ids;
  for (const auto& b : blocks)
    if (ids.size() < 20) ids.push_back(b.second);
  auto readings = co_await read_whole(ids, std::nullopt);
  if (!readings) co_return pass_end::failed;
  write_set set = new_set();
  for (const auto& b : *readings) {
    proved whole{b.header.id(), {}, sightings_of(b, "reconcile")};
    for (const auto& l : b.logs)
      whole.places.push_back({l.tx, static_cast<std::int32_t>(l.log_index)});
    set.verdicts.push_back(std::move(whole));
  }
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  const auto* ok = std::get_if<applied>(&done);
  if (!ok) {
    fail("an event that waits for its confirmations contradicts what its block says now; it stays "
         "pending");
    co_return pass_end::failed;
  }
  const auto concluded = [&](const ripening& r) {
    return std::find(ids.begin(), ids.end(), r.block) != ids.end();
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), concluded), waiting_.end());
  for (const auto& r : ok->waiting)
    waiting_.push_back(r);
  co_return pass_end::done;
}

} // namespace tidemark::tide
