// SPDX-License-Identifier: MIT
#include "tide/reading.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::size_t calls_a_block = 2;

std::string block_name(const evm::block_id& id) {
  return std::to_string(id.number) + " " + evm::to_hex(id.hash);
}

} // namespace

reading::reading(ask_what what, const limits& l) : what_(std::move(what)), limits_(l) {
  limits_.calls_a_stage = std::max<std::size_t>(limits_.calls_a_stage, 1);
  if (auto* range = std::get_if<ask_range>(&what_)) {
    range->to = std::min(range->to, range->from + std::max<std::uint64_t>(l.span, 1) - 1);
    span_ = range->to - range->from + 1;
    made_ = range_answer{};
    stage_ = stage::headers;
  } else if (std::holds_alternative<ask_headers>(what_)) {
    made_ = headers_answer{};
    stage_ = stage::headers;
  } else if (std::holds_alternative<ask_blocks>(what_)) {
    made_ = blocks_answer{};
    stage_ = stage::blocks;
  } else if (std::holds_alternative<ask_receipts>(what_)) {
    made_ = receipts_answer{};
    stage_ = stage::receipts;
  }
  plan();
}

void reading::plan() {
  calls_.clear();
  switch (stage_) {
  case stage::head: {
    const auto& a = std::get<ask_head>(what_);
    calls_.push_back(call_block_by_tag("latest"));
    if (a.safe) calls_.push_back(call_block_by_tag("safe"));
    if (a.finalized) calls_.push_back(call_block_by_tag("finalized"));
    break;
  }
  case stage::headers: {
    const auto* range = std::get_if<ask_range>(&what_);
    const auto from = range ? range->from : std::get<ask_headers>(what_).from;
    const auto to = range ? range->to : std::get<ask_headers>(what_).to;
    for (auto n = from + done_; n <= to && calls_.size() < limits_.calls_a_stage; ++n)
      calls_.push_back(call_block_by_number(n));
    break;
  }
  case stage::logs: {
    const auto& a = std::get<ask_range>(what_);
    calls_.push_back(
        by_receipts_.empty()
            ? call_logs(a.from, a.to, a.filter)
            : call_receipts_of_block(std::get<range_answer>(made_).headers.front().hash));
    break;
  }
  case stage::last_header:
    calls_.push_back(call_block_by_number(std::get<ask_range>(what_).to));
    break;
  case stage::blocks: {
    const auto& ids = std::get<ask_blocks>(what_).ids;
    const auto most = std::max<std::size_t>(limits_.calls_a_stage / calls_a_block, 1);
    for (auto i = done_; i < ids.size() && i < done_ + most; ++i) {
      calls_.push_back(call_block_by_number(ids[i].number));
      calls_.push_back(call_logs_of_block(ids[i].hash));
    }
    break;
  }
  case stage::receipts_of_blocks:
    for (const auto i : by_receipts_)
      calls_.push_back(call_receipts_of_block(std::get<ask_blocks>(what_).ids[i].hash));
    break;
  case stage::receipts: {
    const auto& txs = std::get<ask_receipts>(what_).transactions;
    for (auto i = done_; i < txs.size() && calls_.size() < limits_.calls_a_stage; ++i)
      calls_.push_back(call_receipt(txs[i]));
    break;
  }
  }
}

bool reading::fail(rpc_failure f, std::string text) {
  failure_ = f;
  text_ = std::move(text);
  return false;
}

bool reading::fail(const rpc_error& e) {
  error_ = e;
  return fail(classify(e), e.message);
}

reading::step reading::next(stage s) {
  stage_ = s;
  plan();
  return step::more;
}

bool reading::take_header(const call_result& r, std::uint64_t number, evm::header& out) {
  if (!r.value) return fail(r.error);
  if (r.value->is_null())
    return fail(rpc_failure::ahead, "it has no block " + std::to_string(number) + " (yet)");
  auto h = header_from(*r.value);
  if (!h) return fail(rpc_failure::transient, h.error().text);
  if (h->number != number)
    return fail(rpc_failure::transient, "asked for block " + std::to_string(number) +
                                            ", it answered with " + std::to_string(h->number));
  highest_ = std::max(highest_, h->number);
  out = std::move(*h);
  return true;
}

bool reading::take_logs(const call_result& r, std::vector<evm::log>& out) {
  if (!r.value) return fail(r.error);
  const auto* list = r.value->if_array();
  if (!list) return fail(rpc_failure::transient, "its logs are no array");
  out.reserve(list->size());
  for (const auto& v : *list) {
    auto l = log_from(v);
    if (!l) return fail(rpc_failure::transient, l.error().text);
    out.push_back(std::move(*l));
  }
  logs_ += out.size();
  return true;
}

/// Partial receipts look like success: there must be one for each transaction of the block, each of
/// that block.
bool reading::take_block_receipts(const call_result& r, const evm::header& h,
                                  std::vector<evm::log>& out) {
  if (!r.value) return fail(r.error);
  const auto* list = r.value->if_array();
  if (!list)
    return fail(rpc_failure::transient, "it has no receipts of block " + block_name(h.id()));
  if (list->size() != h.transactions.size())
    return fail(rpc_failure::transient, "it has " + std::to_string(list->size()) +
                                            " receipts for the " +
                                            std::to_string(h.transactions.size()) +
                                            " transactions of block " + block_name(h.id()));
  std::vector<evm::hash32> told;
  for (const auto& v : *list) {
    auto one = receipt_from(v);
    if (!one) return fail(rpc_failure::transient, one.error().text);
    told.push_back(one->tx);
    if (one->block != h.id())
      return fail(rpc_failure::transient,
                  "a receipt of block " + block_name(h.id()) + " says " + block_name(one->block));
    for (auto& l : one->logs)
      out.push_back(std::move(l));
  }
  auto listed = h.transactions;
  std::sort(told.begin(), told.end());
  std::sort(listed.begin(), listed.end());
  if (told != listed)
    return fail(rpc_failure::transient,
                "its receipts of block " + block_name(h.id()) + " are of other transactions");
  logs_ += out.size();
  return true;
}

