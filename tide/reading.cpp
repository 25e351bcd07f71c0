// SPDX-License-Identifier: MIT
#include "tide/reading.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {

reading::reading(ask_what what, const limits& l) : what_(std::move(what)), limits_(l) {
  limits_.span = std::max<std::uint64_t>(limits_.span, 1);
  limits_.list = std::max<std::size_t>(limits_.list, 1);
  if (auto* range = std::get_if<ask_range>(&what_)) {
    if (range->to < range->from) return;
    made_ = range_answer{};
    stage_ = stage::last_first;
    sealed_ = range->sealed;
    watched_ = range->transactions;
    full_ = watched_ != nullptr;
    first_ = range->from;
    span_ = std::min(range->to - range->from, limits_.span - 1) + 1;
    to_ = range->from + span_ - 1;
    slots_.resize(span_);
  } else if (const auto* headers = std::get_if<ask_headers>(&what_)) {
    if (headers->to < headers->from) return;
    made_ = headers_answer{};
    first_ = headers->from;
    slots_.resize(headers->to - headers->from + 1);
  } else if (const auto* logs = std::get_if<ask_logs>(&what_)) {
    if (logs->to < logs->from) return;
    made_ = logs_answer{};
    cut_pieces(logs->from, logs->to, logs->filter);
  } else if (const auto* blocks = std::get_if<ask_blocks>(&what_)) {
    made_ = blocks_answer{};
    sealed_ = blocks->sealed;
    watched_ = blocks->transactions;
    full_ = sealed_ || watched_; // receipts do not prove whose they are: the transactions do
    blocks_.resize(blocks->ids.size());
  } else if (const auto* receipts = std::get_if<ask_receipts>(&what_)) {
    receipts_answer a;
    a.receipts.resize(receipts->transactions.size());
    made_ = std::move(a);
  } else if (std::holds_alternative<ask_votes>(what_)) {
    made_ = votes_answer{{vote{}}, {}};
  } else {
    made_ = head_answer{};
  }
  plan();
}

void reading::add(kind is, rpc_call call, std::size_t at, std::size_t sub) {
  calls_.push_back(std::move(call));
  todos_.push_back({is, at, sub});
}

/// The calls of the stage, out of what is still to be had. Logs come first: an answer that is too
/// big is known before the rest is read.
void reading::plan() {
  calls_.clear();
  todos_.clear();
  if (stage_ == stage::last_first)
    return add(kind::header, call_block_by_number(to_, full_), slots_.size() - 1);
  if (stage_ == stage::last_again) return add(kind::again, call_block_by_number(to_));
  asked_.clear();
  if (stage_ == stage::body) {
    asked_ = std::exchange(pieces_, {});
    for (std::size_t i = 0; i < asked_.size(); ++i)
      add(kind::piece, call_logs(asked_[i].from, asked_[i].to, asked_[i].filter), i);
    for (std::size_t w = 0; w < works_.size(); ++w)
      if (!works_[w].done) plan_work(w);
    plan_statuses();
  }
  const auto had = std::holds_alternative<ask_range>(what_) ? span_ - 1 : slots_.size();
  for (; headers_planned_ < slots_.size(); ++headers_planned_)
    if (headers_planned_ != had)
      add(kind::header, call_block_by_number(first_ + headers_planned_, full_), headers_planned_);
  if (std::exchange(planned_, true)) return;
  const auto tags = [this](bool safe, bool finalized) {
    add(kind::latest, call_block_by_tag("latest"));
    if (safe) add(kind::safe, call_block_by_tag("safe"));
    if (finalized) add(kind::finalized, call_block_by_tag("finalized"));
  };
  if (const auto* head = std::get_if<ask_head>(&what_)) {
    tags(head->safe, head->finalized);
  } else if (const auto* votes = std::get_if<ask_votes>(&what_)) {
    tags(votes->safe, votes->finalized);
    if (votes->number) add(kind::there, call_block_by_number(*votes->number));
  } else if (const auto* blocks = std::get_if<ask_blocks>(&what_)) {
    for (std::size_t i = 0; i < blocks->ids.size(); ++i) {
      add(kind::block, call_block_by_number(blocks->ids[i].number, full_), i);
      if (!sealed_) add(kind::block_logs, call_logs_of_block(blocks->ids[i].hash), i);
    }
  } else if (const auto* receipts = std::get_if<ask_receipts>(&what_)) {
    for (std::size_t i = 0; i < receipts->transactions.size(); ++i)
      add(kind::receipt, call_receipt(receipts->transactions[i]), i);
  }
}

