// SPDX-License-Identifier: MIT
#include "tide/head_watch.hpp"

#include <algorithm>
#include <utility>

// Heads, rings and silence.

namespace tidemark::tide {
namespace {

using millis = head_watch::millis;

constexpr millis second = 1'000, minute = 60 * second;
constexpr millis between_rings = 200;
constexpr std::uint32_t most_agains = 4;
constexpr millis first_again = 250;
constexpr millis settles_in = 10 * second; // till then the others show what it was too late to tell
constexpr millis longest_look = 5 * minute;

} // namespace

/// So many times the gap between two heads, within reason.
millis head_watch::gaps(millis times, millis unknown) const {
  return gap_ == 0 ? unknown : std::clamp(gap_ * times, 5 * second, minute);
}

void head_watch::head_came(const head_message& m, millis now) {
  count("ok", now);
  if (any_head_ && m.number == last_ && m.hash == last_hash_) return;
  if (any_head_) {
    const auto gap = std::max<millis>(now - head_at_, 1);
    gap_ = gap_ == 0 ? gap : (gap_ * 7 + gap) / 8;
  }
  any_head_ = true;
  last_ = m.number;
  last_hash_ = m.hash;
  says_.head = m.number;
  head_at_ = now;
  looks_ = 0;
  look_at_ = now + gaps(4, 15 * second);
  if (last_ >= chain_head_) ahead_since_.reset();
  agains_ = 0;
  again_at_.reset();
  ring_soon(now);
}

/// The others had not got that block yet when they were asked: once more, a few times.
head_watch::effects head_watch::chain_at(std::uint64_t head, millis now) {
  chain_head_ = head;
  if (any_head_ && head >= last_) again_at_.reset();
  if (step_ != step::following) return {};
  if (!any_head_ && now - since_ < settles_in) last_ = std::max(last_, head);
  if (head <= last_)
    ahead_since_.reset();
  else if (!ahead_since_)
    ahead_since_ = now;
  return tick(now);
}

/// The chain went on, others show it, and nothing was heard of it here. A chain that stands still
/// is not silence.
bool head_watch::is_silent(millis now) const {
  return ahead_since_ && now >= std::max(*ahead_since_, head_at_) + gaps(3, 10 * second);
}

void head_watch::follow_tick(millis now) {
  if (is_silent(now)) {
    count("timeout", now);
    return fail(endpoint_state::failing,
                "it fell silent while the chain went on to block " + std::to_string(chain_head_),
                now);
  }
  if (pinged_at_ && now >= *pinged_at_ + settings_.timeout) {
    if (alive_at_ <= *pinged_at_) {
      count("timeout", now);
      return fail(endpoint_state::failing, "it does not answer a ping", now);
    }
    pinged_at_.reset(); // it speaks all the same
  }
  if (!pinged_at_ && now >= ping_at_) {
    pinged_at_ = now;
    ping_at_ = now + between_pings;
    out_.emplace_back(ping{});
  }
  if (now >= look_at_) {
    look_at_ =
        now + std::min(gaps(4, 15 * second) << std::min<std::uint32_t>(++looks_, 6), longest_look);
    ring_soon(now);
  }
  if (again_at_ && now >= *again_at_) {
    again_at_.reset();
    ring_soon(now);
  }
}

void head_watch::ring_soon(millis now) {
  if (!ring_at_) ring_at_ = std::max(now, rang_at_ + between_rings);
}

void head_watch::ring_if_due(millis now) {
  if (!ring_at_ || now < *ring_at_) return;
  ring_at_.reset();
  rang_at_ = now;
  out_.emplace_back(ring{});
  if (follows() && any_head_ && last_ > chain_head_ && agains_ < most_agains)
    again_at_ = now + (first_again << agains_++);
}

} // namespace tidemark::tide
