// SPDX-License-Identifier: MIT
#include "actors/heads.hpp"

#include "actors/named_exceptions.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace tidemark::actors {
namespace {

using watch = tide::head_watch;

watch::ended::how how_of(const net::socket_ended& e) {
  using how = watch::ended::how;
  if (e.status != 0) return how::declined;
  switch (e.why.kind) {
  case net::failure::timeout:
    return how::timed_out;
  case net::failure::too_large:
    return how::too_large;
  case net::failure::cut:
  case net::failure::malformed:
    return how::cut;
  default:
    return how::unreachable;
  }
}

} // namespace

net::socket_request socket_request_of(const config::endpoint& e) {
  net::socket_request r;
  if (auto url = net::parse_url(e.url)) r.target = std::move(*url); // checked at load
  r.headers = e.headers;
  r.timeout = e.timeout;
  r.reach = net::egress::anything;
  return r;
}

tide::head_watch::arrival arrival_of(net::socket_event e) {
  if (auto* s = std::get_if<net::socket_said>(&e)) return watch::said{std::move(s->text)};
  if (auto* x = std::get_if<net::socket_ended>(&e))
    return watch::ended{how_of(*x), static_cast<int>(x->status), std::move(x->why.text)};
  if (std::holds_alternative<net::socket_ponged>(e)) return watch::ponged{};
  return watch::opened{};
}

void heads_state::act(const watch::open& o) {
  connection = o.n;
  const heads_actor me = self;
  socket = with.open(socket_request_of(with.endpoint), [me, n = o.n](net::socket_event e) {
    caf::anon_send(me, socket_spoke{n, box(arrival_of(std::move(e)))});
  });
}

void heads_state::act(const watch::say& s) const {
  if (socket) socket->say(s.text);
}

void heads_state::act(const watch::ping&) const {
  if (socket) socket->ping();
}

void heads_state::act(const watch::counted& c) const {
  if (with.counted) with.counted(c.method, c.result, c.seconds);
}

/// What it keeps for its callback is this actor's own handle.
void heads_state::close() {
  if (const auto open = std::exchange(socket, nullptr)) open->close();
}

void heads_state::carry_out(const watch::effects& effects) {
  for (const auto& e : effects)
    std::visit([this](const auto& what) { act(what); }, e);
  with.publish(watch->status());
  ++timer; // one that still runs is void
  if (const auto at = watch->next_tick())
    self->delayed_send(self, std::chrono::milliseconds(std::max<std::int64_t>(*at - with.now(), 0)),
                       tick{timer});
}

heads_actor::behavior_type make_heads(heads_actor::stateful_pointer<heads_state> self,
                                      heads_params params) {
  name_exceptions(self);
  auto& s = self->state;
  s.with = std::move(params);
  s.hides.add(socket_request_of(s.with.endpoint).target, s.with.endpoint.headers);
  s.watch.emplace(
      watch::settings{s.with.endpoint.name, s.with.chain_id, s.with.endpoint.timeout.count()},
      s.with.seed, s.with.now());
  self->send(self, tick{s.timer});
  return {[self](const socket_spoke& e) {
            auto& st = self->state;
            st.carry_out(st.watch->came(e.n, *e.how, st.with.now()));
            // One message after the other: what comes faster waits at the peer.
            const bool more = std::holds_alternative<watch::said>(*e.how) ||
                              std::holds_alternative<watch::opened>(*e.how);
            if (more && st.socket && st.connection == e.n) st.socket->read();
          },
          [self](const others_at& o) {
            auto& st = self->state;
            st.carry_out(st.watch->chain_at(o.head, st.with.now()));
          },
          [self](const tick& t) {
            auto& st = self->state;
            if (t.generation == st.timer) st.carry_out(st.watch->tick(st.with.now()));
          }};
}

} // namespace tidemark::actors
