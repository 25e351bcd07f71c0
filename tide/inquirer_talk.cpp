// SPDX-License-Identifier: MIT
#include "tide/inquirer_talk.hpp"

#include "evm/hex.hpp"

#include <algorithm>

namespace tidemark::tide {
namespace {

constexpr std::size_t posts_at_once = 8;

} // namespace

talk::talk(const ask_what& what, std::size_t endpoint, std::uint64_t chain_id, bool patient,
           const pool& p, std::int64_t now)
    : what_(what), endpoint_(endpoint), chain_id_(chain_id), patient_(patient) {
  begin(p, now);
}

/// From the first stage, with what the endpoint allows for now.
void talk::begin(const pool& p, std::int64_t now) {
  reading_.emplace(what_, reading::limits{p.span(endpoint_, now), p.list(endpoint_),
                                          p.silent_cap(endpoint_), p.proved_logs(endpoint_, now)});
  ++beginnings_;
  flights_.clear(); // what is still under way is void
  held_.clear();
  checking_ = false;
  plan_stage();
}

void talk::plan_stage() {
  untaken_ = reading_->calls().size();
  waiting_.clear();
  paid_.clear();
  for (std::size_t i = 0; i < untaken_; ++i)
    waiting_.push_back(i);
  alone_.assign(untaken_, false);
}

void talk::fail(rpc_failure f, std::string text, std::optional<std::int64_t> retry_after) {
  state_ = state::failed;
  failure_ = f;
  text_ = std::move(text);
  retry_after_ = retry_after;
}

/// As many of the waiting calls as go into one post.
talk::calls talk::next_part(const pool& p) {
  calls part;
  const auto batch = std::min(p.batch(endpoint_), reading_->most_together());
  const auto most = batch > reading_->unit() ? batch - batch % reading_->unit() : batch;
  while (!waiting_.empty() && part.size() < most) {
    const auto i = waiting_.front();
    const bool by_itself = alone_[i] || reading_->apart(i);
    if (by_itself && !part.empty()) break;
    part.push_back(i);
    waiting_.pop_front();
    if (by_itself) break;
  }
  return part;
}

talk::sent talk::post(calls part, std::uint64_t& last_n, std::int64_t now) {
  std::vector<rpc_call> some;
  for (const auto i : part)
    some.push_back(reading_->calls()[i]);
  if (part.empty()) some.push_back(call_chain_id());
  flights_.push_back({++last_n, std::move(part), now});
  return {last_n, rpc_body(some)};
}

std::vector<talk::sent> talk::go(pool& p, std::uint64_t& last_n, std::int64_t now) {
  std::vector<sent> out;
  if (state_ != state::going || checking_ || now < not_before_) return out;
  if (!p.known_chain(endpoint_)) {
    checking_ = true;
    if (const auto wait = p.take_tokens(endpoint_, 1, now); wait > 0) not_before_ = now + wait;
    out.push_back(post({}, last_n, now));
    return out;
  }
  while (flights_.size() < posts_at_once && (!paid_.empty() || !waiting_.empty())) {
    if (paid_.empty()) {
      paid_ = next_part(p);
      if (const auto wait = p.take_tokens(endpoint_, paid_.size(), now); wait > 0) {
        not_before_ = now + wait;
        break;
      }
    }
    out.push_back(post(std::exchange(paid_, {}), last_n, now));
  }
  return out;
}

std::optional<std::int64_t> talk::waits_until() const {
  if (state_ != state::going || checking_) return std::nullopt;
  // What is held waits for its endpoint's chain, which is yet to be asked for.
  const bool to_check = !held_.empty();
  const bool to_send = (!paid_.empty() || !waiting_.empty()) && flights_.size() < posts_at_once;
  return to_check || to_send ? std::optional(not_before_) : std::nullopt;
}

bool talk::came(std::uint64_t n, const http_arrival& a, pool& p, std::int64_t now) {
  const auto it =
      std::find_if(flights_.begin(), flights_.end(), [n](const flight& f) { return f.n == n; });
  if (it == flights_.end()) return false;
  auto f = std::move(*it);
  flights_.erase(it);
  if (a.came == http_arrival::how::answered) {
    latencies_ += static_cast<double>(now - f.sent_at);
    ++answers_;
  }
  if (f.calls.empty()) {
    checked_chain(a, p);
    const auto beginning = beginnings_;
    for (auto& [one, how] : std::exchange(held_, {})) {
      if (state_ != state::going || beginnings_ != beginning) break; // the rest is void
      heard(one, how, p, now);
    }
  } else if (a.came != http_arrival::how::answered) {
    nothing_came(f, a, p, now);
  } else if (a.fresh) {
    // A reconnect: who answers under this name now is asked for its chain before it is believed,
    // each time: in the middle of a reading it may be another machine.
    p.set_known_chain(endpoint_, false);
    held_.emplace_back(std::move(f), a);
  } else {
    heard(f, a, p, now);
  }
  return true;
}

/// The wrong chain behind a URL (a typo, a fail-over) would make everything that follows a lie.
void talk::checked_chain(const http_arrival& a, pool& p) {
  checking_ = false;
  if (a.came != http_arrival::how::answered) return fail(rpc_failure::transient, a.text);
  const rpc_reply reply(a.body, a.status, 1);
  if (reply.whole() || !reply.results().front().value) {
    const auto& e = reply.whole() ? *reply.whole() : reply.results().front().error;
    return fail(classify(e), e.message, a.retry_after);
  }
  const auto& value = *reply.results().front().value;
  const auto id = value.is_string() ? evm::parse_quantity(value.get_string()) : std::nullopt;
  if (id == chain_id_) {
    p.set_known_chain(endpoint_, true);
    return;
  }
  state_ = state::wrong_chain;
  text_ = id ? "it serves chain " + std::to_string(*id) + ", the config says " +
                   std::to_string(chain_id_)
             : "it does not answer eth_chainId with a number";
}

} // namespace tidemark::tide
