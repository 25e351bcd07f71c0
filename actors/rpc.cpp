// SPDX-License-Identifier: MIT
#include "actors/rpc.hpp"

#include "actors/named_exceptions.hpp"


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
  for (const auto& e : c.rpc)
    endpoints.push_back({e.name, e.max_range, e.requests_per_second});
  return {std::move(endpoints), c.reconcile_max_range};
}

} // namespace

void rpc_state::begin(const tide::ask& a, chain_actor from) {
  ++timer;                   // one that still runs is of the ask before
  now_reading = job_state{}; // not emplace(): clang 14 takes a nested class with initialisers for
                             // not constructible
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
    job.reading.emplace(job.ask.what,
                        tide::reading::limits{pool->batch(*chosen), pool->span(*chosen)});
    return job.reading->calls().empty() ? give_up() : next_stage();
  }
  if (job.ask.endpoint || ++job.rounds >= rounds_over_endpoints) return give_up();
  job.tried.assign(pool->size(), false);
  const auto wait = pool->ready_at(now) - now;
  if (wait > longest_wait_for_a_turn) return give_up();
  job.reading.reset();
  wake_in(wait + static_cast<std::int64_t>(random() % 200));
}

void rpc_state::wake_in(std::int64_t ms) {
  self->delayed_send(self, std::chrono::milliseconds(ms), tick{++timer});
}

/// The calls of the stage, as soon as the endpoint's rate allows for so many.
void rpc_state::next_stage() {
  ++exchange; // what is still under way is void
  const auto wait =
      pool->take_tokens(now_reading->endpoint, now_reading->reading->calls().size(), with.now());
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
  for (std::size_t first = 0; first < calls; first += a_part)
    parts.push_back({first, std::min(a_part, calls - first), {}});
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

void rpc_state::endpoint_failed(tide::rpc_failure f, const std::string& text,
                                std::optional<std::int64_t> after) {
  auto& job = *now_reading;
  ++exchange; // what is still under way is void
  pool->failed(job.endpoint, f, text, with.now(), after);
  const auto said =
      pool->name(job.endpoint) + ": " + (text.empty() ? std::string(tide::to_text(f)) : text);
  if (job.trouble.find(said) == std::string::npos)
    job.trouble += (job.trouble.empty() ? "" : "; ") + said;
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
  for (const auto& e : s.with.chain->rpc)
    s.urls.push_back(net::parse_url(e.url).value()); // checked at load
  s.pool.emplace(make_pool(*s.with.chain));
  return {[self](const asked& a) {
            self->state.begin(*a.ask, caf::actor_cast<chain_actor>(self->current_sender()));
          },
          [self](const caught_lying& c) {
            auto& st = self->state;
            st.pool->lied(c.endpoint, st.with.now());
            st.with.warn("endpoint " + st.pool->name(c.endpoint) +
                         " said what cannot be: " + c.evidence);
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
