// SPDX-License-Identifier: MIT
#include "tide/read_ahead.hpp"

#include "tide/tide.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

/// A part takes less than the store takes for a slice of it: the chain's answers do not wait.
constexpr std::size_t logs_a_part = 640;

} // namespace

void match_logs(std::vector<sighting>& out, const std::vector<evm::header>& headers,
                std::span<const evm::log> logs, const interest& wants, const interest* of,
                const nursery& children, std::uint64_t* undecodable) {
  if (logs.empty()) return;
  auto h = std::lower_bound(headers.begin(), headers.end(), logs.front().block.number,
                            [](const evm::header& x, std::uint64_t n) { return x.number < n; });
  for (const auto& l : logs) {
    while (h->number < l.block.number)
      ++h;
    if (of && !of->wants(l, &children)) continue; // of another subscription, and known
    if (auto found = wants.match(l, h->time, std::nullopt, "reconcile", undecodable, &children))
      out.push_back(std::move(*found));
  }
}

/// At most so many blocks as the range before it had.
void tide::ask_ahead(ask_range next, std::uint64_t bound) {
  open_ask({0, next, std::nullopt, std::nullopt});
  ahead_.asked = {std::move(next), bound};
}

bool is_ahead(const ask_range& asked, const ask_range& wanted) {
  return asked.from == wanted.from && asked.to <= wanted.to && asked.filter == wanted.filter &&
         asked.sealed == wanted.sealed && asked.transactions == wanted.transactions;
}

/// What came before its turn takes its place, and the next is asked for. What is wrong with it is
/// said in its turn.
void tide::take_ahead() {
  if (ahead_.come || !ahead_.asked || !answer_) return;
  const auto asked = *std::exchange(ahead_.asked, std::nullopt);
  ahead_.come = read_ahead::arrival{asked.what, *std::exchange(answer_, std::nullopt), {}, now_};
  auto* range = std::get_if<range_answer>(&ahead_.come->says.what);
  if (!range || range->headers.empty()) return;
  ask_range next = asked.what;
  next.from = range->headers.back().number + 1;
  next.to = std::min(asked.bound, next.from + (asked.what.to - asked.what.from));
  if (ahead_.suffices && next.from > asked.what.from && next.from <= asked.bound)
    ask_ahead(std::move(next), asked.bound);
  const bool listed = settings_.integrity != proof::none && settings_.backfill != proof::none;
  if (!listed || wants_->transactions() || !wants_->factories().empty()) return;
  if (check_range(*range, asked.what.from, asked.what.to, ways_, true))
    ahead_.come->matched = matched_range{wants_, ways_};
}

tide::effects tide::meanwhile(millis now) {
  now_ = now;
  if (!store_open_) return {};
  take_ahead();
  if (!ahead_.come || !ahead_.come->matched || ahead_.come->matched->by != wants_)
    return std::exchange(out_, {});
  const auto& range = std::get<range_answer>(ahead_.come->says.what);
  auto& m = *ahead_.come->matched;
  const auto part = std::span(range.logs).subspan(m.logs);
  const auto before = m.seen.size();
  const auto logs = part.first(std::min(logs_a_part, part.size()));
  match_logs(m.seen, range.headers, logs, *wants_, nullptr, nursery_, &m.undecodable);
  m.logs += logs.size();
  if (settings_.pack)
    for (auto i = before; i < m.seen.size(); ++i)
      m.seen[i].data = settings_.pack(m.seen[i].data);
  return std::exchange(out_, {});
}

/// The range that is wanted, where it has come and is not too old.
std::optional<read_ahead::arrival> tide::came_ahead(const ask_range& wanted) {
  if (!ahead_.come || !is_ahead(ahead_.come->what, wanted) ||
      now_ - ahead_.come->at > settings_.poll)
    return std::nullopt;
  return std::exchange(ahead_.come, std::nullopt);
}

} // namespace tidemark::tide
