// SPDX-License-Identifier: MIT
#include "tide/read_ahead.hpp"

#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {

std::vector<sighting> match_range(const std::vector<evm::header>& headers,
                                  const std::vector<evm::log>& logs,
                                  const std::vector<evm::transaction>& transactions,
                                  const interest& wants, const interest* of,
                                  const nursery& children, std::uint64_t* undecodable) {
  std::vector<sighting> out;
  out.reserve(logs.size());
  auto h = headers.begin();
  for (const auto& l : logs) {
    while (h->number < l.block.number)
      ++h;
    if (of && !of->wants(l, &children)) continue; // of another subscription, and known
    if (auto found = wants.match(l, h->time, std::nullopt, "reconcile", undecodable, &children))
      out.push_back(std::move(*found));
  }
  h = headers.begin();
  for (const auto& t : transactions) {
    while (h->number < t.block.number)
      ++h;
    if (of && !of->wants(t)) continue;
    if (auto found = wants.match(t, h->time, "reconcile")) out.push_back(std::move(*found));
  }
  in_order(out);
  return out;
}

/// At most so many blocks as the range before it had.
void tide::ask_ahead(ask_range next, std::uint64_t bound) {
  open_ask({0, next, std::nullopt, std::nullopt});
  ahead_.asked = {std::move(next), bound};
}

bool tide::is_ahead(const ask_range& asked, const ask_range& wanted) {
  return asked.from == wanted.from && asked.to <= wanted.to && asked.filter == wanted.filter &&
         asked.sealed == wanted.sealed && asked.transactions == wanted.transactions;
}

/// What came before its turn: all that needs no turn is done with it now, and the next is asked
/// for.
void tide::take_ahead() {
  if (ahead_.come || !ahead_.asked) return;
  const auto asked = *std::exchange(ahead_.asked, std::nullopt);
  ahead_.come = read_ahead::arrival{asked.what, *std::exchange(answer_, std::nullopt), {}, now_};
  auto* range = std::get_if<range_answer>(&ahead_.come->says.what);
  if (!range || range->headers.empty()) return; // said in its turn, like all that is wrong with it
  ask_range next = asked.what;
  next.from = range->headers.back().number + 1;
  next.to = std::min(asked.bound, next.from + (asked.what.to - asked.what.from));
  if (ahead_.suffices && next.from > asked.what.from && next.from <= asked.bound)
    ask_ahead(std::move(next), asked.bound);
  const bool listed = settings_.integrity != proof::none && settings_.backfill != proof::none;
  if (!listed || !wants_->factories().empty()) return;
  if (!check_range(*range, asked.what.from, asked.what.to, ways_, true)) return;
  matched_range all{wants_, {}, 0};
  all.seen = match_range(range->headers, range->logs, range->transactions, *wants_, nullptr,
                         nursery_, &all.undecodable);
  if (settings_.pack)
    for (auto& s : all.seen)
      s.data = settings_.pack(s.data);
  ahead_.come->matched = std::move(all);
}

/// The range that is wanted, where it has come and is not too old.
std::optional<read_ahead::arrival> tide::came_ahead(const ask_range& wanted) {
  if (!ahead_.come || !is_ahead(ahead_.come->what, wanted) ||
      now_ - ahead_.come->at > settings_.poll)
    return std::nullopt;
  auto out = std::exchange(ahead_.come, std::nullopt);
  if (answer_) take_ahead(); // the next had to wait for this one's place
  return out;
}

} // namespace tidemark::tide
