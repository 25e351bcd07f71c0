// SPDX-License-Identifier: MIT
#include "actors/delivery.hpp"

#include "actors/named_exceptions.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>

namespace tidemark::actors {

namespace {

using self_pointer = delivery_actor::stateful_pointer<delivery_state>;

constexpr std::int64_t store_retry = 1'000;
/// Due times are of the wall clock, which may be set; so look again at the latest after this.
constexpr std::int64_t longest_sleep = 60'000;

void pump(self_pointer self);

void publish(delivery_state& st) {
  auto now = st.courier->status(st.with.now());
  now.name = st.with.handler->name();
  auto& last = st.published;
  if (last && last->state == now.state && last->reason == now.reason && last->since == now.since &&
      last->in_flight == now.in_flight && last->next_probe_at == now.next_probe_at)
    return;
  last = now;
  st.with.publish(std::move(now));
}

/// The end of the exchange comes back as `id`.
void send_as(self_pointer self, const store::message& m, std::int64_t id) {
  auto& st = self->state;
  auto request =
      compose_request(*st.with.handler, st.target, st.with.version, m, st.with.now() / 1'000);
  const auto back = caf::actor_cast<delivery_actor>(self);
  const auto started = std::chrono::steady_clock::now();
  st.with.send(std::move(request), [back, id, started](const net::client_result& r) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - started);
    caf::anon_send(back,
                   exchange_ended{id, box(end_of(r, static_cast<std::uint32_t>(took.count())))});
  });
}

void send(self_pointer self, const store::message& m) {
  auto& st = self->state;
  auto& kept = st.open[m.attempt_id];
  kept.handler = st.with.handler->name();
  kept.lane = m.lane;
  kept.seq = m.seq;
  kept.attempt_id = m.attempt_id;
  kept.count = static_cast<std::uint32_t>(m.count());
  const bool tells = m.job == 0 && !m.notice;
  st.sent[m.attempt_id] = {store::message_id(m), m.attempt, tells ? m.fact.time : 0};
  send_as(self, m, m.attempt_id);
}

tide::sent_message in_flight(const store::message& m) {
  tide::sent_message out;
  out.id = m.attempt_id;
  out.lane = m.lane;
  out.seq = m.seq;
  out.attempt = m.attempt;
  out.bytes = m.fact.data.size();
  for (const auto& next : m.more)
    out.bytes += next.fact.data.size();
  out.age = m.age;
  out.count = static_cast<std::uint32_t>(m.count());
  out.batch = m.batch;
  out.notice =
      m.notice && std::all_of(m.more.begin(), m.more.end(),
                              [](const store::message& next) { return next.notice.has_value(); });
  out.sequence = m.envelope.sequence;
  out.replay = m.replayed;
  return out;
}

caf::typed_response_promise<handler_pinged> ping(self_pointer self) {
  auto& st = self->state;
  auto promise = self->make_response_promise<caf::typed_response_promise<handler_pinged>>();
  store::message m;
  m.notice = tide::ping_notice(++st.pings, st.with.now());
  m.envelope.instance = st.with.instance;
  m.envelope.handler = st.with.handler->name();
  const auto number = -static_cast<std::int64_t>(st.pings);
  st.open_pings[number] = promise;
  st.ping_ids[number] = m.notice->id;
  send_as(self, m, number);
  return promise;
}

void turn_answered(self_pointer self, bool took, const store::message_batch& batch) {
  auto& st = self->state;
  st.turn_open = false;
  if (took) {
    std::vector<tide::sent_message> sent;
    sent.reserve(batch.messages.size());
    for (const auto& m : batch.messages)
      sent.push_back(in_flight(m));
    st.courier->took(sent, batch.next_due, st.with.now());
    if (batch.wait_until) st.courier->waits_until(*batch.wait_until);
    for (const auto& m : batch.messages)
      send(self, m);
  }
  pump(self);
}

/// The group was undone: nothing of the turn happened.
void turn_failed(self_pointer self, const delivery_turn& turn, const caf::error&) {
  auto& st = self->state;
  st.turn_open = false;
  st.store_retry_at = st.with.now() + store_retry;
  st.finished.insert(st.finished.begin(), turn.finished.begin(), turn.finished.end());
  if (turn.take != 0) st.courier->took_nothing(st.store_retry_at);
  st.with.warn("the store did not take the turn of handler " + turn.handler + "; again in 1 s");
  pump(self);
}

void begin_turn(self_pointer self, const tide::courier::order& order) {
  auto& st = self->state;
  delivery_turn turn;
  turn.handler = st.with.handler->name();
  turn.finished = std::move(st.finished);
  st.finished.clear();
  turn.take = order.messages;
  turn.max_bytes = order.bytes;
  turn.probe_behind = order.probe_behind;
  turn.first = !st.begun;
  if (turn.take != 0) st.courier->taking();
  st.turn_open = true;
  const auto boxed_turn = box(std::move(turn));
  self->request(st.with.store, caf::infinite, turn_order{boxed_turn})
      .then(
          [self, boxed_turn](const messages_taken& m) {
            self->state.begun = true;
            turn_answered(self, boxed_turn->take != 0, *m.batch);
          },
          [self, boxed_turn](const caf::error& e) { turn_failed(self, *boxed_turn, e); });
}

void store_pause(self_pointer self) {
  auto& st = self->state;
  st.pause_open = true;
  const auto& name = st.with.handler->name();
  self->request(st.with.store, caf::infinite,
                pause_handler{name, true, "it answered 410", "handler " + name})
      .then(
          [self](const order_done&) {
            self->state.pause_open = false;
            self->state.courier->pause_stored();
            pump(self);
          },
          [self](const caf::error&) {
            auto& failed = self->state;
            failed.pause_open = false;
            failed.store_retry_at = failed.with.now() + store_retry;
            pump(self);
          });
}

void arm(self_pointer self, std::optional<std::int64_t> at, std::int64_t now) {
  auto& st = self->state;
  if (!at) return;
  const auto wait = std::clamp<std::int64_t>(*at - now, 1, longest_sleep);
  if (st.armed_for && *st.armed_for <= now + wait) return; // that timer asks again
  st.armed_for = now + wait;
  self->delayed_send(self, std::chrono::milliseconds(wait), tick{++st.generation});
}

/// Whatever happened: does what is to be done now.
void pump(self_pointer self) {
  auto& st = self->state;
  const auto now = st.with.now();
  const bool store_works = now >= st.store_retry_at;
  // The pause goes behind the turn that tells the store why.
  if (store_works && !st.turn_open) {
    const auto order = st.courier->wants(now);
    if (order.messages != 0 || !st.finished.empty()) begin_turn(self, order);
  }
  if (store_works && st.courier->must_pause() && !st.pause_open) store_pause(self);
  publish(st);
  const bool unsaid = !st.finished.empty() || st.courier->must_pause();
  const bool idle = st.open.empty() && st.open_pings.empty() && !st.turn_open;
  if (st.draining && idle && !unsaid) return self->quit();
  if (st.turn_open) return; // its answer comes here again
  if (!store_works)
    arm(self, st.store_retry_at, now);
  else
    arm(self, st.courier->next_wake(), now);
}

void count(delivery_state& st, const store::finished& f) {
  const auto sent = st.sent.extract(f.attempt_id);
  if (sent.empty() || !st.with.attempted) return;
  const auto& what = sent.mapped();
  std::optional<double> latency;
  if (what.block_time != 0 && f.outcome == tide::outcome::ok)
    latency = std::max(0.0, static_cast<double>(st.with.now()) / 1'000 -
                                static_cast<double>(what.block_time));
  st.with.attempted({f, what.id, what.attempt, latency});
}

void exchange_over(self_pointer self, const exchange_ended& e) {
  auto& st = self->state;
  if (const auto pinged = st.open_pings.find(e.n); pinged != st.open_pings.end()) {
    pinged->second.deliver(handler_pinged{st.ping_ids[e.n], box(shown(*e.how, st.hides))});
    st.ping_ids.erase(e.n);
    st.open_pings.erase(pinged);
    return pump(self); // it may be the last that a drain waits for
  }
  const auto at = st.open.find(e.n);
  if (at == st.open.end()) return;
  auto f = std::move(at->second);
  st.open.erase(at);
  const auto what = st.courier->ended(e.n, *e.how, st.with.now());
  f.outcome = what.outcome;
  f.done = what.done;
  f.taken = what.taken;
  f.retry_at = what.retry_at;
  f.split = what.split;
  f.parks = what.parks;
  f.aged = what.aged;
  if (e.how->is == tide::exchange_end::kind::answered) f.http_status = e.how->status;
  f.ms = e.how->ms;
  f.answer = st.hides.of(e.how->text);
  count(st, f);
  st.finished.push_back(std::move(f));
  pump(self);
}

} // namespace

