// SPDX-License-Identifier: MIT
#include "tide/reading.hpp"

#include <algorithm>
#include <utility>

// Headers by number, and the order of a range: the last header, all the others beside the logs, the
// last header once more.

namespace tidemark::tide {
namespace {

/// Heights that are void one after the other: more than any chain was seen to have.
constexpr std::size_t least_further = 8, most_void = 2'000;

std::string no_block(std::uint64_t number) {
  return "it has no block " + std::to_string(number) + " (yet)";
}

} // namespace

bool reading::take_header(const todo& t, const call_result& r) {
  if (t.is == kind::header) {
    auto& slot = slots_[t.at];
    if (!read_header(r, first_ + t.at, sealed_, slot)) return false;
    return !slot || take_transactions(r, *slot, t.at);
  }
  std::optional<evm::header> again;
  if (!read_header(r, to_, false, again)) return false;
  if (!again) return fail(rpc_failure::ahead, no_block(to_));
  std::get<range_answer>(made_).last_again = again->id();
  return true;
}

/// A height without a block is void where the next block's parent is the one before: it is left
/// out. Below the first block nothing here can say so: whoever asked sees it by the parent. At the
/// end it may be void, or not there yet: the answer ends early.
bool reading::settle_headers() {
  headers_settled_ = true;
  auto* range = std::get_if<range_answer>(&made_);
  auto end = slots_.size();
  while (end > 0 && !slots_[end - 1])
    --end;
  if (end == 0) return fail(rpc_failure::ahead, no_block(first_));
  const bool reached = range && slots_.size() > span_;
  if (reached) end = first_there() + 1; // of what lies beyond the limit, no more than it takes
  auto& out = range ? range->headers : std::get<headers_answer>(made_).headers;
  out.reserve(end);
  for (std::size_t i = 0; i < end; ++i) {
    auto& h = slots_[i];
    if (!h) continue;
    const bool gap = i > 0 && !slots_[i - 1] && !out.empty();
    if (gap && h->parent != out.back().hash)
      return fail(rpc_failure::ahead, no_block(out.back().number + 1));
    out.push_back(std::move(*h));
  }
  to_ = first_ + end - 1;
  if (range && !reached) span_ = end;
  return true;
}

/// Of slots_; their number where there is none.
std::size_t reading::first_there() const {
  const auto there =
      std::find_if(slots_.begin(), slots_.end(),
                   [](const std::optional<evm::header>& h) { return h.has_value(); });
  return static_cast<std::size_t>(there - slots_.begin());
}

/// So many blocks as the endpoint takes at once may all be void, which only a block above can show:
/// headers cost it no range. False: there is nothing further that was asked for.
bool reading::reach_further() {
  const auto left = std::get<ask_range>(what_).to - to_;
  if (left == 0 || slots_.size() >= most_void || first_there() < slots_.size()) return false;
  const auto more = std::min<std::uint64_t>(left, std::max(least_further, slots_.size()));
  slots_.resize(slots_.size() + static_cast<std::size_t>(more));
  to_ += more;
  return true;
}

reading::step reading::next_of_range() {
  const auto& filter = std::get<ask_range>(what_).filter;
  switch (stage_) {
  case stage::last_first:
    if (slots_.back()) {
      cut_pieces(first_, to_, filter);
      return plan_next(stage::body);
    }
    // Not there yet, or void: the last that is there comes to light with the others.
    if (slots_.size() == 1 && !reach_further())
      return fail(rpc_failure::ahead, no_block(to_)), step::failed;
    return plan_next(stage::headers);
  case stage::headers:
    if (reach_further()) return plan_next(stage::headers);
    if (!settle_headers()) return step::failed;
    cut_pieces(to_ - first_ < span_ ? first_ : to_, to_, filter);
    return plan_next(stage::body);
  case stage::body:
    if (!headers_settled_ && !settle_headers()) return step::failed;
    if (unfinished()) return plan_next(stage::body);
    return settle_groups() ? plan_next(stage::last_again) : step::failed;
  case stage::last_again:
    place_transactions();
    return step::done;
  }
  return step::failed;
}

} // namespace tidemark::tide
