// SPDX-License-Identifier: MIT
#include "tide/pool.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::int64_t second = 1'000, hour = 3'600 * second;
constexpr std::int64_t first_back_off = 250, longest_back_off = 30 * second;
constexpr std::int64_t refused_for = 60 * second, lying_for = 60 * second,
                       unauthorised_for = 60 * second, alone_for = 2 * second,
                       limited_for = 2 * second, dropped_for = hour;
constexpr std::int64_t longest_pause = hour;       // whatever an endpoint asks for
constexpr std::int64_t lies_forgotten = 24 * hour; // the next pause is a short one again
constexpr std::int64_t lag_believed = 10 * second; // then it is asked where it is now
constexpr std::uint64_t lag_allowed = 3;
constexpr std::uint64_t first_span = 128; // nobody knows yet how many logs there are

/// A moving average's new value.
double mixed(double old, double now, double share) { return old * (1 - share) + now * share; }

} // namespace

pool::pool(std::vector<endpoint_settings> endpoints, std::uint64_t max_range)
    : max_range_(std::max<std::uint64_t>(max_range, 1)) {
  for (auto& e : endpoints) {
    endpoint one;
    one.span = std::clamp<std::uint64_t>(e.max_range.value_or(max_range_), 1,
                                         std::min(max_range_, first_span));
    one.tokens = std::max(1.0, e.requests_per_second);
    one.says.name = e.name;
    one.told = std::move(e);
    all_.push_back(std::move(one));
  }
}

/// A caught liar's word counts for nothing, nor does another chain's.
bool pool::is_liar(const endpoint& e) {
  return e.says.state == endpoint_state::lying || e.says.state == endpoint_state::refused;
}

/// The best head that may be believed.
std::uint64_t pool::best_head() const {
  std::uint64_t best = 0;
  for (const auto& e : all_)
    if (!is_liar(e)) best = std::max(best, e.claims.value_or(0));
  return best;
}

bool pool::lags(std::size_t i) const {
  return all_[i].claims && *all_[i].claims + lag_allowed < best_head();
}

/// It has not got what is asked for, by what it said a moment ago.
bool pool::behind(std::size_t i, const wanted& w, std::int64_t now) const {
  const auto& e = all_[i];
  if (!lags(i) || now - e.claimed_at >= lag_believed) return false;
  return w.head || (w.highest && *e.claims < *w.highest);
}

bool pool::has_dropped(const endpoint& e, const wanted& w, std::int64_t now) const {
  return e.dropped && w.lowest && *w.lowest <= *e.dropped && now < e.dropped_until;
}

std::optional<std::size_t> pool::choose(std::int64_t now, const std::vector<bool>& tried,
                                        const wanted& w) const {
  // Where all have dropped it they are asked all the same: one may have got it back.
  const bool nobody_has_it = std::all_of(all_.begin(), all_.end(),
                                         [&](const endpoint& e) { return has_dropped(e, w, now); });
  std::optional<std::size_t> second_best;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (tried[i] || !may_ask(i, now) || (has_dropped(all_[i], w, now) && !nobody_has_it)) continue;
    if (w.rather_not != i && !behind(i, w, now)) return i;
    // Of two that are no good choice, the one that is there but not wanted.
    if (!second_best || (behind(*second_best, w, now) && !behind(i, w, now))) second_best = i;
  }
  return second_best;
}

std::int64_t pool::ready_at(std::int64_t now) const {
  auto at = now + longest_back_off;
  for (const auto& e : all_)
    at = std::min(at, std::max(now, e.not_before));
  return at;
}

void pool::succeeded(std::size_t i, double latency_ms, std::uint64_t highest, std::int64_t now,
                     bool named_head) {
  auto& e = all_[i];
  e.failures = 0;
  e.not_before = 0;
  e.words.clear();
  e.says.latency_ms =
      e.says.latency_ms == 0 ? latency_ms : mixed(e.says.latency_ms, latency_ms, 0.1);
  e.says.error_rate = mixed(e.says.error_rate, 0, 0.05);
  if (highest > e.says.head.value_or(0)) e.says.head = highest;
  // A head may go down, and who names it lower is believed: it says where it is.
  if (named_head || highest > e.claims.value_or(0)) {
    e.claims = highest;
    e.claimed_at = now;
    e.lagged = lags(i);
  }
  e.says.state = endpoint_state::ok;
}

void pool::failed(std::size_t i, rpc_failure f, const std::string& text, std::int64_t now,
                  std::optional<std::int64_t> retry_after_ms, std::optional<std::uint64_t> lowest) {
  auto& e = all_[i];
  ++e.says.errors;
  e.says.error_rate = mixed(e.says.error_rate, 1, 0.05);
  e.words = text;
  const auto told = std::min(retry_after_ms.value_or(0), longest_pause);
  if (f == rpc_failure::ahead) { // it works, and is not there yet
    e.says.state = endpoint_state::lagging;
    e.claims.reset(); // whatever it said of its head
    e.not_before = now + told;
    return;
  }
  if (f == rpc_failure::pruned && lowest) { // it works for what is higher
    e.dropped = std::max(e.dropped.value_or(0), *lowest);
    e.dropped_until = now + dropped_for;
    e.not_before = now + told;
    return;
  }
  e.checked = false; // what answers next under this name may be another machine
  e.proved_logs = 0;
  ++e.failures;
  auto wait =
      std::min(first_back_off << std::min<std::uint32_t>(e.failures - 1, 7), longest_back_off);
  switch (f) {
  case rpc_failure::rate_limited:
    e.says.state = endpoint_state::rate_limited;
    wait = std::max(wait, limited_for);
    slow_down(i, now);
    break;
  case rpc_failure::auth:
    e.says.state = endpoint_state::refused;
    wait = all_.size() > 1 ? unauthorised_for : alone_for;
    break;
  default:
    e.says.state = endpoint_state::failing;
    break;
  }
  e.not_before = now + std::max(wait, told);
}

void pool::lied(std::size_t i, std::int64_t now) {
  auto& e = all_[i];
  ++e.says.lies;
  e.says.state = endpoint_state::lying;
  e.claims.reset();
  if (now - std::exchange(e.lied_at, now) > lies_forgotten) e.lies = 0;
  const auto wait = std::min(lying_for << std::min<std::uint32_t>(e.lies, 7), longest_pause);
  ++e.lies;
  // Alone it is all there is: it is asked again soon, and never believed without proof.
  e.not_before = now + (all_.size() > 1 ? wait : first_back_off);
}

void pool::refuse(std::size_t i, const std::string& text, std::int64_t now) {
  auto& e = all_[i];
  e.words = text;
  ++e.says.errors;
  e.says.error_rate = mixed(e.says.error_rate, 1, 0.05);
  e.says.state = endpoint_state::refused;
  e.checked = false;
  e.claims.reset();
  e.not_before = now + (all_.size() > 1 ? refused_for : alone_for);
}

std::vector<endpoint_status> pool::status() const {
  std::vector<endpoint_status> out;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    out.push_back(all_[i].says);
    if (out.back().state == endpoint_state::ok && all_[i].claims && all_[i].lagged)
      out.back().state = endpoint_state::lagging;
  }
  return out;
}

} // namespace tidemark::tide
