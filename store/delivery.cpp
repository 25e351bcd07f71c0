// SPDX-License-Identifier: MIT
#include "store/delivery.hpp"

#include "store/facts.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

using tide::message_state;
using tide::outcome;

constexpr std::size_t kept_answer = 4'096;
constexpr std::size_t envelope_bytes = 1'024; // about what stands around `data`

// The statements below say these as numbers.
static_assert(static_cast<int>(message_state::held) == 0 &&
              static_cast<int>(message_state::queued) == 1 &&
              static_cast<int>(message_state::sending) == 2 &&
              static_cast<int>(message_state::delivered) == 3 &&
              static_cast<int>(message_state::blocked) == 4 &&
              static_cast<int>(outcome::open) == 0 && static_cast<int>(outcome::unknown) == 6);

/// Does the attempt count against the message?
bool counts(outcome o) { return o == outcome::failed || o == outcome::unknown; }

} // namespace

delivery_queue::delivery_queue(ledger& l)
    : ledger_(l), forget_open_(l.db, "UPDATE attempts SET outcome = 6 WHERE outcome = 0"),
      reset_lanes_(l.db,
                   "UPDATE lanes SET behind = NULL, state = CASE WHEN state = 4 THEN 4 ELSE 1 END,"
                   " due = CASE WHEN chain IN (SELECT chain FROM chains WHERE halted IS NOT NULL)"
                   " THEN NULL ELSE 0 END WHERE head < next"),
      put_handler_(l.db,
                   "INSERT INTO handlers (handler, pending, confirmed, order_by, paused, reason,"
                   " since, epoch) VALUES (?1, ?2, ?3, ?4, 0, '', ?5, 1) ON CONFLICT (handler)"
                   " DO UPDATE SET pending = ?2, confirmed = ?3, order_by = ?4"),
      set_paused_(l.db, "UPDATE handlers SET paused = ?, reason = ?, since = ? WHERE handler = ?"),
      due_(l.db,
           "SELECT id, head, tries FROM lanes WHERE handler = ? AND due <= ? ORDER BY due LIMIT ?"),
      next_due_(l.db,
                "SELECT due FROM lanes WHERE handler = ? AND due IS NOT NULL ORDER BY due LIMIT 1"),
      message_(l.db,
               "SELECT " TIDEMARK_FACT_COLUMNS
               ", o.subscription, o.instance, o.late, l.key, l.epoch, l.since, f.event, i.data"
               " FROM outbox o CROSS JOIN lanes l ON l.id = o.lane"
               " CROSS JOIN " TIDEMARK_FACT_TABLES
               " WHERE o.lane = ? AND o.seq = ? AND f.seq = o.feed"),
      earlier_(l.db, "SELECT o.lane FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
                     " CROSS JOIN lanes l ON l.id = o.lane WHERE f.event = ? AND f.version < ?"
                     " AND l.handler = ? AND l.id <> ? AND o.seq >= l.head LIMIT 1"),
      undoes_(l.db, "SELECT f.status, f.n, i.block_hash FROM feed f"
                    " CROSS JOIN outbox o ON o.feed = f.seq CROSS JOIN lanes l ON l.id = o.lane"
                    " CROSS JOIN inclusions i ON i.id = f.inclusion WHERE f.event = ?"
                    " AND f.version < ? AND l.handler = ? ORDER BY f.version DESC LIMIT 1"),
      stand_behind_(l.db, "UPDATE lanes SET due = NULL, behind = ?, state = 0 WHERE id = ?"),
      begin_(l.db, "UPDATE lanes SET due = NULL, state = 2, tries = tries + 1 WHERE id = ?"),
      insert_attempt_(l.db, "INSERT INTO attempts (id, feed, lane, seq, n, at, outcome)"
                            " VALUES (?, ?, ?, ?, ?, ?, 0)"),
      end_attempt_(l.db, "UPDATE attempts SET outcome = ?, http = ?, ms = ?, answer = ?"
                         " WHERE id = ? AND outcome = 0"),
      lane_(l.db, "SELECT head, next, state, chain, handler FROM lanes WHERE id = ?"),
      advance_(l.db, "UPDATE lanes SET head = head + 1, tries = 0, since = ?, state = ?, due = ? "
                     "WHERE id = ?"),
      wait_(l.db, "UPDATE lanes SET tries = tries - ?, state = ?, due = ? WHERE id = ?"),
      wake_behind_(l.db, "UPDATE lanes SET behind = NULL, state = 1, due = ? WHERE behind = ?") {}

void delivery_queue::start() {
  forget_open_.run();
  reset_lanes_.run();
}

void delivery_queue::put_handlers(std::span<const handler_in> handlers, std::int64_t now) {
  for (const handler_in& h : handlers) {
    const std::int64_t id = ledger_.names.id(tide::name_kind::handler, h.name);
    put_handler_.run(id, h.pending, h.confirmed, std::string_view(h.order_by), now);
    ledger_.handlers.try_emplace(id);
    ledger_.bells.handler(id);
  }
}

