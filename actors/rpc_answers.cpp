// SPDX-License-Identifier: MIT
#include "actors/named_exceptions.hpp"
#include "actors/rpc.hpp"

#include "evm/hex.hpp"
#include "tide/retry_after.hpp"
#include "tide/rpc_wire.hpp"

#include <algorithm>
#include <utility>

// What an endpoint answered, and what that means for the ask in progress.

namespace tidemark::actors {
namespace {

std::optional<std::int64_t> retry_after(const net::client_response& r, std::int64_t now) {
  const auto* h = net::find_header(r.headers, "Retry-After");
  return h ? tide::parse_retry_after(*h, now) : std::nullopt;
}

tide::rpc_failure failure_of(const net::client_error& e) {
  return e.kind == net::failure::too_large ? tide::rpc_failure::too_big
                                           : tide::rpc_failure::transient;
}

} // namespace

void rpc_state::came(const net::client_result& how) {
  auto& job = *now_reading;
  if (job.checking) return checked_chain(how);
  if (!how) {
    if (failure_of(how.error()) == tide::rpc_failure::too_big && ask_for_less({})) return;
    // A batch that was too slow, or cut, may have been too large.
    const auto kind = how.error().kind;
    if (parts.front().count > 1 && (kind == net::failure::timeout || kind == net::failure::cut))
      pool->shrink_batch(job.endpoint);
    return endpoint_failed(failure_of(how.error()), how.error().text, {});
  }
  if (how->fresh && !job.checked) {
    // A reconnect: who answers under this name now is asked for its chain first.
    pool->set_known_chain(job.endpoint, false);
    return send_stage();
  }
  ++parts_come;
  if (parts_sent < parts.size()) {
    const auto p = parts_sent++;
    send_calls(p, parts[p].count);
  }
  if (parts_come == parts.size()) stage_complete();
}

/// The wrong chain behind a URL (a typo, a fail-over) would make everything that follows a lie.
void rpc_state::checked_chain(const net::client_result& how) {
  auto& job = *now_reading;
  if (!how) return endpoint_failed(failure_of(how.error()), how.error().text, {});
  const tide::rpc_reply reply(how->body, static_cast<int>(how->status), 1);
  if (reply.whole() || !reply.results().front().value) {
    const auto& e = reply.whole() ? *reply.whole() : reply.results().front().error;
    return endpoint_failed(tide::classify(e), e.message, retry_after(*how, with.now()));
  }
  const auto& value = *reply.results().front().value;
  const auto id = value.is_string() ? evm::parse_quantity(value.get_string()) : std::nullopt;
  if (id == with.chain->id) {
    pool->set_known_chain(job.endpoint, true);
    job.checked = true;
    return send_stage();
  }
  const auto said = id ? "it serves chain " + std::to_string(*id) + ", the config says " +
                             std::to_string(with.chain->id)
                       : "it does not answer eth_chainId with a number";
  pool->refuse(job.endpoint, said, with.now());
  const auto warning = "endpoint " + pool->name(job.endpoint) + " is refused: " + said;
  if (std::exchange(last_warning, warning) != warning) with.warn(warning);
  with.publish(pool->status());
  job.trouble += (job.trouble.empty() ? "" : "; ") + pool->name(job.endpoint) + ": " + said;
  ++exchange;
  choose();
}

void rpc_state::stage_complete() {
  auto& job = *now_reading;
  std::vector<tide::rpc_reply> replies;
  std::vector<tide::call_result> results;
  for (const auto& p : parts) {
    replies.emplace_back(p.how->value().body, static_cast<int>(p.how->value().status), p.count);
    const auto& r = replies.back();
    if (r.whole()) return nothing_said(r, p);
    if (r.missing() > 0 && p.count > 1) {
      pool->shrink_batch(job.endpoint);
      return next_stage();
    }
    if (p.count >= pool->batch(job.endpoint)) pool->batch_worked(job.endpoint);
    results.insert(results.end(), r.results().begin(), r.results().end());
  }
  const auto& last = parts.back().how->value();
  switch (job.reading->take(results)) {
  case tide::reading::step::more:
    return next_stage();
  case tide::reading::step::done:
    pool->succeeded(job.endpoint, static_cast<double>(with.now() - sent_at),
                    job.reading->highest());
    if (job.reading->span() > 0)
      pool->range_worked(job.endpoint, job.reading->span(), job.reading->logs());
    return answer_with(job.reading->answer());
  case tide::reading::step::failed:
    break;
  }
  if (job.reading->failure() == tide::rpc_failure::too_big && ask_for_less(job.reading->error()))
    return;
  endpoint_failed(job.reading->failure(), job.reading->text(), retry_after(last, with.now()));
}

/// One answer to all the calls of a part, and none to any of them.
void rpc_state::nothing_said(const tide::rpc_reply& r, const part_state& p) {
  using f = tide::rpc_failure;
  auto& job = *now_reading;
  const auto what = tide::classify(*r.whole());
  const bool theirs = r.whole()->http_status >= 500; // no word about batches
  if (p.count > 1 && (what == f::too_big || what == f::unsupported)) {
    pool->shrink_batch(job.endpoint);
    return next_stage(); // the same calls, fewer at once
  }
  if (p.count > 1 && r.refuses_batches() && !theirs && (what == f::transient || what == f::ours)) {
    pool->no_batches(job.endpoint);
    return next_stage();
  }
  if (what == f::too_big && ask_for_less(*r.whole())) return;
  if (p.count > 1 && what == f::transient) pool->shrink_batch(job.endpoint);
  endpoint_failed(what, r.whole()->message, retry_after(p.how->value(), with.now()));
}

/// Strictly less, from the same place: a hint bounds the size and never moves the beginning. False:
/// there is no less.
bool rpc_state::ask_for_less(const tide::rpc_error& e) {
  auto& job = *now_reading;
  const auto span = job.reading->span();
  const bool batch =
      job.reading->calls().size() > 1 && !std::holds_alternative<tide::ask_head>(job.ask.what);
  if (batch && pool->batch(job.endpoint) > 1) {
    pool->shrink_batch(job.endpoint);
  } else if (!pool->shrink_span(job.endpoint, span, tide::span_hint(e, span))) {
    return false;
  }
  job.reading.emplace(job.ask.what,
                      tide::reading::limits{pool->batch(job.endpoint), pool->span(job.endpoint)});
  next_stage();
  return true;
}

} // namespace tidemark::actors