reading::step reading::take_head(const std::vector<call_result>& results) {
  const auto& asked = std::get<ask_head>(what_);
  head_answer a;
  const auto& latest = results.front();
  if (!latest.value) return fail(latest.error), step::failed;
  auto h = header_from(*latest.value);
  if (!h) return fail(rpc_failure::transient, h.error().text), step::failed;
  a.head = std::move(*h);
  highest_ = a.head.number;
  // A tag that cannot be resolved is null here and an error there: both say "not known now" and
  // nothing else.
  const auto tagged = [](const call_result& r) -> std::optional<evm::block_id> {
    if (!r.value) return std::nullopt;
    const auto read = header_from(*r.value);
    return read ? std::optional(read->id()) : std::nullopt;
  };
  if (asked.safe) a.safe = tagged(results[1]);
  if (asked.finalized) a.finalized = tagged(results[asked.safe ? 2 : 1]);
  made_ = std::move(a);
  return step::done;
}

reading::step reading::take_headers(const std::vector<call_result>& results) {
  auto* range = std::get_if<range_answer>(&made_);
  auto& headers = range ? range->headers : std::get<headers_answer>(made_).headers;
  const auto from = range ? std::get<ask_range>(what_).from : std::get<ask_headers>(what_).from;
  const auto to = range ? std::get<ask_range>(what_).to : std::get<ask_headers>(what_).to;
  for (const auto& r : results) {
    evm::header h;
    if (!take_header(r, from + done_, h)) return step::failed;
    headers.push_back(std::move(h));
    ++done_;
  }
  if (from + done_ <= to) return next(stage::headers);
  return range ? next(stage::logs) : step::done;
}

reading::step reading::take_blocks(const std::vector<call_result>& results) {
  const auto& ids = std::get<ask_blocks>(what_).ids;
  auto& blocks = std::get<blocks_answer>(made_).blocks;
  if (stage_ == stage::receipts_of_blocks) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      auto& b = blocks[by_receipts_[i]];
      if (!take_block_receipts(results[i], b.header, b.logs)) return step::failed;
      b.from_receipts = true;
    }
    by_receipts_.clear();
  } else {
    for (std::size_t i = 0; i + 1 < results.size(); i += calls_a_block, ++done_) {
      block_reading b;
      if (!take_header(results[i], ids[done_].number, b.header)) return step::failed;
      if (b.header.id() != ids[done_]) {
        blocks.push_back(
            std::move(b)); // another block is canonical there: the asker sees it by its hash
        continue;
      }
      if (!take_logs(results[i + 1], b.logs)) {
        if (failure_ != rpc_failure::too_big && failure_ != rpc_failure::unsupported)
          return step::failed;
        b.logs.clear();
        by_receipts_.push_back(done_);
      }
      blocks.push_back(std::move(b));
    }
    if (!by_receipts_.empty()) return next(stage::receipts_of_blocks);
  }
  return done_ < ids.size() ? next(stage::blocks) : step::done;
}

reading::step reading::take_receipts(const std::vector<call_result>& results) {
  const auto& txs = std::get<ask_receipts>(what_).transactions;
  auto& receipts = std::get<receipts_answer>(made_).receipts;
  for (const auto& r : results) {
    if (!r.value) return fail(r.error), step::failed;
    std::optional<evm::receipt> one;
    if (!r.value->is_null()) {
      auto read = receipt_from(*r.value);
      if (!read) return fail(rpc_failure::transient, read.error().text), step::failed;
      if (read->tx != txs[done_])
        return fail(rpc_failure::transient, "it answered with another transaction's receipt"),
               step::failed;
      one = std::move(*read);
    }
    receipts.push_back(std::move(one));
    ++done_;
  }
  return done_ < txs.size() ? next(stage::receipts) : step::done;
}

reading::step reading::take(const std::vector<call_result>& results) {
  if (results.size() != calls_.size())
    return fail(rpc_failure::transient, "it answered only some of the calls"), step::failed;
  switch (stage_) {
  case stage::head:
    return take_head(results);
  case stage::headers:
    return take_headers(results);
  case stage::blocks:
  case stage::receipts_of_blocks:
    return take_blocks(results);
  case stage::receipts:
    return take_receipts(results);
  case stage::logs: {
    auto& made = std::get<range_answer>(made_);
    const bool took = by_receipts_.empty()
                          ? take_logs(results.front(), made.logs)
                          : take_block_receipts(results.front(), made.headers.front(), made.logs);
    if (took) return next(stage::last_header);
    // One block is as small as a range gets; its receipts hold the same logs.
    if (by_receipts_.empty() && span_ == 1 && failure_ == rpc_failure::too_big) {
      by_receipts_.push_back(0);
      return next(stage::logs);
    }
    return step::failed;
  }
  case stage::last_header: {
    evm::header again;
    if (!take_header(results.front(), std::get<ask_range>(what_).to, again)) return step::failed;
    std::get<range_answer>(made_).last_again = again.id();
    return step::done;
  }
  }
  return step::failed;
}

} // namespace tidemark::tide