/// A promise that dies says nothing, and its asker would wait for its whole time.
delivery_state::~delivery_state() {
  for (auto& [number, promise] : open_pings)
    promise.deliver(
        caf::make_error(caf::sec::runtime_error, "the handler's sender ended before the answer"));
}

delivery_actor::behavior_type make_delivery(delivery_actor::stateful_pointer<delivery_state> self,
                                            delivery_params params) {
  name_exceptions(self);
  auto& st = self->state;
  st.with = std::move(params);
  const auto& h = *st.with.handler;
  auto target = net::parse_url(h.url);
  if (!target) {
    st.with.warn("the URL of handler " + h.name() + " is none");
    self->quit(caf::exit_reason::user_shutdown);
    return delivery_actor::behavior_type::make_empty_behavior();
  }
  st.target.url = std::move(*target);
  st.hides.add(st.target.url, h.headers);
  if (h.tls.given()) {
    auto tls = net::tls_context::client(h.tls.ca.string(), h.tls.cert.string(), h.tls.key.string());
    if (!tls) {
      // Without its own roots it must not go to whoever the system trusts.
      st.with.warn("the tls of handler " + h.name() +
                   " cannot be used, so nothing is sent: " + tls.error().text);
      self->quit(caf::exit_reason::user_shutdown);
      return delivery_actor::behavior_type::make_empty_behavior();
    }
    st.target.tls = std::move(*tls);
  }
  st.courier = std::make_unique<tide::courier>(settings_of(h), st.with.seed, st.with.now());
  self->send(self, look{}); // what waited for a start
  return {
      [self](look) {
        self->state.courier->bell(self->state.with.now());
        pump(self);
      },
      [self](resumed) {
        self->state.courier->resumed(self->state.with.now());
        pump(self);
      },
      [self](const tick& t) {
        if (t.generation != self->state.generation) return;
        self->state.armed_for.reset();
        pump(self);
      },
      [self](const exchange_ended& e) { exchange_over(self, e); },
      [self](ping_handler) { return ping(self); },
      [self](drain) {
        self->state.draining = true;
        self->state.courier->drain();
        pump(self);
      },
  };
}

} // namespace tidemark::actors
