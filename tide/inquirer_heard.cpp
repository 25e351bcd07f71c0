// SPDX-License-Identifier: MIT
#include "tide/inquirer_talk.hpp"

#include <algorithm>

// What an endpoint answered, and what that means for what it is asked next.

namespace tidemark::tide {
namespace {

constexpr std::int64_t longest_pause = 5'000, pause = 1'000, short_pause = 250;
constexpr int gateway_timeout = 504;

} // namespace

/// Sent once more: `alone` in posts of their own, else in smaller ones if the pool has shrunk them.
void talk::again(const calls& some, bool alone) {
  for (auto it = some.rbegin(); it != some.rend(); ++it) {
    waiting_.push_front(*it);
    if (alone) alone_[*it] = true;
  }
}

/// A long reading does not begin anew because one of its posts was lost, if others were answered
/// since the last that was.
bool talk::once_more(const calls& some, std::int64_t now) {
  if (!patient_ || !std::exchange(progress_, false)) return false;
  not_before_ = std::max(not_before_, now + short_pause);
  again(some, false);
  return true;
}

void talk::nothing_came(const flight& f, const http_arrival& a, pool& p, std::int64_t now) {
  using how = http_arrival::how;
  const bool company = f.calls.size() > 1;
  // A batch that was too slow, or cut, may have been too large.
  if (company && a.came != how::unreachable) p.shrink_batch(endpoint_, f.calls.size());
  if (company && a.came == how::too_large) return again(f.calls, false);
  if (company || a.came == how::unreachable) {
    if (!once_more(f.calls, now)) fail(rpc_failure::transient, a.text);
    return;
  }
  const auto means = a.came == how::too_large ? rpc_failure::too_big : rpc_failure::transient;
  if (take(f.calls.front(), {nullptr, {200, 0, a.text}, means}, p, now)) after_part(p, now);
}

/// One answer to all the calls of a post, and none to any of them.
void talk::one_error_for_all(const flight& f, const http_arrival& a, const rpc_reply& r, pool& p,
                             std::int64_t now) {
  using is = rpc_failure;
  const auto& e = *r.whole();
  const auto what = classify(e);
  const bool theirs = e.http_status >= 500; // no word about batches
  if (what == is::rate_limited) return limited(f, f.calls, e, a, p, now);
  if (what == is::too_big || what == is::unsupported) {
    p.shrink_batch(endpoint_, f.calls.size());
    return again(f.calls, false);
  }
  if (r.refuses_batches() && !theirs && (what == is::transient || what == is::ours)) {
    p.no_batches(endpoint_);
    return again(f.calls, false);
  }
  if (what == is::transient) {
    if (!theirs || e.http_status == gateway_timeout) p.shrink_batch(endpoint_, f.calls.size());
    if (!a.retry_after && once_more(f.calls, now)) return;
  }
  fail(what, e.message, a.retry_after);
}

/// It wants less of us. What it has answered is kept if it can soon be asked for the rest.
void talk::limited(const flight& f, const calls& refused, const rpc_error& e, const http_arrival& a,
                   pool& p, std::int64_t now) {
  if (limited_at_ && f.sent_at <= *limited_at_) return again(refused, false); // it said so already
  const auto wait = a.retry_after.value_or(pause);
  if (!std::exchange(progress_, false) || wait > longest_pause)
    return fail(rpc_failure::rate_limited, e.message, a.retry_after);
  limited_at_ = now;
  p.slow_down(endpoint_, now);
  if (f.calls.size() > 1) p.shrink_batch(endpoint_, f.calls.size());
  not_before_ = std::max(not_before_, now + wait);
  again(refused, false);
}

void talk::heard(const flight& f, const http_arrival& a, pool& p, std::int64_t now) {
  const bool company = f.calls.size() > 1;
  const rpc_reply reply(a.body, a.status, f.calls.size());
  if (reply.whole() && company) return one_error_for_all(f, a, reply, p, now);
  calls refused, unheard, failed;
  rpc_error why_refused, why_failed;
  std::size_t too_big = 0;
  for (std::size_t k = 0; k < f.calls.size(); ++k) {
    const auto i = f.calls[k];
    const auto r = reply.whole() ? call_result{nullptr, *reply.whole()} : reply.results()[k];
    const auto means = classify(r.error); // of a value: of no error
    const bool refusal = !r.value;
    // Where items are missing a null is no word either.
    if (company && reply.missing() > 0 && (reply.lacks(k) || (r.value && r.value->is_null()))) {
      unheard.push_back(i);
    } else if (refusal && means == rpc_failure::rate_limited) {
      refused.push_back(i);
      why_refused = r.error;
    } else if (refusal && company && !reading_->may_fail(i) &&
               (means == rpc_failure::too_big || means == rpc_failure::transient)) {
      failed.push_back(i);
      too_big += means == rpc_failure::too_big ? 1 : 0;
      why_failed = r.error;
    } else {
      if (!take(i, r, p, now)) {
        if (state_ == state::failed) retry_after_ = a.retry_after;
        return;
      }
      progress_ = true;
    }
  }
  const auto good = f.calls.size() - refused.size() - unheard.size() - failed.size();
  if (!failed.empty() && good == 0 && too_big == 0 && unheard.empty())
    return fail(rpc_failure::transient, why_failed.message, a.retry_after);
  if (!unheard.empty() || too_big > 1)
    p.shrink_batch(endpoint_, f.calls.size()); // they were too much for one answer
  else if (failed.empty() && refused.empty() && f.calls.size() >= p.batch(endpoint_))
    p.batch_worked(endpoint_);
  again(unheard, false);
  again(failed, too_big <= 1);
  if (!refused.empty()) limited(f, refused, why_refused, a, p, now);
  after_part(p, now);
}

/// False: this talk has failed, or begun again.
bool talk::take(std::size_t call, call_result r, pool& p, std::int64_t now) {
  using is = rpc_failure;
  const auto blocks = reading_->blocks_of(call);
  if (!r.value) {
    auto means = r.means.value_or(classify(r.error));
    const auto list = reading_->list_of(call);
    if (means == is::long_list && list > 1) p.shrink_list(endpoint_, list);
    if (means == is::long_list && list <= 1) means = is::too_big;
    // An unknown failure of a long range may be its length in words that nobody knows.
    if (means == is::transient && blocks > 1 && p.failed_without_words(endpoint_))
      means = is::too_big;
    // What came to nothing has our own words: they say nothing of blocks.
    const rpc_error said = r.means ? rpc_error{} : r.error;
    if (means == is::too_big)
      p.shrink_span(endpoint_, blocks, span_hint(said, blocks), excess_of(said), now);
    r.means = means;
  }
  if (reading_->take(call, r)) return --untaken_, true;
  const auto span = reading_->span();
  if (reading_->failure() == is::too_big && span > 1) {
    // Strictly less, from the same place.
    if (p.span(endpoint_, now) >= span) p.shrink_span(endpoint_, span, {}, excess::volume, now);
    begin(p, now);
    return false;
  }
  fail(reading_->failure(), reading_->text());
  return false;
}

void talk::after_part(pool& p, std::int64_t now) {
  if (state_ != state::going || untaken_ > 0) return;
  switch (reading_->next()) {
  case reading::step::more:
    return plan_stage();
  case reading::step::failed:
    return fail(reading_->failure(), reading_->text());
  case reading::step::done:
    break;
  }
  state_ = state::done;
  if (reading_->span() > 0) p.range_worked(endpoint_, reading_->span(), reading_->logs(), now);
  if (reading_->found_cap() > 0)
    p.found_cap(endpoint_, reading_->found_cap());
  else
    p.gave_logs(endpoint_, reading_->most_logs(), now);
}

} // namespace tidemark::tide
