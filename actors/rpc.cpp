// SPDX-License-Identifier: MIT
#include "actors/rpc.hpp"

#include "actors/named_exceptions.hpp"

#include "evm/hex.hpp"
#include "tide/retry_after.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace tidemark::actors {
namespace {

constexpr int rounds_over_endpoints = 2;
constexpr std::size_t calls_at_once = 8; // where an endpoint takes no batches
constexpr std::size_t largest_answer = 64 * 1024 * 1024;
constexpr std::int64_t longest_wait_for_a_turn = 5'000;

tide::pool make_pool(const config::chain& c) {
  std::vector<tide::endpoint_settings> endpoints;
  for (const auto& e : c.rpc) endpoints.push_back({e.name, e.max_range, e.requests_per_second});
  return {std::move(endpoints), c.reconcile_max_range};
}

std::optional<std::int64_t> retry_after(const net::client_response& r, std::int64_t now) {
  const auto* h = net::find_header(r.headers, "Retry-After");
  return h ? tide::parse_retry_after(*h, now) : std::nullopt;
}

tide::rpc_failure failure_of(const net::client_error& e) {
  return e.kind == net::failure::too_large ? tide::rpc_failure::too_big : tide::rpc_failure::transient;
}

} // namespace

void rpc_state::begin(const tide::ask& a, chain_actor from) {
  ++timer; // one that still runs is of the ask before
  now_reading = job_state{}; // not emplace(): clang 14 takes a nested class with initialisers for not constructible
  now_reading->ask = a;
  now_reading->from = std::move(from);
  now_reading->tried.assign(pool->size(), false);
  choose();
}

/// The next endpoint for this ask, or a pause, or the end of it.
void rpc_state::choose() {
  auto& job = *now_reading;
  const auto now = with.now();
  std::optional<std::size_t> chosen;
  if (job.ask.endpoint) {
    // Two answers that belong together come from one endpoint, or the pass begins again.
    if (!job.tried[*job.ask.endpoint]) chosen = *job.ask.endpoint;
  } else {
    chosen = pool->choose(now, job.tried);
  }
  if (chosen) {
    job.endpoint = *chosen;
    job.tried[*chosen] = true;
    job.reading.emplace(job.ask.what, tide::reading::limits{pool->batch(*chosen), pool->span(*chosen)});
    return job.reading->calls().empty() ? give_up() : next_stage();
  }
  if (job.ask.endpoint || ++job.rounds >= rounds_over_endpoints) return give_up();
  job.tried.assign(pool->size(), false);
  const auto wait = pool->ready_at(now) - now;
  if (wait > longest_wait_for_a_turn) return give_up();
  job.reading.reset();
  wake_in(wait + static_cast<std::int64_t>(random() % 200));
}

void rpc_state::wake_in(std::int64_t ms) { self->delayed_send(self, std::chrono::milliseconds(ms), tick{++timer}); }

/// The calls of the stage, as soon as the endpoint's rate allows for so many.
void rpc_state::next_stage() {
  ++exchange; // what is still under way is void
  const auto wait = pool->take_tokens(now_reading->endpoint, now_reading->reading->calls().size(), with.now());
  wait > 0 ? wake_in(wait) : send_stage();
}

void rpc_state::send_stage() {
  auto& job = *now_reading;
  ++exchange;
  sent_at = with.now();
  parts.clear();
  parts_sent = parts_come = 0;
  job.checking = !pool->known_chain(job.endpoint);
  if (job.checking) return post(tide::rpc_body({tide::call_chain_id()}), 0);
  const auto calls = job.reading->calls().size();
  const auto a_part = std::max<std::size_t>(pool->batch(job.endpoint), 1);
  for (std::size_t first = 0; first < calls; first += a_part) parts.push_back({first, std::min(a_part, calls - first), {}});
  while (parts_sent < std::min(parts.size(), calls_at_once)) {
    const auto p = parts_sent++;
    send_calls(p, parts[p].count);
  }
}

void rpc_state::send_calls(std::size_t p, std::size_t count) {
  const auto& calls = now_reading->reading->calls();
  const auto first = calls.begin() + static_cast<std::ptrdiff_t>(parts[p].first);
  post(tide::rpc_body({first, first + static_cast<std::ptrdiff_t>(count)}), p);
}

void rpc_state::post(std::string body, std::size_t part) {
  const auto& told = with.chain->rpc[now_reading->endpoint];
  net::client_request r;
  r.target = urls[now_reading->endpoint];
  r.headers = told.headers;
  r.headers.emplace_back("Content-Type", "application/json");
  r.body = std::make_shared<const std::string>(std::move(body));
  r.timeout = told.timeout;
  r.max_answer = largest_answer;
  r.reach = net::egress::anything;
  r.accept_gzip = true;
  const rpc_actor me = self;
  with.send(std::move(r), [me, n = exchange, part](net::client_result how) {
    caf::anon_send(me, http_answered{n, part, box(std::move(how))});
  });
}

