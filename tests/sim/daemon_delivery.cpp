// SPDX-License-Identifier: MIT
#include "daemon.hpp"

#include <algorithm>
#include <utility>

// The handlers' couriers: what the delivery actors do.

namespace tidemark::sim {

void daemon::begin_deliveries() {
  deliveries_.clear();
  deliveries_.resize(services_.size());
  tide::courier_settings s;
  s.retry_max = 60'000;
  for (std::size_t i = 0; i < services_.size(); ++i) {
    deliveries_[i].courier =
        std::make_unique<tide::courier>(s, plan_.seed + life_ * 100 + i, clock_.now());
    later(0, [this, i] { pump(i); });
  }
}

void daemon::pump(std::size_t i) {
  auto& d = deliveries_[i];
  const auto now = clock_.now();
  if (!d.turn_open) {
    const auto order = d.courier->wants(now);
    if (order.messages != 0 || !d.finished.empty()) turn(i, order);
  }
  if (d.courier->must_pause() && !d.pause_open) store_pause(i);
  if (d.turn_open) return; // its end comes here again
  const auto next = d.courier->next_wake();
  if (!next) return;
  const auto at = std::max(*next, now + 1);
  if (d.armed_for && *d.armed_for <= at) return;
  d.armed_for = at;
  later(at - now, [this, i, at] {
    if (deliveries_[i].armed_for != at) return;
    deliveries_[i].armed_for.reset();
    pump(i);
  });
}

/// One write: how some ended, and which are next.
void daemon::turn(std::size_t i, const tide::courier::order& order) {
  auto& d = deliveries_[i];
  d.turn_open = true;
  if (order.messages != 0) d.courier->taking();
  auto ended = std::make_shared<std::vector<store::finished>>(std::exchange(d.finished, {}));
  later(pace_.between(0, 10), [this, i, order, ended] {
    store::message_batch batch;
    const bool written = guarded([&] {
      (void)store_->finish(*ended, clock_.now()).value();
      if (order.messages != 0)
        batch = store_
                    ->take(services_[i].name(), clock_.now(), order.messages, order.bytes,
                           order.probe_behind)
                    .value();
    });
    if (!written) return;
    auto& now_open = deliveries_[i];
    now_open.turn_open = false;
    if (!batch.messages.empty() && status().state == tide::chain_state::halted && fault.empty())
      fault = services_[i].name() + " is sent something while the chain is halted";
    if (order.messages != 0) {
      std::vector<tide::sent_message> sent;
      for (const auto& m : batch.messages)
        sent.push_back({m.attempt_id, m.lane, m.seq, m.attempt, m.fact.data.size()});
      now_open.courier->took(sent, batch.next_due, clock_.now());
      if (batch.wait_until) now_open.courier->waits_until(*batch.wait_until);
      for (const auto& m : batch.messages)
        send(i, m);
    }
    pump(i);
  });
}

void daemon::send(std::size_t i, const store::message& m) {
  auto& kept = deliveries_[i].open[m.attempt_id];
  kept.handler = services_[i].name();
  kept.lane = m.lane;
  kept.seq = m.seq;
  kept.attempt_id = m.attempt_id;
  const auto message = std::make_shared<const store::message>(m);
  const auto there = pace_.between(1, 30), back = pace_.between(1, 30);
  // What is on its way arrives, or does not, whatever becomes of us meanwhile.
  clock_.after(there, 0, [this, i, message, back, of = life_] {
    auto& s = services_[i];
    if (of != life_ && pace_.chance(50)) return;
    const auto r = s.receive(clock_.now());
    if (r.takes && r.takes_after == 0) s.ledger.take(*message);
    if (r.takes && r.takes_after > 0)
      clock_.after(r.takes_after, 0, [this, i, message] { services_[i].ledger.take(*message); });
    clock_.after(r.after + back, of,
                 [this, i, id = message->attempt_id, end = r.end] { exchange_over(i, id, end); });
  });
}

void daemon::exchange_over(std::size_t i, std::int64_t attempt, const tide::exchange_end& how) {
  auto& d = deliveries_[i];
  const auto at = d.open.find(attempt);
  if (at == d.open.end()) return;
  auto f = std::move(at->second);
  d.open.erase(at);
  const auto what = d.courier->ended(attempt, how, clock_.now());
  f.outcome = what.outcome;
  f.done = what.done;
  f.retry_at = what.retry_at;
  if (how.is == tide::exchange_end::kind::answered) f.http_status = how.status;
  f.ms = how.ms;
  f.answer = how.text;
  d.finished.push_back(std::move(f));
  pump(i);
}

void daemon::store_pause(std::size_t i) {
  deliveries_[i].pause_open = true;
  later(pace_.between(0, 10), [this, i] {
    const auto& name = services_[i].name();
    if (!guarded([&] { (void)store_->set_paused(name, true, "it answered 410", clock_.now()); }))
      return;
    deliveries_[i].pause_open = false;
    deliveries_[i].courier->pause_stored();
    pump(i);
  });
}

} // namespace tidemark::sim
