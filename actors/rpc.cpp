// SPDX-License-Identifier: MIT
#include "actors/rpc.hpp"

#include "actors/named_exceptions.hpp"
#include "tide/retry_after.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace tidemark::actors {
namespace {

constexpr std::size_t largest_answer = std::size_t{64} * 1024 * 1024;

tide::inquirer make_inquirer(const config::chain& c, std::uint64_t seed) {
  std::vector<tide::endpoint_settings> endpoints;
  for (const auto& e : c.rpc)
    endpoints.push_back({e.name, e.max_range, e.requests_per_second});
  return {c.id, std::move(endpoints), c.reconcile_max_range, seed};
}

tide::inquirer::arrival arrival_of(net::client_result how, std::int64_t now) {
  using arrival = tide::inquirer::arrival;
  arrival a;
  if (how) {
    a.status = static_cast<int>(how->status);
    a.body = std::move(how->body);
    a.fresh = how->fresh;
    if (const auto* h = net::find_header(how->headers, "Retry-After"))
      a.retry_after = tide::parse_retry_after(*h, now);
    return a;
  }
  a.text = how.error().text;
  switch (how.error().kind) {
  case net::failure::too_large:
    a.came = arrival::how::too_large;
    break;
  case net::failure::timeout:
    a.came = arrival::how::timed_out;
    break;
  case net::failure::cut:
  case net::failure::malformed:
    a.came = arrival::how::cut;
    break;
  default:
    a.came = arrival::how::unreachable;
    break;
  }
  return a;
}

/// Of the first call; the body is our own.
std::string method_of(std::string_view body) {
  constexpr std::string_view before = R"("method":")";
  const auto at = body.find(before);
  if (at == body.npos) return {};
  const auto from = at + before.size();
  return std::string(body.substr(from, body.find('"', from) - from));
}

/// Some put blanks around the colon.
bool names_an_error(std::string_view text) {
  constexpr std::string_view member = "\"error\"", blanks = " \t\r\n";
  for (auto at = text.find(member); at != text.npos; at = text.find(member, at)) {
    at += member.size();
    const auto colon = text.find_first_not_of(blanks, at);
    if (colon == text.npos || text[colon] != ':') continue;
    const auto value = text.find_first_not_of(blanks, colon + 1);
    if (value != text.npos && text[value] == '{') return true;
  }
  return false;
}

/// In the metrics' words (api/meters.hpp).
std::string_view result_of(const tide::inquirer::arrival& a) {
  using how = tide::inquirer::arrival::how;
  switch (a.came) {
  case how::too_large:
    return "too_large";
  case how::timed_out:
    return "timeout";
  case how::cut:
  case how::unreachable:
    return "unreachable";
  case how::answered:
    break;
  }
  if (a.status >= 300) return "http_error";
  // An error stands at the beginning of its object, and no chain data has such a member.
  return names_an_error(std::string_view(a.body).substr(0, 512)) ? "rpc_error" : "ok";
}

} // namespace

void rpc_state::count(std::uint64_t n, const tide::inquirer::arrival& a) {
  const auto at = flights.find(n);
  if (at == flights.end()) return;
  const auto took = static_cast<double>(with.now() - at->second.sent_at) / 1'000;
  with.posted(at->second.endpoint, at->second.method, result_of(a), std::max(took, 0.0));
  flights.erase(at);
}

void rpc_state::post(tide::inquirer::post p) {
  const auto& told = with.chain->rpc[p.endpoint];
  net::client_request r;
  r.target = urls[p.endpoint];
  r.headers = told.headers;
  r.headers.emplace_back("Content-Type", "application/json");
  if (with.posted) flights[p.n] = {p.endpoint, method_of(p.body), with.now()};
  r.body = std::make_shared<const std::string>(std::move(p.body));
  r.timeout = told.timeout;
  r.max_answer = largest_answer;
  r.reach = net::egress::anything;
  r.accept_gzip = true;
  const rpc_actor me = self;
  with.send(std::move(r), [me, n = p.n, now = with.now](net::client_result how) {
    caf::anon_send(me, http_answered{n, box(arrival_of(std::move(how), now()))});
  });
}

/// Endpoints' own words are for logs and the API from here on.
void rpc_state::redact(tide::answer& a) const {
  if (auto* none = std::get_if<tide::no_answer>(&a.what))
    none->text = hides.of(std::move(none->text));
  else if (auto* all = std::get_if<tide::votes_answer>(&a.what))
    all->silent = hides.of(std::move(all->silent));
}

void rpc_state::carry_out(tide::inquirer::effects effects) {
  for (auto& e : effects) {
    if (auto* p = std::get_if<tide::inquirer::post>(&e)) {
      post(std::move(*p));
    } else if (auto* a = std::get_if<tide::answer>(&e)) {
      with.publish(inquirer->status());
      redact(*a);
      self->send(asker, answered{box(std::move(*a))});
    } else {
      if (const auto* w = std::get_if<tide::inquirer::warned>(&e)) with.warn(hides.of(w->text));
      with.publish(inquirer->status());
    }
  }
  ++timer; // one that still runs is void
  if (const auto at = inquirer->next_tick())
    self->delayed_send(self, std::chrono::milliseconds(std::max<std::int64_t>(*at - with.now(), 0)),
                       tick{timer});
}

rpc_actor::behavior_type make_rpc(rpc_actor::stateful_pointer<rpc_state> self, rpc_params params) {
  name_exceptions(self);
  auto& s = self->state;
  s.with = std::move(params);
  for (const auto& e : s.with.chain->rpc) {
    s.urls.push_back(net::parse_url(e.url).value()); // checked at load
    s.hides.add(s.urls.back(), e.headers);
  }
  s.inquirer.emplace(make_inquirer(*s.with.chain, s.with.seed));
  s.carry_out(s.inquirer->begin(s.with.now()));
  return {[self](const asked& a) {
            auto& st = self->state;
            st.asker = caf::actor_cast<chain_actor>(self->current_sender());
            st.carry_out(st.inquirer->ask(*a.ask, st.with.now()));
          },
          [self](const caught_lying& c) {
            auto& st = self->state;
            if (st.with.lied) st.with.lied(c.endpoint, c.kind);
            st.carry_out(st.inquirer->lied(c.endpoint, c.evidence, st.with.now()));
          },
          [self](const http_answered& a) {
            auto& st = self->state;
            st.count(a.n, *a.how);
            st.carry_out(st.inquirer->came(a.n, *a.how, st.with.now()));
          },
          [self](const tick& t) {
            auto& st = self->state;
            if (t.generation == st.timer) st.carry_out(st.inquirer->tick(st.with.now()));
          }};
}

} // namespace tidemark::actors
