// SPDX-License-Identifier: MIT
#include "tide/head_watch.hpp"

#include "evm/hex.hpp"
#include "tide/rpc_json.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {
namespace {

using millis = head_watch::millis;

constexpr millis second = 1'000, minute = 60 * second;
constexpr millis first_rest = 1 * second, longest_rest = 1 * minute;
constexpr millis refused_for = 1 * minute, unwanted_for = 5 * minute, limited_for = 30 * second;
constexpr millis steady = 1 * minute;        ///< so long followed, an end is a first failure again
constexpr std::uint32_t most_a_second = 200; ///< messages
constexpr std::uint64_t lags_by = 3;
constexpr std::uint64_t chain_call = 1, subscribe_call = 2;

std::string request(std::uint64_t id, const rpc_call& call) {
  std::string out;
  append_request(out, id, call);
  return out;
}

std::string_view result_of(head_watch::ended::how h) {
  switch (h) {
  case head_watch::ended::how::timed_out:
    return "timeout";
  case head_watch::ended::how::too_large:
    return "too_large";
  case head_watch::ended::how::declined:
    return "http_error";
  default:
    return "unreachable";
  }
}

} // namespace

head_watch::head_watch(settings s, std::uint64_t seed, millis now)
    : settings_(std::move(s)), random_(static_cast<std::minstd_rand::result_type>(seed)),
      rest_until_(now) {
  says_.name = settings_.name;
  says_.state = endpoint_state::failing; // until it tells of heads
}

head_watch::effects head_watch::came(std::uint64_t n, const arrival& a, millis now) {
  if (n != n_ || step_ == step::resting) return {};
  std::visit([&](const auto& what) { act(what, now); }, a);
  ring_if_due(now);
  return std::exchange(out_, {});
}

head_watch::effects head_watch::tick(millis now) {
  if (step_ == step::resting && now >= rest_until_) begin(now);
  const bool called = step_ == step::asking_chain || step_ == step::subscribing;
  if (called && now >= since_ + settings_.timeout) {
    count("timeout", now);
    fail(endpoint_state::failing, "no answer within its timeout", now);
  }
  if (step_ == step::following) follow_tick(now);
  ring_if_due(now);
  return std::exchange(out_, {});
}

std::optional<millis> head_watch::next_tick() const {
  std::optional<millis> at = ring_at_;
  const auto sooner = [&at](millis t) { at = std::min(at.value_or(t), t); };
  if (again_at_) sooner(*again_at_);
  if (step_ == step::resting) sooner(rest_until_);
  if (step_ == step::asking_chain || step_ == step::subscribing) sooner(since_ + settings_.timeout);
  if (step_ != step::following) return at;
  sooner(pinged_at_ ? *pinged_at_ + settings_.timeout : ping_at_);
  sooner(look_at_);
  if (ahead_since_) sooner(std::max(*ahead_since_, head_at_) + gaps(3, 10 * second));
  return at;
}

endpoint_status head_watch::status() const {
  auto s = says_;
  if (s.state == endpoint_state::ok && any_head_ && chain_head_ > last_ + lags_by)
    s.state = endpoint_state::lagging;
  return s;
}

// -- a connection

void head_watch::begin(millis now) {
  step_ = step::opening;
  since_ = now;
  heard_ = 0;
  out_.emplace_back(open{++n_});
}

void head_watch::act(const opened&, millis now) {
  if (step_ == step::opening) ask(step::asking_chain, now);
}

void head_watch::ask(step s, millis now) {
  step_ = s;
  since_ = now;
  const bool chain = s == step::asking_chain;
  out_.emplace_back(say{request(chain ? chain_call : subscribe_call,
                                chain ? call_chain_id() : call_subscribe_heads())});
}

void head_watch::act(const said& s, millis now) {
  alive_at_ = now;
  if (floods(now)) {
    fail(endpoint_state::failing,
         "more than " + std::to_string(most_a_second) + " messages in a second", now);
    return;
  }
  const auto m = read_head_message(s.text);
  using kind = head_message::kind;
  const auto call = step_ == step::asking_chain ? chain_call : subscribe_call;
  const bool waits = step_ == step::asking_chain || step_ == step::subscribing;
  if (m.is == kind::garbage) {
    count("rpc_error", now);
    fail(endpoint_state::failing, "it sent " + m.text, now);
  } else if (m.is == kind::refusal && waits && (m.id == call || m.id == 0)) {
    refused_call(m.error, now);
  } else if (m.is == kind::answer && waits && m.id == call) {
    step_ == step::asking_chain ? chain_said(m, now) : subscribed(m, now);
  } else if (m.is == kind::head && follows() && m.subscription == subscription_) {
    head_came(m, now);
  }
}