void rpc_state::came(const net::client_result& how) {
  auto& job = *now_reading;
  if (job.checking) return checked_chain(how);
  if (!how) {
    if (failure_of(how.error()) == tide::rpc_failure::too_big && ask_for_less({})) return;
    // A batch that was too slow, or cut, may have been too large.
    const auto kind = how.error().kind;
    if (parts.front().count > 1 && (kind == net::failure::timeout || kind == net::failure::cut)) pool->shrink_batch(job.endpoint);
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
  const auto said = id ? "it serves chain " + std::to_string(*id) + ", the config says " + std::to_string(with.chain->id)
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
  case tide::reading::step::more: return next_stage();
  case tide::reading::step::done:
    pool->succeeded(job.endpoint, static_cast<double>(with.now() - sent_at), job.reading->highest());
    if (job.reading->span() > 0) pool->range_worked(job.endpoint, job.reading->span(), job.reading->logs());
    return answer_with(job.reading->answer());
  case tide::reading::step::failed: break;
  }
  if (job.reading->failure() == tide::rpc_failure::too_big && ask_for_less(job.reading->error())) return;
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

/// Strictly less, from the same place: a hint bounds the size and never moves the beginning. False: there is no less.
bool rpc_state::ask_for_less(const tide::rpc_error& e) {
  auto& job = *now_reading;
  const auto span = job.reading->span();
  const bool batch = job.reading->calls().size() > 1 && !std::holds_alternative<tide::ask_head>(job.ask.what);
  if (batch && pool->batch(job.endpoint) > 1) {
    pool->shrink_batch(job.endpoint);
  } else if (!pool->shrink_span(job.endpoint, span, tide::span_hint(e, span))) {
    return false;
  }
  job.reading.emplace(job.ask.what, tide::reading::limits{pool->batch(job.endpoint), pool->span(job.endpoint)});
  next_stage();
  return true;
}

void rpc_state::endpoint_failed(tide::rpc_failure f, const std::string& text, std::optional<std::int64_t> after) {
  auto& job = *now_reading;
  ++exchange; // what is still under way is void
  pool->failed(job.endpoint, f, text, with.now(), after);
  const auto said = pool->name(job.endpoint) + ": " + (text.empty() ? std::string(tide::to_text(f)) : text);
  if (job.trouble.find(said) == std::string::npos) job.trouble += (job.trouble.empty() ? "" : "; ") + said;
  // An unknown failure of a long range may be its length in words that nobody knows.
  if (f == tide::rpc_failure::transient && job.reading && job.reading->span() > 1 && job.rounds > 0)
    pool->shrink_span(job.endpoint, job.reading->span(), {});
  choose();
}

void rpc_state::give_up() {
  auto text = now_reading->trouble.empty() ? pool->troubles() : now_reading->trouble;
  if (text.empty()) text = "no endpoint may be asked now";
  answer_with(tide::no_answer{std::move(text)});
}

void rpc_state::answer_with(tide::answer_what what) {
  auto job = std::move(*std::exchange(now_reading, std::nullopt));
  ++exchange;
  tide::answer a;
  a.n = job.ask.n;
  a.what = std::move(what);
  a.endpoint = job.endpoint;
  a.endpoint_name = pool->name(job.endpoint);
  a.endpoint_head = pool->status()[job.endpoint].head.value_or(0);
  with.publish(pool->status());
  self->send(job.from, answered{box(std::move(a))});
}

rpc_actor::behavior_type make_rpc(rpc_actor::stateful_pointer<rpc_state> self, rpc_params params) {
  name_exceptions(self);
  auto& s = self->state;
  s.with = std::move(params);
  s.random.seed(static_cast<std::minstd_rand::result_type>(s.with.seed));
  for (const auto& e : s.with.chain->rpc) s.urls.push_back(net::parse_url(e.url).value()); // checked at load
  s.pool.emplace(make_pool(*s.with.chain));
  return {[self](const asked& a) {
            self->state.begin(*a.ask, caf::actor_cast<chain_actor>(self->current_sender()));
          },
          [self](const caught_lying& c) {
            auto& st = self->state;
            st.pool->lied(c.endpoint, st.with.now());
            st.with.warn("endpoint " + st.pool->name(c.endpoint) + " said what cannot be: " + c.evidence);
            st.with.publish(st.pool->status());
          },
          [self](const http_answered& a) {
            auto& st = self->state;
            if (a.n != st.exchange || !st.now_reading) return;
            if (!st.now_reading->checking) st.parts[a.part].how = a.how;
            st.came(*a.how);
          },
          [self](const tick& t) {
            auto& st = self->state;
            if (t.generation != st.timer || !st.now_reading) return;
            st.now_reading->reading ? st.send_stage() : st.choose();
          }};
}

} // namespace tidemark::actors