bool reading::fail(rpc_failure f, std::string text) {
  failure_ = f;
  text_ = std::move(text);
  return false;
}

bool reading::fail(const call_result& r) {
  return fail(r.means.value_or(classify(r.error)), r.error.message);
}

reading::step reading::plan_next(stage s) {
  stage_ = s;
  plan();
  return step::more;
}

bool reading::read_header(const call_result& r, std::uint64_t number, bool sealed,
                          std::optional<evm::header>& out) {
  if (!r.value) return fail(r);
  if (r.value->is_null()) return out.reset(), true;
  auto h = header_from(*r.value, sealed);
  if (!h) return fail(rpc_failure::transient, h.error().text);
  if (h->number != number)
    return fail(rpc_failure::transient, "asked for block " + std::to_string(number) +
                                            ", it answered with " + std::to_string(h->number));
  highest_ = std::max(highest_, h->number);
  out = std::move(*h);
  return true;
}

bool reading::read_logs(const call_result& r, std::vector<evm::log>& out) {
  if (!r.value) return fail(r);
  const auto* list = r.value->if_array();
  if (!list) return fail(rpc_failure::transient, "its logs are no array");
  out.reserve(out.size() + list->size());
  for (const auto& v : *list) {
    auto l = log_from(v);
    if (!l) return fail(rpc_failure::transient, l.error().text);
    out.push_back(std::move(*l));
  }
  return true;
}

bool reading::take_head(const todo& t, const call_result& r) {
  auto* votes = std::get_if<votes_answer>(&made_);
  auto& says = votes ? votes->votes.front().says : std::get<head_answer>(made_);
  if (t.is == kind::latest) {
    if (!r.value) return fail(r);
    auto h = header_from(*r.value);
    if (!h) return fail(rpc_failure::transient, h.error().text);
    highest_ = std::max(highest_, h->number);
    says.head = std::move(*h);
    return true;
  }
  if (t.is == kind::there) {
    const auto means = r.value ? rpc_failure::ours : r.means.value_or(classify(r.error));
    if (means == rpc_failure::ahead || means == rpc_failure::pruned)
      return true; // an error where others say null
    return read_header(r, *std::get<ask_votes>(what_).number, false, votes->votes.front().there);
  }
  // A tag that cannot be resolved is null here and an error there: both say "not known now" and
  // nothing else.
  if (!r.value) return true;
  if (const auto h = header_from(*r.value))
    (t.is == kind::safe ? says.safe : says.finalized) = h->id();
  return true;
}

bool reading::take_receipt(std::size_t at, const call_result& r) {
  if (!r.value) return fail(r);
  if (r.value->is_null()) return true;
  auto read = receipt_from(*r.value);
  if (!read) return fail(rpc_failure::transient, read.error().text);
  if (read->tx != std::get<ask_receipts>(what_).transactions[at])
    return fail(rpc_failure::transient, "it answered with another transaction's receipt");
  std::get<receipts_answer>(made_).receipts[at] = std::move(*read);
  return true;
}

bool reading::take(std::size_t call, const call_result& r) {
  const auto t = todos_[call];
  switch (t.is) {
  case kind::latest:
  case kind::safe:
  case kind::finalized:
  case kind::there:
    return take_head(t, r);
  case kind::header:
  case kind::again:
    return take_header(t, r);
  case kind::piece:
    return take_piece(asked_[t.at], r);
  case kind::block:
  case kind::block_logs:
    return take_block(t, r);
  case kind::base:
  case kind::of_block:
  case kind::of_one:
    return take_work(t, r);
  case kind::receipt:
    return take_receipt(t.at, r);
  case kind::status:
    return take_status(t.at, r);
  }
  return false;
}

bool reading::unfinished() const {
  return !pieces_.empty() || statuses_missing() ||
         std::any_of(works_.begin(), works_.end(), [](const work& w) { return !w.done; });
}

reading::step reading::next() {
  if (std::holds_alternative<ask_range>(what_)) return next_of_range();
  if (!blocks_.empty() && !settle_blocks()) return step::failed;
  if (unfinished()) return plan_next(stage::body);
  if (!settle_groups()) return step::failed;
  if (!slots_.empty() && !settle_headers()) return step::failed;
  place_transactions();
  return step::done;
}

} // namespace tidemark::tide