bool head_watch::floods(millis now) {
  if (now - second_at_ >= second) {
    second_at_ = now;
    heard_ = 0;
  }
  return ++heard_ > most_a_second;
}

void head_watch::chain_said(const head_message& m, millis now) {
  const auto id = evm::parse_quantity(m.text);
  count(id ? "ok" : "rpc_error", now);
  if (!id) {
    fail(endpoint_state::failing, "it does not answer eth_chainId with a number", now);
  } else if (*id != settings_.chain_id) {
    fail(endpoint_state::refused,
         "it is on chain " + std::to_string(*id) + ", the config says " +
             std::to_string(settings_.chain_id),
         now, refused_for);
  } else {
    measured(now - since_);
    ask(step::subscribing, now);
  }
}

void head_watch::refused_call(const rpc_error& e, millis now) {
  count("rpc_error", now);
  const auto text = "it answers " +
                    std::string(step_ == step::asking_chain ? "eth_chainId" : "eth_subscribe") +
                    " with: " + e.message.substr(0, 160);
  switch (classify(e)) {
  case rpc_failure::rate_limited:
    return fail(endpoint_state::rate_limited, text, now, limited_for);
  case rpc_failure::auth:
  case rpc_failure::unsupported:
    return fail(endpoint_state::refused, text, now, unwanted_for);
  default:
    return fail(endpoint_state::failing, text, now);
  }
}

void head_watch::subscribed(const head_message& m, millis now) {
  count("ok", now);
  step_ = step::following;
  since_ = head_at_ = alive_at_ = now;
  subscription_ = m.text;
  last_ = chain_head_;
  last_hash_.clear();
  any_head_ = false;
  ahead_since_.reset();
  pinged_at_.reset();
  ping_at_ = now + between_pings;
  looks_ = 0;
  look_at_ = now + gaps(4, 15 * second);
  says_.state = endpoint_state::ok;
  if (!trouble_.empty())
    out_.emplace_back(told{false, "endpoint " + settings_.name + " tells of new heads again"});
  trouble_.clear();
  ring_soon(now); // what came while nobody listened
}

void head_watch::act(const ponged&, millis now) {
  alive_at_ = now;
  if (pinged_at_) measured(now - *pinged_at_);
  pinged_at_.reset();
}

void head_watch::act(const ended& e, millis now) {
  if (step_ == step::opening) step_ = step::asking_chain; // that call did not come through
  count(result_of(e.came), now);
  n_ += 1; // there is nothing to close
  if (e.status == 401 || e.status == 403)
    return fail(endpoint_state::refused, e.text, now, unwanted_for);
  if (e.status == 429) return fail(endpoint_state::rate_limited, e.text, now, limited_for);
  fail(endpoint_state::failing, e.text, now);
}

void head_watch::fail(endpoint_state state, std::string text, millis now, millis at_least) {
  if (step_ == step::following && now - since_ >= steady) failures_ = 0;
  const auto wait = std::max(
      std::min(first_rest << std::min<std::uint32_t>(failures_++, 6), longest_rest), at_least);
  // Many that broke at once must not come back at once.
  const auto rest =
      wait / 2 + static_cast<millis>(random_() % static_cast<std::uint64_t>(wait / 2 + 1));
  ++says_.errors;
  says_.state = state;
  if (text != trouble_)
    out_.emplace_back(told{true, "endpoint " + settings_.name + ": " + text +
                                     "; it is tried again, and until then polling alone finds "
                                     "new blocks"});
  trouble_ = std::move(text);
  step_ = step::resting;
  rest_until_ = now + rest;
  again_at_.reset();
  out_.emplace_back(close{});
}

void head_watch::count(std::string_view result, millis now) {
  if (step_ == step::following) {
    out_.emplace_back(counted{"eth_subscription", result, {}});
    return;
  }
  out_.emplace_back(counted{step_ == step::subscribing ? "eth_subscribe" : "eth_chainId", result,
                            static_cast<double>(now - since_) / second});
}

void head_watch::measured(millis took) {
  const auto ms = static_cast<double>(took);
  says_.latency_ms = says_.latency_ms == 0 ? ms : says_.latency_ms * 0.8 + ms * 0.2;
}

} // namespace tidemark::tide
