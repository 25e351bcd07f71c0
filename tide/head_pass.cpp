// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::uint64_t blocks_a_batch = 50;
constexpr std::size_t whole_blocks_an_ask = 20;
constexpr std::size_t rows_a_set = 250;

bool is_child(const evm::header& child, const evm::block_id& parent) {
  return child.number == parent.number + 1 && child.parent == parent.hash;
}

} // namespace

void tide::note_tags(const head_answer& a) {
  if (a.safe) safe_ = a.safe;
  // Our own final height never goes down: an endpoint that lags says less, not something else.
  if (a.finalized && (!finalized_ || a.finalized->number >= finalized_->number))
    finalized_ = a.finalized;
}

/// New heads: what lies between our tip and the endpoint's, header by header, each block with
/// something of ours read whole.
tide::pass tide::head_pass() {
  const auto strongest = settings_.strongest_tag;
  ask_for(ask_head{strongest != tag::none, strongest == tag::finalized});
  const answer latest = co_await the_answer{*this};
  const auto* seen = std::get_if<head_answer>(&latest.what);
  if (!seen) {
    fail(std::get<no_answer>(latest.what).text);
    co_return pass_end::failed;
  }
  const evm::header head = seen->head;
  note_tags(*seen);
  const auto tip = held_.tip();
  if (tip && head.number <= tip->number) {
    // A lower head is an endpoint that lags; only another hash from a head at least ours is a fork.
    if (head.number == tip->number && head.hash != tip->hash) suspect_reorg_ = true;
    co_return pass_end::done;
  }
  auto from = tip ? tip->number + 1 : first_unmarked();
  if (head.number < from) co_return pass_end::done; // start_block is still to come
  // Far behind, what is deep enough already is reconcile's: reading it here too would be twice the
  // work.
  chain_view there = view();
  there.head = head.number;
  bool hole = false;
  if (head.number - from >= blocks_a_batch)
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
      ask_for(ask_headers{from, to}, latest.endpoint);
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
    from += fresh.size();
    const auto end = co_await take_new(fresh, latest.endpoint);
    if (end != pass_end::done) co_return end;
  }
  co_return pass_end::done;
}

std::string tide::origin_of(const evm::hash32& tx) const {
  for (const auto& h : hints_)
    if (h.tx == tx) return "webhook:" + h.source;
  return "head";
}

std::vector<sighting> tide::sightings_of(const block_reading& b, const std::string& origin) const {
  const auto first = first_index_by_transaction(b.logs);
  std::vector<sighting> found;
  for (const auto& l : b.logs) {
    const auto ordinal = l.log_index - first.at(l.tx);
    if (auto s =
            wants_->match(l, b.header.time, ordinal, origin.empty() ? origin_of(l.tx) : origin))
      found.push_back(std::move(*s));
  }
  return found;
}

/// Blocks read whole and proved, or nothing: then `trouble_` says why. A block that is not the
/// canonical one any more is a reason to look for a fork, not to believe either side.
task<std::optional<std::vector<block_reading>>>
tide::read_whole(const std::vector<evm::block_id>& ids, std::optional<std::size_t> endpoint) {
  std::vector<block_reading> all;
  for (std::size_t done = 0; done < ids.size(); done += whole_blocks_an_ask) {
    const auto last = std::min(ids.size(), done + whole_blocks_an_ask);
    const std::vector<evm::block_id> some(ids.begin() + static_cast<std::ptrdiff_t>(done),
                                          ids.begin() + static_cast<std::ptrdiff_t>(last));
    ask_for(ask_blocks{some}, endpoint);
    const answer a = co_await the_answer{*this};
    const auto* read = std::get_if<blocks_answer>(&a.what);
    if (!read) {
      fail(std::get<no_answer>(a.what).text);
      co_return std::nullopt;
    }
    all.insert(all.end(), read->blocks.begin(), read->blocks.end());
    for (std::size_t i = 0; i < some.size(); ++i) {
      auto& b = all[done + i];
      if (b.header.id() != some[i]) {
        suspect_reorg_ = held_.contradicts(b.header.id());
        fail(place(some[i]) + " is not the canonical one at " + a.endpoint_name + ", which names " +
             place(b.header.id()));
        co_return std::nullopt;
      }
      if (auto proved = prove_whole(b, settings_.integrity); !proved) {
        out_.push_back(caught_lying{a.endpoint, proved.error().text});
        fail(a.endpoint_name + ": " + proved.error().text);
        co_return std::nullopt;
      }
    }
  }
  co_return all;
}

/// Headers that continue ours: what they have of ours is stored as pending, in the transaction that
/// makes them our tip.
tide::pass tide::take_new(const std::vector<evm::header>& fresh, std::size_t endpoint) {
  std::vector<evm::block_id> ids;
  for (const auto& h : fresh)
    if (settings_.follow && !wants_->empty() && may_have_ours(h)) ids.push_back(h.id());
  auto readings = co_await read_whole(ids, endpoint);
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
    const bool proved_empty = !may_have_ours(fresh[i]);
    set.headers.push_back(held_of(fresh[i], read || proved_empty));
    if (seen.logs.size() < rows_a_set && i + 1 < fresh.size()) continue;
    if (!seen.logs.empty()) set.verdicts.push_back(std::exchange(seen, {}));
    set.view.head = fresh[i].number;
    const auto headers = set.headers;
    put(std::move(set));
    const store_answer done = co_await the_outcome{*this};
    if (!std::holds_alternative<applied>(done)) {
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
