// SPDX-License-Identifier: MIT
#include "tide/courier.hpp"

#include "tide/meaning.hpp"
#include "tide/retry_after.hpp"

#include <algorithm>

namespace tidemark::tide {

namespace {

constexpr std::int64_t first_probe_wait = 1'000, longest_probe_wait = 300'000;
constexpr std::uint32_t failures_to_open = 5;
/// A store that gives nothing and says that something is due is not asked again at once.
constexpr std::int64_t least_wait = 100;

} // namespace

courier::courier(courier_settings s, std::uint64_t seed, std::int64_t now)
    : settings_(s), random_(seed), window_(std::max<std::size_t>(s.concurrency, 1)), due_(now),
      tokens_at_(now) {}

void courier::bell(std::int64_t now) { due_at(now); }

void courier::due_at(std::int64_t at) { due_ = due_ ? std::min(*due_, at) : at; }

bool courier::has_room() const {
  if (draining_ || pause_ == pausing::wanted) return false;
  if (in_flight_.size() >= settings_.concurrency || bytes_ >= settings_.max_bytes) return false;
  return broken_ ? !probe_ : in_flight_.size() < window_;
}

courier::order courier::wants(std::int64_t now) const {
  const auto at = next_wake();
  if (!at || *at > now) return {};
  // A paused handler's store gives nothing: a single message shows that somebody resumed it.
  const bool one = broken_ || pause_ == pausing::stored;
  std::size_t most = one ? 1 : window_ - in_flight_.size();
  if (settings_.rate > 0) most = std::min(most, static_cast<std::size_t>(tokens(now)));
  order out{most, settings_.max_bytes - bytes_};
  if (broken_) out.probe_behind = probed_;
  return out;
}

/// A tenth of a second's worth may come at once, so that a high rate needs no timer a message.
double courier::tokens(std::int64_t now) const {
  const double more = static_cast<double>(std::max<std::int64_t>(now - tokens_at_, 0)) / 1'000;
  return std::min(tokens_ + more * settings_.rate, std::max(settings_.rate / 10, 1.0));
}

std::optional<std::int64_t> courier::next_wake() const {
  if (!due_ || !has_room()) return std::nullopt;
  std::int64_t token_at = 0;
  if (settings_.rate > 0 && tokens_ < 1)
    token_at = tokens_at_ + static_cast<std::int64_t>((1 - tokens_) / settings_.rate * 1'000) + 1;
  return std::max({*due_, wait_until_, broken_ ? probe_at_ : 0, token_at});
}

void courier::taking() {
  due_.reset();
  ordered_broken_ = broken_;
}

void courier::took(std::span<const sent_message> messages, std::optional<std::int64_t> next_due,
                   std::int64_t now) {
  if (messages.empty() && next_due) next_due = std::max(*next_due, now + least_wait);
  if (pause_ == pausing::stored) {
    if (messages.empty()) return;
    pause_ = pausing::no;
    since_ = now;
  }
  if (next_due) due_at(*next_due);
  tokens_ = tokens(now);
  tokens_at_ = now;
  for (const auto& m : messages) {
    if (settings_.rate > 0) tokens_ -= m.count;
    in_flight_.emplace(m.id, m);
    bytes_ += m.bytes;
    // What was ordered before the breaker opened shows nothing of how it is now.
    if (!broken_ || !ordered_broken_) continue;
    probe_ = m.id;
    probed_ = m.lane;
  }
}

void courier::waits_until(std::int64_t at) { wait_until_ = std::max(wait_until_, at); }

void courier::took_nothing(std::int64_t retry_at) { due_at(retry_at); }

judgement courier::ended(std::int64_t id, const exchange_end& how, std::int64_t now) {
  const auto at = in_flight_.find(id);
  judgement out;
  if (at == in_flight_.end()) {
    out.outcome = outcome::unknown;
    return out;
  }
  const sent_message m = at->second;
  in_flight_.erase(at);
  bytes_ -= m.bytes;
  const bool probe = probe_ == id;
  if (probe) probe_.reset();

  switch (meaning_of(how, m.notice, now)) {
  case meaning::ok: {
    // Who refuses messages about messages has taken them all.
    const bool refused = how.status >= 300;
    const auto taken = m.batch && !refused ? acked(how, m.sequence, m.count) : m.count;
    // None of it is a failure like any other, or it would come again for ever without a word.
    out = taken > 0 ? succeeded(m, probe, now) : failed(m, how, probe, now);
    out.taken = taken;
    break;
  }
  case meaning::later:
    out = told_to_wait(how, probe, now);
    break;
  case meaning::failed:
    out = failed(m, how, probe, now);
    break;
  case meaning::gone:
    out = gone(now);
    break;
  case meaning::handler_bad:
    out = handler_bad(m, how, probe, now);
    break;
  }
  due_at(out.retry_at.value_or(now));
  return out;
}

judgement courier::succeeded(const sent_message& m, bool probe, std::int64_t now) {
  row_ = 0;
  later_wait_ = 0;
  refused_.erase(m.lane);
  if (probe && broken_) {
    broken_ = false;
    window_ = 1;
    if (pause_ == pausing::no) since_ = now;
  } else if (!broken_ && window_ < settings_.concurrency) {
    ++window_; // one more for each that is answered: doubles with each round
  }
  judgement out;
  out.outcome = outcome::ok;
  out.done = true;
  return out;
}

judgement courier::told_to_wait(const exchange_end& how, bool probe, std::int64_t now) {
  auto wait = parse_retry_after(how.retry_after, now).value_or(0);
  if (wait == 0) {
    // Several answers of one moment are one request to wait.
    if (now >= wait_until_)
      later_wait_ = later_wait_ == 0 ? settings_.retry_initial
                                     : std::min(later_wait_ * 2, settings_.retry_max);
    wait = later_wait_;
  }
  wait_until_ = std::max(wait_until_, now + wait);
  if (probe) probe_at_ = std::max(probe_at_, wait_until_);
  judgement out;
  out.outcome = outcome::later;
  out.retry_at = wait_until_;
  return out;
}

judgement courier::failed(const sent_message& m, const exchange_end& how, bool probe,
                          std::int64_t now) {
  if (broken_) {
    if (probe) probe_failed(reason_of(how), now);
    judgement out;
    out.outcome = outcome::handler_bad;
    out.retry_at = std::max(probe_at_, now);
    return out;
  }
  row_of_several_ = row_ != 0 && (row_of_several_ || m.lane != row_lane_);
  row_lane_ = m.lane;
  ++row_;
  auto out = counted(m, how, now);
  if (row_ >= failures_to_open && row_of_several_) {
    open_breaker(std::to_string(row_) + " failures in a row, at last: " + reason_of(how), now);
    out.parks.reset(); // it is the handler that fails
    if (!out.retry_at) out.retry_at = now + settings_.retry_max;
  }
  return out;
}

/// A failure that counts against the message: when it is tried again, or that it is not.
judgement courier::counted(const sent_message& m, const exchange_end& how, std::int64_t now) {
  judgement out;
  out.outcome = outcome::failed;
  if (m.batch && m.count > 1) {
    out.split = true;
    out.retry_at = now + back_off(m.attempt);
    return out;
  }
  const auto age = m.age + how.ms;
  const bool spent = (settings_.attempts != 0 && m.attempt >= settings_.attempts) ||
                     (settings_.max_age != 0 && age >= settings_.max_age);
  if (spent && !m.notice && !m.replay && settings_.on_exhausted != on_exhausted::block) {
    out.parks = settings_.on_exhausted;
    return out;
  }
  auto wait = spent && !m.notice ? settings_.retry_max : back_off(m.attempt);
  // The last try is at the budget's end, not up to `max` behind it.
  if (settings_.max_age != 0 && !spent) wait = std::min(wait, settings_.max_age - age);
  out.aged = how.ms + wait;
  out.retry_at = now + wait;
  return out;
}

judgement courier::handler_bad(const sent_message& m, const exchange_end& how, bool probe,
                               std::int64_t now) {
  if (how.is == exchange_end::kind::answered) {
    // The others went through: it is this message that is broken.
    const auto known = refused_.find(m.lane);
    if (!broken_ && known != refused_.end() && known->second == m.seq)
      return failed(m, how, probe, now);
    refused_[m.lane] = m.seq;
  }
  if (!broken_)
    open_breaker(reason_of(how), now);
  else if (probe)
    probe_failed(reason_of(how), now);
  judgement out;
  out.outcome = outcome::handler_bad;
  out.retry_at = std::max(probe_at_, now);
  return out;
}

judgement courier::gone(std::int64_t now) {
  if (pause_ == pausing::no) {
    pause_ = pausing::wanted;
    since_ = now;
  }
  if (broken_) window_ = 1;
  broken_ = false;
  judgement out;
  out.outcome = outcome::gone;
  return out;
}

void courier::pause_stored() {
  pause_ = pausing::stored;
  due_.reset();
}

void courier::resumed(std::int64_t now) {
  wait_until_ = later_wait_ = 0;
  if (broken_) probe_at_ = now;
  due_at(now);
}

void courier::open_breaker(std::string reason, std::int64_t now) {
  broken_ = true;
  row_ = 0;
  probe_wait_ = first_probe_wait;
  probe_at_ = now + probe_wait_;
  due_at(now); // what a message is to wait for its own sake is nothing that a probe waits for
  why_broken_ = std::move(reason);
  if (pause_ == pausing::no) since_ = now;
}

void courier::probe_failed(std::string reason, std::int64_t now) {
  probe_wait_ = std::min(probe_wait_ * 2, longest_probe_wait);
  probe_at_ = now + probe_wait_;
  why_broken_ = std::move(reason);
}

std::int64_t courier::back_off(std::uint32_t attempt) {
  auto most = settings_.retry_initial;
  for (std::uint32_t i = 1; i < attempt && most < settings_.retry_max; ++i)
    most *= 2;
  most = std::min(most, settings_.retry_max);
  return static_cast<std::int64_t>(random_() % (static_cast<std::uint64_t>(most) + 1));
}

handler_status courier::status(std::int64_t now) const {
  handler_status out;
  out.since = since_;
  out.in_flight = static_cast<std::uint32_t>(in_flight_.size());
  if (pause_ != pausing::no) {
    out.state = handler_state::paused;
    out.reason = "it answered 410";
  } else if (broken_) {
    out.state = handler_state::broken;
    out.reason = why_broken_;
    out.next_probe_at = std::max(probe_at_, wait_until_);
  } else if (now < wait_until_) {
    out.reason = "it asked to wait (429, or 503 with Retry-After)";
    out.next_probe_at = wait_until_;
  }
  return out;
}

} // namespace tidemark::tide
