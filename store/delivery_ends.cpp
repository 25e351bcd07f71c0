// SPDX-License-Identifier: MIT
#include "store/delivery.hpp"

#include <algorithm>

// What became of a message that was sent.

namespace tidemark::store {
namespace {

using tide::message_state;
using tide::outcome;

constexpr std::size_t kept_answer = 4'096;

// The statements say these as numbers.
static_assert(static_cast<int>(message_state::held) == 0 &&
              static_cast<int>(message_state::queued) == 1 &&
              static_cast<int>(message_state::sending) == 2 &&
              static_cast<int>(message_state::delivered) == 3 &&
              static_cast<int>(message_state::blocked) == 4 &&
              static_cast<int>(message_state::parked) == 5 &&
              static_cast<int>(outcome::open) == 0 && static_cast<int>(outcome::unknown) == 6);

/// Does the attempt count against the message?
bool counts(outcome o) { return o == outcome::failed || o == outcome::unknown; }

} // namespace

/// An answer that comes after its lane went on changes nothing.
std::optional<delivery_queue::open_lane> delivery_queue::in_flight(const finished& f) {
  rows r = lane_.query(f.lane);
  if (!r.next() || r.u64(0) != f.seq || r.code<message_state>(2) != message_state::sending)
    return std::nullopt;
  open_lane l;
  l.id = f.lane;
  l.head = r.u64(0);
  l.next = r.u64(1);
  const chain_entry* c = ledger_.chains.by_row(r.i64(3));
  l.halted = c && c->halted;
  l.handler = r.i64(4);
  l.job = r.i64(5);
  l.epoch = r.u32(6);
  l.announces = r.text(7).empty();
  return l;
}

void delivery_queue::done(const open_lane& l, std::uint32_t taken, std::int64_t now) {
  const bool more = l.head + taken < l.next;
  std::int64_t due = now;
  if (more && l.job != 0) due = std::max(now, replays_.due(l.id, l.head + taken));
  advance_.run(taken, now, more ? message_state::queued : message_state::delivered,
               more && !l.halted ? std::optional(due) : std::nullopt, l.id);
  if (l.announces) announce(l, now);
  if (l.job != 0 && !more) replays_.lane_ended(l.job, now);
}

void delivery_queue::announce(const open_lane& l, std::int64_t now) {
  announce_.run(l.epoch, l.handler);
  ledger_.handlers[l.handler].announced = l.epoch;
  wake_epoch_.run(now, l.handler);
  ledger_.bells.handler(l.handler);
}

/// False: it is tried until it is taken. A message about messages is in nobody's way, and a replay
/// sends all or is cancelled.
bool delivery_queue::park(const open_lane& l, const finished& f, std::int64_t now) {
  if (l.job != 0) return false;
  const auto m = outbox_.load(l.handler, l.id, l.head);
  if (m.what.notice) return false;
  park_.run(now, l.id);
  if (f.parks == tide::on_exhausted::park_key) {
    park_key_.run(now, l.id, l.head);
    park_lane_.run(l.id);
    return true;
  }
  const auto gap = outbox_.gap_for(m.what, tide::gap_reason::exhausted, "tidemark");
  outbox_.replace(l.handler, l.id, l.head, tide::gap_notice(gap, l.id, l.head, now));
  advance_.run(0, now, message_state::queued, l.halted ? std::nullopt : std::optional(now), l.id);
  return true;
}

void delivery_queue::wait_for(std::int64_t handler, std::int64_t until) {
  auto& known = ledger_.handlers[handler].wait_until;
  if (until <= known) return;
  known = until;
  wait_for_.run(until, handler);
}

void delivery_queue::finish(const finished& f, std::int64_t now) {
  const std::string_view answer = std::string_view(f.answer).substr(0, kept_answer);
  // What a batch's answer did not take comes again, and nothing counts.
  const auto taken = f.outcome == outcome::ok ? std::min(f.taken, f.count) : f.count;
  const auto rest = f.attempt_id + taken;
  end_attempts_.run(f.outcome, f.http_status, f.ms, blob{answer}, f.attempt_id, rest - 1);
  end_attempts_.run(outcome::later, f.http_status, f.ms, blob{answer}, rest,
                    f.attempt_id + f.count - 1);
  const auto l = in_flight(f);
  if (!l) return;
  finished_.insert(l->handler);
  now_ = now;
  if (f.outcome == outcome::later && f.retry_at) wait_for(l->handler, *f.retry_at);
  // Who waits for it looks again, however it ended: a replay that waits for an attempt is waited
  // for by the next one.
  wake_behind_.run(l->halted ? std::nullopt : std::optional(now), l->id);
  if (f.done || (f.outcome == outcome::ok && f.taken > 0))
    return done(*l, std::clamp<std::uint32_t>(f.taken, 1, f.count), now);
  if (l->job != 0 && replays_.cancelled(l->job)) return done(*l, 1, now);
  if (f.parks && park(*l, f, now)) return;
  const bool blocked = f.outcome == outcome::failed && !f.split;
  // While its handler is paused or its chain halted nothing of a wait passes: it goes right after.
  const bool stands = l->halted || ledger_.handler(l->handler).paused;
  const auto wait = std::max<std::int64_t>(f.retry_at.value_or(now) - now, 0);
  const auto due = now + (stands ? 0 : wait);
  const auto aged = std::max<std::int64_t>(f.aged - (stands ? wait : 0), 0);
  // A batch that was partly taken, or not at all, is composed anew.
  const bool anew = f.split || f.outcome == outcome::ok;
  wait_.run(counts(f.outcome) && !f.split ? 0 : 1, aged,
            blocked ? message_state::blocked : message_state::queued,
            l->halted ? std::nullopt : std::optional(due), anew ? 0 : 1,
            f.split ? f.seq + f.count : 0, f.lane);
}

} // namespace tidemark::store