void delivery_queue::set_paused(std::string_view handler, bool paused, std::string_view reason,
                                std::int64_t now) {
  const std::int64_t id = ledger_.names.id(tide::name_kind::handler, handler);
  set_paused_.run(paused, reason, now, id);
  if (const auto at = ledger_.handlers.find(id); at != ledger_.handlers.end())
    at->second.paused = paused;
  ledger_.bells.handler(id);
}

std::vector<delivery_queue::due_lane> delivery_queue::due(std::int64_t handler, std::int64_t now,
                                                          std::size_t limit) {
  std::vector<due_lane> found;
  for (rows r = due_.query(handler, now, limit); r.next();)
    found.push_back({r.i64(0), r.u64(1), r.u32(2)});
  return found;
}

delivery_queue::loaded delivery_queue::load(std::int64_t handler, const due_lane& l) {
  loaded found;
  message& m = found.what;
  m.lane = l.id;
  m.seq = l.head;
  m.attempt = l.tries + 1;
  std::int64_t event = 0;
  {
    rows r = message_.query(l.id, l.head);
    if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a lane's message is not there");
    m.fact = read_fact(r);
    m.envelope.subscription = ledger_.names.text(r.i64(fact_columns));
    m.envelope.instance = ledger_.names.text(r.i64(fact_columns + 1));
    m.envelope.late = r.i64(fact_columns + 2) != 0;
    m.envelope.key = r.text(fact_columns + 3);
    m.envelope.epoch = r.u32(fact_columns + 4);
    m.since = r.i64(fact_columns + 5);
    event = r.i64(fact_columns + 6);
    m.fact.data = r.text(fact_columns + 7);
  }
  m.envelope.handler = ledger_.names.text(handler);
  m.envelope.sequence = l.head;
  if (m.fact.status == tide::status::rolled_back) {
    rows r = undoes_.query(event, m.fact.version, handler);
    if (r.next()) m.fact.undoes = id_beside(m.fact, r);
  }
  if (m.fact.version > 1)
    if (rows r = earlier_.query(event, m.fact.version, handler, l.id); r.next())
      found.behind = r.i64(0);
  return found;
}

void delivery_queue::begin_attempt(message& m, std::int64_t now) {
  m.attempt_id = ++ledger_.last.attempt;
  begin_.run(m.lane);
  insert_attempt_.run(m.attempt_id, m.fact.seq, m.lane, m.seq, m.attempt, now);
  ledger_.must_sync = true;
}

message_batch delivery_queue::take(std::string_view handler, std::int64_t now, std::size_t limit,
                                   std::size_t max_bytes) {
  message_batch batch;
  const auto id = ledger_.names.find(tide::name_kind::handler, handler);
  if (!id || ledger_.handler(*id).paused) return batch;
  std::size_t bytes = 0;
  bool full = false;
  while (!full && batch.messages.size() < limit) {
    const auto lanes = due(*id, now, limit - batch.messages.size());
    if (lanes.empty()) break;
    for (const due_lane& l : lanes) {
      auto [m, behind] = load(*id, l);
      if (behind) {
        stand_behind_.run(*behind, l.id);
        continue;
      }
      bytes += m.fact.data.size() + envelope_bytes;
      full = !batch.messages.empty() && bytes > max_bytes;
      if (full) break;
      begin_attempt(m, now);
      batch.messages.push_back(std::move(m));
    }
  }
  if (rows r = next_due_.query(*id); r.next()) batch.next_due = r.i64(0);
  return batch;
}

void delivery_queue::done(std::int64_t lane, std::uint64_t head, std::uint64_t next, bool halted,
                          std::int64_t now) {
  const bool more = head + 1 < next;
  const auto at_once = halted ? std::nullopt : std::optional(now);
  advance_.run(now, more ? message_state::queued : message_state::delivered,
               more ? at_once : std::nullopt, lane);
  wake_behind_.run(at_once, lane);
}

void delivery_queue::finish(const finished& f, std::int64_t now) {
  const std::string_view answer = std::string_view(f.answer).substr(0, kept_answer);
  end_attempt_.run(f.outcome, f.http_status, f.ms, blob{answer}, f.attempt_id);
  std::uint64_t head = 0, next = 0;
  bool halted = false;
  {
    rows r = lane_.query(f.lane);
    if (!r.next()) return;
    head = r.u64(0);
    next = r.u64(1);
    // An answer that comes after its lane went on changes nothing.
    if (head != f.seq || r.code<message_state>(2) != message_state::sending) return;
    const chain_entry* c = ledger_.chains.by_row(r.i64(3));
    halted = c && c->halted;
    finished_.insert(r.i64(4));
    now_ = now;
  }
  if (f.done || f.outcome == outcome::ok) return done(f.lane, head, next, halted, now);
  const std::int64_t due = f.retry_at.value_or(now);
  wait_.run(counts(f.outcome) ? 0 : 1,
            f.outcome == outcome::failed ? message_state::blocked : message_state::queued,
            halted ? std::nullopt : std::optional(due), f.lane);
}

void delivery_queue::ring() {
  for (const std::int64_t handler : finished_)
    if (rows r = next_due_.query(handler); r.next() && r.i64(0) <= now_)
      ledger_.bells.handler(handler);
  finished_.clear();
}

} // namespace tidemark::store
