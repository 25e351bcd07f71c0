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
  ahead_.whole = {};
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
  if (!answer_) return;
  if (ahead_.whole.asked) return take_whole_ahead();
  if (ahead_.come || !ahead_.asked) return;
  const auto asked = *std::exchange(ahead_.asked, std::nullopt);
  ahead_.come = read_ahead::arrival{asked.what, *std::exchange(answer_, std::nullopt), {}, now_};
  auto* range = std::get_if<range_answer>(&ahead_.come->says.what);
  if (!range || range->headers.empty()) return;
  // As prove_near wants them: where it wants others in the end, it asks for those.
  if (!lies_deep(asked.what.from) && settings_.integrity != proof::none) {
    for (const auto& h : range->headers)
      if (const auto* held = held_.find(h.number);
          !(held && held->whole) && may_have(*wants_, h, settings_.integrity))
        ahead_.whole.unread.push_back(h.id());
    ask_whole_ahead();
  }
  ask_range next = asked.what;
  next.from = range->headers.back().number + 1;
  next.to = std::min(asked.bound, next.from + (asked.what.to - asked.what.from));
  if (ahead_.suffices && !ahead_.whole.asked && next.from > asked.what.from &&
      next.from <= asked.bound)
    ask_ahead(std::move(next), asked.bound);
  const bool listed = settings_.integrity != proof::none && settings_.backfill != proof::none;
  if (!listed || wants_->transactions() || !wants_->factories().empty()) return;
  if (check_range(*range, asked.what.from, asked.what.to, ways_, true))
    ahead_.come->matched = matched_range{wants_, ways_};
}

void tide::ask_whole_ahead() {
  auto& ids = ahead_.whole.unread;
  if (ids.empty()) return;
  const auto end =
      ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), whole_blocks_an_ask));
  ask_blocks what{{ids.begin(), end}, settings_.integrity == proof::receipts, {}};
  what.transactions = wants_->transactions();
  ids.erase(ids.begin(), end);
  open_ask({0, what, std::nullopt, std::nullopt});
  ahead_.whole.asked = std::move(what);
}

/// What is no answer proves nothing: the blocks are asked for in their turn.
void tide::take_whole_ahead() {
  const bool read = std::holds_alternative<blocks_answer>(answer_->what);
  if (read) {
    auto& part = ahead_.whole.come.emplace_back();
    part.what = std::move(*ahead_.whole.asked);
    part.says = std::move(*answer_);
    part.at = now_;
  } else {
    ahead_.whole.unread.clear();
  }
  ahead_.whole.asked.reset();
  answer_.reset();
  ask_whole_ahead();
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

bool same_blocks(const ask_blocks& asked, const ask_blocks& wanted) {
  return asked.ids == wanted.ids && asked.sealed == wanted.sealed &&
         asked.transactions == wanted.transactions;
}

/// The blocks that are wanted next, where they have come and are not too old.
std::optional<answer> tide::came_whole(const ask_blocks& wanted) {
  auto& come = ahead_.whole.come;
  if (come.empty() || !same_blocks(come.front().what, wanted) ||
      now_ - come.front().at > settings_.poll)
    return std::nullopt;
  answer says = std::move(come.front().says);
  come.pop_front();
  return says;
}

} // namespace tidemark::tide
