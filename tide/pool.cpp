// SPDX-License-Identifier: MIT
#include "tide/pool.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::int64_t first_back_off = 250, longest_back_off = 30'000;
constexpr std::int64_t refused_for = 60'000, lying_for = 60'000, unauthorised_for = 60'000,
                       alone_for = 2'000, limited_for = 2'000;
constexpr std::size_t logs_wanted = 5'000; // an answer's size is kept near this
constexpr std::uint32_t grow_after = 3;
constexpr std::size_t largest_batch = 50;
constexpr std::uint32_t larger_batch_after = 64;

} // namespace

pool::pool(std::vector<endpoint_settings> endpoints, std::uint64_t max_range)
    : max_range_(std::max<std::uint64_t>(max_range, 1)) {
  for (auto& e : endpoints) {
    endpoint one;
    one.span = std::min(max_range_, e.max_range.value_or(max_range_));
    one.tokens = std::max(1.0, e.requests_per_second);
    one.says.name = e.name;
    one.told = std::move(e);
    all_.push_back(std::move(one));
  }
}

std::optional<std::size_t> pool::choose(std::int64_t now, const std::vector<bool>& tried) {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (!tried[i] && now >= all_[i].not_before) return i;
  return std::nullopt;
}

std::int64_t pool::ready_at(std::int64_t now) const {
  auto at = now + longest_back_off;
  for (const auto& e : all_)
    at = std::min(at, std::max(now, e.not_before));
  return at;
}

std::int64_t pool::take_tokens(std::size_t i, std::size_t requests, std::int64_t now) {
  auto& e = all_[i];
  const double rate = e.told.requests_per_second;
  if (rate <= 0) return 0;
  const double burst = std::max(1.0, rate);
  const auto passed = std::max<std::int64_t>(now - std::exchange(e.filled_at, now),
                                             0); // a clock that is set back takes nothing away
  e.tokens = std::min(burst, e.tokens + rate * static_cast<double>(passed) / 1'000.0);
  e.tokens -= static_cast<double>(requests); // may go below zero: the next one waits for it
  return e.tokens >= 0 ? 0 : static_cast<std::int64_t>(std::ceil(-e.tokens / rate * 1'000.0));
}

void pool::succeeded(std::size_t i, double latency_ms, std::uint64_t head) {
  auto& e = all_[i];
  e.failures = 0;
  e.not_before = 0;
  e.words.clear();
  e.says.latency_ms =
      e.says.latency_ms == 0 ? latency_ms : e.says.latency_ms * 0.9 + latency_ms * 0.1;
  if (head > e.says.head.value_or(0)) e.says.head = head;
  std::uint64_t best = 0;
  for (const auto& other : all_)
    best = std::max(best, other.says.head.value_or(0));
  constexpr std::uint64_t lag_allowed = 3;
  e.says.state =
      e.says.head.value_or(0) + lag_allowed < best ? endpoint_state::lagging : endpoint_state::ok;
}

void pool::failed(std::size_t i, rpc_failure f, const std::string& text, std::int64_t now,
                  std::optional<std::int64_t> retry_after_ms) {
  auto& e = all_[i];
  ++e.says.errors;
  e.words = text;
  if (f == rpc_failure::ahead) { // it works, and is not there yet
    e.says.state = endpoint_state::lagging;
    e.not_before = now + retry_after_ms.value_or(0);
    return;
  }
  e.checked = false; // what answers next under this name may be another machine
  ++e.failures;
  auto wait =
      std::min(first_back_off << std::min<std::uint32_t>(e.failures - 1, 7), longest_back_off);
  switch (f) {
  case rpc_failure::rate_limited:
    e.says.state = endpoint_state::rate_limited;
    wait = std::max(wait, limited_for);
    break;
  case rpc_failure::auth:
    e.says.state = endpoint_state::refused;
    wait = all_.size() > 1 ? unauthorised_for : alone_for;
    break;
  default:
    e.says.state = endpoint_state::failing;
    break;
  }
  e.not_before = now + std::max(wait, retry_after_ms.value_or(0));
}

void pool::lied(std::size_t i, std::int64_t now) {
  auto& e = all_[i];
  ++e.says.lies;
  e.says.state = endpoint_state::lying;
  // Alone it is all there is: it is asked again soon, and never believed without proof.
  e.not_before = now + (all_.size() > 1 ? lying_for : first_back_off);
}

void pool::refuse(std::size_t i, const std::string& text, std::int64_t now) {
  auto& e = all_[i];
  e.words = text;
  ++e.says.errors;
  e.says.state = endpoint_state::refused;
  e.checked = false;
  e.not_before = now + (all_.size() > 1 ? refused_for : alone_for);
}

void pool::batch_worked(std::size_t i) {
  auto& e = all_[i];
  if (e.batch >= largest_batch || ++e.batches_worked < larger_batch_after) return;
  e.batch = std::min(e.batch * 2, largest_batch);
  e.batches_worked = 0;
}

std::string pool::troubles() const {
  std::string out;
  for (const auto& e : all_)
    if (!e.words.empty()) out += (out.empty() ? "" : "; ") + e.told.name + ": " + e.words;
  return out;
}

std::uint64_t pool::span(std::size_t i) const { return std::max<std::uint64_t>(all_[i].span, 1); }

bool pool::shrink_span(std::size_t i, std::uint64_t asked, std::optional<std::uint64_t> hint) {
  auto& e = all_[i];
  e.worked = 0;
  if (asked <= 1) return false;
  e.span = hint && *hint > 0 && *hint < asked ? *hint : asked / 2;
  return true;
}

void pool::range_worked(std::size_t i, std::uint64_t span, std::size_t logs) {
  auto& e = all_[i];
  const auto most = std::min(max_range_, e.told.max_range.value_or(max_range_));
  if (logs > 2 * logs_wanted && span > 1) {
    e.span = std::max<std::uint64_t>(span / 2, 1); // dense: smaller before the endpoint says so
    e.worked = 0;
  } else if (span >= e.span && ++e.worked >= grow_after && logs < logs_wanted) {
    e.span = std::min(most, e.span + std::max<std::uint64_t>(e.span / 4, 1));
    e.worked = 0;
  }
}

std::vector<endpoint_status> pool::status() const {
  std::vector<endpoint_status> out;
  for (const auto& e : all_)
    out.push_back(e.says);
  return out;
}

} // namespace tidemark::tide
