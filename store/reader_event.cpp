// SPDX-License-Identifier: MIT
#include "store/keys.hpp"
#include "store/packing.hpp"
#include "store/reading.hpp"

// One event's life, and the facts of the feed.

namespace tidemark::store {
namespace {

/// `sent`: how many messages go with the head at once.
tide::message_state state_of(std::uint64_t seq, std::uint64_t head, std::uint64_t sent,
                             tide::message_state lane, bool parked, bool replaced) {
  using state = tide::message_state;
  if (parked) return state::parked;
  if (replaced) return state::skipped;
  if (seq < head) return state::delivered;
  if (seq < head + sent && (lane == state::sending || lane == state::blocked)) return lane;
  return state::queued;
}

std::optional<std::int64_t> find_event(connection& db, const tide::event_key& key) {
  statement chain(db, "SELECT chain FROM chains WHERE chain_id = ?");
  rows c = chain.query(key.chain_id);
  if (!c.next()) return std::nullopt;
  statement by_key(db, "SELECT e.id FROM event_keys k CROSS JOIN events e ON e.id = k.event"
                       " WHERE k.key = ? AND k.log_index = ? AND e.tx = ? AND e.chain = ?");
  if (rows r = by_key.query(tx_key(key.tx), key.log_index, key.tx, c.i64(0)); r.next())
    return r.i64(0);
  // The newest keys are only in the writer's memory; their rows are above the cursor.
  statement newer(db, "SELECT id FROM events WHERE id > coalesce((SELECT at FROM cursors WHERE"
                      " name = 'event_keys'), 0) AND tx = ? AND log_index = ? AND chain = ?"
                      " ORDER BY id DESC LIMIT 1");
  rows r = newer.query(key.tx, key.log_index, c.i64(0));
  return r.next() ? std::optional(r.i64(0)) : std::nullopt;
}

void read_history(connection& db, std::int64_t event, event_life& life) {
  statement facts(db, "SELECT " TIDEMARK_FACT_COLUMNS " FROM " TIDEMARK_FACT_TABLES
                      " WHERE f.event = ? ORDER BY f.version");
  for (rows r = facts.query(event); r.next();)
    life.history.push_back(read_fact(r));
}

void read_attempts(connection& db, std::int64_t event, event_life& life) {
  statement attempts(
      db, "SELECT " TIDEMARK_FACT_COLUMNS ", n.name, a.at, a.outcome, a.http, a.ms, a.answer,"
          " coalesce(o.job, 0)"
          " FROM " TIDEMARK_FACT_TABLES " CROSS JOIN attempts a ON a.feed = f.seq"
          " CROSS JOIN lanes l ON l.id = a.lane CROSS JOIN names n ON n.id = l.handler"
          " LEFT JOIN outbox o ON o.lane = a.lane AND o.seq = a.seq" // a replay's has none
          " WHERE f.event = ? ORDER BY a.id");
  constexpr int at = fact_columns;
  for (rows r = attempts.query(event); r.next();) {
    attempt_row a;
    a.message_id = sent_id(read_fact(r), r.i64(at + 6));
    a.handler = r.text(at);
    a.at = r.i64(at + 1);
    a.outcome = r.code<tide::outcome>(at + 2);
    if (!r.null(at + 3)) a.http_status = static_cast<std::uint16_t>(r.i64(at + 3));
    if (!r.null(at + 4)) a.ms = r.u32(at + 4);
    a.answer = r.text(at + 5);
    life.attempts.push_back(std::move(a));
  }
}

} // namespace

event_reading::event_reading(connection& db)
    : last_(db, "SELECT " TIDEMARK_FACT_COLUMNS ", " TIDEMARK_FACT_DATA " FROM events s"
                " CROSS JOIN " TIDEMARK_FACT_TABLES
                " WHERE s.id = ? AND f.event = s.id AND f.version = s.version"),
      before_(db,
              "SELECT f.status, f.n, i.block_hash FROM feed f"
              " CROSS JOIN inclusions i ON i.id = f.inclusion WHERE f.event = ? AND f.version = ?"),
      sent_(db, "SELECT n.name, o.seq, l.head, l.state,"
                " EXISTS (SELECT 1 FROM parked p WHERE p.lane = o.lane AND p.seq = o.seq),"
                " o.notice IS NOT NULL, max(l.batch, 1) FROM feed f CROSS JOIN outbox o ON o.feed "
                "= f.seq CROSS "
                "JOIN lanes l ON l.id = o.lane"
                " CROSS JOIN names n ON n.id = l.handler WHERE f.event = ?"
                " ORDER BY f.version, o.lane, o.seq"),
      held_(db,
            "SELECT n.name, w.feed IS NOT NULL FROM waiting w CROSS JOIN lanes l ON l.id = w.lane"
            " CROSS JOIN names n ON n.id = l.handler WHERE w.event = ?") {}

std::vector<std::pair<std::string, tide::message_state>>
event_reading::processing(std::int64_t event) {
  std::map<std::string, tide::message_state> last;
  for (rows r = sent_.query(event); r.next();)
    last[std::string(r.text(0))] = state_of(
        r.u64(1), r.u64(2), r.u64(6), r.code<tide::message_state>(3), r.i64(4) != 0, r.i64(5) != 0);
  // A message that an earlier event holds, or none yet: the event itself waits for its
  // confirmations.
  for (rows r = held_.query(event); r.next();)
    if (r.i64(1) != 0)
      last[std::string(r.text(0))] = tide::message_state::held;
    else
      last.try_emplace(std::string(r.text(0)), tide::message_state::held);
  return {last.begin(), last.end()};
}

void event_reading::add_undoes(tide::fact& f, std::int64_t event) {
  if (f.status != tide::status::rolled_back) return;
  rows r = before_.query(event, f.version - 1);
  if (r.next()) f.undoes = id_beside(f, r);
}

event_item event_reading::item(std::int64_t event) {
  event_item found;
  {
    rows r = last_.query(event);
    if (!r.next()) throw sql_error(SQLITE_CORRUPT, "an event without a fact");
    found.fact = read_fact(r);
    found.fact.data = unpack(r.text(fact_columns));
  }
  add_undoes(found.fact, event);
  found.processing = processing(event);
  return found;
}

result<std::optional<event_life>> reader::event(const tide::event_key& key) {
  return reading(*parts_, [&](connection& db) -> std::optional<event_life> {
    const auto id = find_event(db, key);
    if (!id) return std::nullopt;
    event_life life;
    life.item = event_reading(db).item(*id);
    read_history(db, *id, life);
    statement hints(db, "SELECT DISTINCT webhook FROM hints WHERE event = ? ORDER BY webhook");
    for (rows r = hints.query(*id); r.next();)
      life.webhooks.push_back(r.i64(0));
    read_attempts(db, *id, life);
    return life;
  });
}

result<std::vector<tide::fact>> reader::feed(std::uint64_t after, std::size_t max_rows) {
  return reading(*parts_, [&](connection& db) {
    std::vector<tide::fact> found;
    const auto from = std::min<std::uint64_t>(after, INT64_MAX);
    event_reading read(db);
    statement facts(db, "SELECT " TIDEMARK_FACT_COLUMNS ", " TIDEMARK_FACT_DATA
                        ", f.event FROM " TIDEMARK_FACT_TABLES
                        " WHERE f.seq > ? ORDER BY f.seq LIMIT ?");
    for (rows r = facts.query(from, max_rows); r.next();) {
      tide::fact& f = found.emplace_back(read_fact(r));
      f.data = unpack(r.text(fact_columns));
      read.add_undoes(f, r.i64(fact_columns + 1));
    }
    return found;
  });
}

result<std::uint64_t> reader::feed_end() {
  return reading(*parts_, [](connection& db) {
    return static_cast<std::uint64_t>(db.number("SELECT max(seq) FROM feed"));
  });
}

} // namespace tidemark::store
