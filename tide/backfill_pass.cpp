// SPDX-License-Identifier: MIT
#include "tide/scan.hpp"

#include <algorithm>

// A subscription that counts from below the mark: what lies there is scanned while the chain goes
// on, a range at a time (contract §2, last paragraphs).

namespace tidemark::tide {
namespace {

constexpr std::uint64_t headers_an_ask = 256, a_few = 8;

} // namespace

/// What is told in blocks below the chain's start is undone by a fork like all else, so those that
/// one may still reach (max_depth below the mark) are held first, linked to ours by parents. False:
/// they cannot be read now.
task<bool> tide::hold_down_to(std::uint64_t number) {
  if (!mark_) co_return true;
  const auto need = std::max(number, mark_->number - std::min(mark_->number, settings_.max_depth));
  while (!held_.empty() && held_.all().begin()->first > need) {
    const held_header lowest = held_.all().begin()->second;
    const auto to = lowest.id.number - 1;
    // A few more than are needed: those heights may be void, which a block below them shows.
    const auto from = std::max(need - std::min(need, a_few), to - std::min(to, headers_an_ask));
    ask_for(ask_headers{from, to});
    const answer a = co_await the_answer{*this};
    const auto* read = std::get_if<headers_answer>(&a.what);
    if (!read) {
      fail(std::get<no_answer>(a.what).text);
      co_return false;
    }
    if (read->headers.empty() || read->headers.back().hash != lowest.parent ||
        read->headers.back().number > to) {
      suspect_reorg_ = true;
      fail(a.endpoint_name + " names another parent of " + place(lowest.id) + " than is held");
      co_return false;
    }
    write_set set = new_set();
    for (const auto& h : read->headers)
      set.headers.push_back(held_of(h));
    // With those between: the store lets go of what lies deep below a mark that a fork then takes
    // back.
    for (const auto& [n, h] : held_.all())
      if (n <= mark_->number) set.headers.push_back(h);
    const auto headers = set.headers;
    put(std::move(set));
    const store_answer done = co_await the_outcome{*this};
    if (!std::holds_alternative<applied>(done)) co_return false;
    for (const auto& h : headers)
      held_.add(h);
  }
  co_return true;
}

/// The next range of the first backfill. What a fork brought above the mark meanwhile is
/// reconcile's, which reads it with this subscription too.
tide::pass tide::backfill_pass() {
  const auto first = std::find_if(counts_.backfills.begin(), counts_.backfills.end(),
                                  [&](const backfill& b) { return !waits_for_policies(b); });
  if (first == counts_.backfills.end()) co_return pass_end::again;
  const backfill next = *first;
  if (next.at <= mark_->number) {
    const bool held = co_await hold_down_to(next.at);
    if (!held) co_return pass_end::failed;
    const auto to = std::min(next.to, mark_->number);
    co_return co_await reconcile_pass(next.at, to, false, &next);
  }
  write_set set = new_set();
  set.verdicts.push_back(backfilled{next.subscription, next.at, next.to});
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  if (!std::holds_alternative<applied>(done)) co_return pass_end::failed;
  advance(counts_.backfills, next.subscription, next.at, next.to);
  co_return pass_end::done;
}

bool tide::waits_for_policies(const backfill& b) const {
  const auto at = backfills_wait_.find(b.subscription);
  if (at == backfills_wait_.end()) return false;
  const auto& [block, asks] = at->second;
  return b.at <= block.number && block.number <= b.to && !holds(asks, block.number, view());
}

/// Another subscription may have told an event by weaker policies than this one's: the range ends
/// below the first that is not as deep as all of them ask. False: nothing is left of it yet.
bool tide::wait_for_policies(scan& s, const std::string& subscription) {
  const auto v = view();
  backfills_wait_.erase(subscription);
  const auto early = [&](const sighting& x) {
    const auto& of = x.subscriptions;
    return std::find(of.begin(), of.end(), subscription) != of.end() &&
           !holds(x.asks, x.block.number, v);
  };
  for (auto h = s.headers.begin(); h != s.headers.end(); ++h) {
    const auto proven = s.proven.find(h->number);
    const auto seen = s.seen_in(h->number);
    const auto found = proven != s.proven.end() ? sightings_of(proven->second, "reconcile")
                                                : std::vector<sighting>(seen.begin(), seen.end());
    const auto first = std::find_if(found.begin(), found.end(), early);
    if (first == found.end()) continue;
    backfills_wait_[subscription] = {h->id(), first->asks};
    s.headers.erase(h, s.headers.end());
    break;
  }
  return !s.headers.empty();
}

/// A range below all that we hold links to nothing of ours: whoever gave it has to be on our chain,
/// which shows at the mark.
task<bool> tide::has_our_mark(const answer& range, std::uint64_t last) {
  if (held_.find(last)) co_return true; // it was compared
  const evm::block_id ours = *mark_;
  ask_for(ask_headers{ours.number, ours.number}, range.endpoint);
  const answer a = co_await the_answer{*this};
  const auto* there = header_at(a, ours.number);
  if (!there) co_return false;
  if (there->hash == ours.hash) co_return true;
  suspect_reorg_ = true;
  fail(range.endpoint_name + " is on another chain at the mark, " + place(ours));
  co_return false;
}

} // namespace tidemark::tide
