// SPDX-License-Identifier: MIT
#include "tide/pool.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

// How often an endpoint is asked, and how much at once: learned from what it refuses.

namespace tidemark::tide {
namespace {

constexpr std::int64_t second = 1'000, hour = 3'600 * second;

constexpr std::size_t logs_wanted =
    2'500; // an answer is kept near this: 1.6 MB of JSON, some 25 MB read
constexpr std::uint32_t grow_after = 3; // towards a number of blocks that was refused
constexpr std::size_t largest_batch = 50;
constexpr std::uint32_t larger_batch_after = 64;
constexpr std::uint32_t words_waited_for = 3;
constexpr std::int64_t proof_holds = 60 * second;

// Additive increase, multiplicative decrease: back at what was too much after 10 s, no limit at
// four times that. An endpoint that refuses everything for a while has not said how much it takes:
// what was too much is never thought less than ten a second.
constexpr double least_too_much = 10, least_rate = 1, regained_a_second = 0.05, faded = 4;

} // namespace

double pool::rate(std::size_t i) const {
  const auto& e = all_[i];
  if (e.limit <= 0) return std::max(e.told.requests_per_second, 0.0);
  return e.told.requests_per_second > 0 ? std::min(e.limit, e.told.requests_per_second) : e.limit;
}

std::int64_t pool::take_tokens(std::size_t i, std::size_t calls, std::int64_t now) {
  auto& e = all_[i];
  const auto passed =
      static_cast<double>(std::max<std::int64_t>(now - std::exchange(e.filled_at, now), 0)) /
      1'000.0; // a clock that is set back takes nothing away
  if (now < e.second_at || now - e.second_at >= second) {
    e.last_second = now - e.second_at < 2 * second ? std::exchange(e.this_second, 0) : 0;
    e.this_second = 0;
    e.second_at = now;
  }
  e.this_second += static_cast<double>(calls);
  if (e.limit > 0) e.limit += e.hit * regained_a_second * passed;
  if (e.limit > e.hit * faded) e.limit = 0;
  const double rate_now = rate(i);
  if (rate_now <= 0) return 0;
  const double burst = std::max(1.0, rate_now);
  e.tokens = std::min(burst, e.tokens + rate_now * passed);
  e.tokens -= static_cast<double>(calls); // may go below zero: the next one waits for it
  return e.tokens >= 0 ? 0 : static_cast<std::int64_t>(std::ceil(-e.tokens / rate_now * 1'000.0));
}

void pool::slow_down(std::size_t i, std::int64_t now) {
  auto& e = all_[i];
  // Requests that were under way together say it once.
  if (e.limit > 0 && now >= e.slowed_at && now - e.slowed_at < second) return;
  e.slowed_at = now;
  e.hit = rate(i);
  if (e.hit <= 0) e.hit = std::max({least_too_much, e.last_second, e.this_second});
  e.limit = std::max(least_rate, e.hit / 2);
  e.hit = std::max({e.hit, e.limit, least_too_much});
  e.tokens = std::min(e.tokens, 0.0);
  e.filled_at = now;
}

std::size_t pool::batch(std::size_t i) const {
  const auto r = rate(i);
  return r > 0 ? std::min(all_[i].batch, static_cast<std::size_t>(std::max(r, 1.0)))
               : all_[i].batch;
}

void pool::shrink_batch(std::size_t i, std::size_t calls) {
  auto& e = all_[i];
  e.batch = std::max<std::size_t>(std::min(e.batch, calls / 2), 1);
  e.batches_worked = 0;
}

void pool::batch_worked(std::size_t i) {
  auto& e = all_[i];
  if (e.batch >= largest_batch || ++e.batches_worked < larger_batch_after) return;
  e.batch = std::min(e.batch * 2, largest_batch);
  e.batches_worked = 0;
}

std::uint64_t pool::limit_of(const endpoint& e) const {
  return std::min(max_range_, e.told.max_range.value_or(max_range_));
}

/// The configured limit, and below it what was refused for its length: that is tried again at
/// twice the length each hour.
std::uint64_t pool::most_blocks(const endpoint& e, std::int64_t now) const {
  const auto most = limit_of(e);
  if (e.refused == 0) return most;
  const auto hours = std::clamp<std::int64_t>((now - e.refused_at) / hour, 0, 30);
  return std::min(most, std::max<std::uint64_t>(e.refused - 1, 1) << hours);
}

std::uint64_t pool::span(std::size_t i, std::int64_t now) const {
  const auto& e = all_[i];
  return std::max<std::uint64_t>(std::min(e.span, most_blocks(e, now)), 1);
}

bool pool::shrink_span(std::size_t i, std::uint64_t asked, std::optional<std::uint64_t> hint,
                       excess of, std::int64_t now) {
  auto& e = all_[i];
  e.worked = 0;
  if (asked <= 1) return false;
  e.span_learned = true;
  auto next = asked / 2;
  if (hint && *hint > 0 && *hint < asked)
    next = *hint;
  else if (of == excess::blocks && e.good > next && e.good < asked)
    next = e.good; // grew by too much: back to where it was
  if (of == excess::blocks) {
    e.refusal_says = hint && *hint == next;
    e.refused = e.refusal_says ? next + 1 : asked;
    e.refused_at = now;
  }
  e.span = std::min(e.span, next);
  return true;
}

void pool::range_worked(std::size_t i, std::uint64_t span_read, std::size_t logs,
                        std::int64_t now) {
  auto& e = all_[i];
  e.wordless = 0;
  e.good = span_read;
  const auto most = most_blocks(e, now);
  const auto enough = e.silent_cap > 0 ? std::min(logs_wanted, e.silent_cap / 2) : logs_wanted;
  if (logs > 2 * enough && span_read > 1) {
    e.span = std::max<std::uint64_t>(span_read / 2, 1); // before the endpoint says so
    e.span_learned = true;
    e.worked = 0;
  } else if (span_read >= span(i, now) && logs < enough &&
             ++e.worked >= (e.refused > 0 ? grow_after : 1)) {
    // At first in large steps: until something was too much.
    auto next = !e.span_learned && logs < enough / 8
                    ? e.span * 4
                    : e.span + std::max<std::uint64_t>(e.span / 4, 1);
    // Towards what was refused without saying what would work: half of the way, and not for a hair.
    if (most < limit_of(e) && !e.refusal_says) {
      const auto left = most - std::min(most, e.span);
      next = std::min(next, left > e.span / 16 ? e.span + (left + 1) / 2 : e.span);
    }
    e.span = std::min(most, next);
    e.worked = 0;
  }
}

bool pool::failed_without_words(std::size_t i) {
  if (++all_[i].wordless < words_waited_for) return false;
  all_[i].wordless = 0;
  return true;
}

void pool::shrink_list(std::size_t i, std::size_t asked) {
  all_[i].list = std::min(all_[i].list, std::max<std::size_t>(asked / 2, 1));
}

std::size_t pool::proved_logs(std::size_t i, std::int64_t now) const {
  const auto& e = all_[i];
  return now - e.proved_at < proof_holds ? e.proved_logs : 0;
}

void pool::gave_logs(std::size_t i, std::size_t logs, std::int64_t now) {
  auto& e = all_[i];
  if (logs > e.silent_cap) e.silent_cap = 0;
  if (logs < proved_logs(i, now)) return;
  e.proved_logs = logs;
  e.proved_at = now;
}

} // namespace tidemark::tide
