// SPDX-License-Identifier: MIT
#include "store/reading.hpp"

namespace tidemark::store {
namespace {

using tide::message_state;

/// A lane with something to send, or that holds something.
struct open_lane {
  std::int64_t id = 0;
  std::uint64_t head = 0;
  std::uint32_t tries = 0;
  std::optional<std::int64_t> due;
  key_row row;
};

open_lane read_lane(const rows& r) {
  open_lane l;
  l.id = r.i64(0);
  l.row.key = r.text(1);
  l.row.state = r.code<message_state>(2);
  l.head = r.u64(3);
  l.row.waiting = r.u64(4) - l.head;
  l.row.held = r.u64(5);
  l.tries = r.u32(6);
  l.row.since = r.i64(7);
  l.due = r.maybe_i64(8);
  // Nothing to send, so what is open is held; a parked head is said by the row in `loose`.
  if (l.row.waiting == 0) l.row.state = message_state::held;
  if (r.i64(9) != 0) l.row.state = message_state::parked;
  return l;
}

key_head read_head(statement& message, statement& attempt, const open_lane& l) {
  key_head h;
  h.sequence = l.head;
  h.attempts = l.tries;
  h.next_at = l.due;
  std::uint64_t feed = 0;
  {
    rows r = message.query(l.id, l.head);
    if (!r.next()) return h;
    const tide::fact f = read_fact(r);
    feed = f.seq;
    h.id = tide::message_id(f);
    h.event_id = tide::event_id(f.chain_id, f.tx, f.log_index);
  }
  rows r = attempt.query(feed, l.id, l.head);
  if (!r.next()) return h;
  h.outcome = r.code<tide::outcome>(0);
  if (!r.null(1)) h.http_status = static_cast<std::uint16_t>(r.i64(1));
  h.answer = r.text(2);
  return h;
}

} // namespace

result<std::vector<handler_row>> reader::handlers() {
  return reading(*parts_, [](connection& db) {
    statement all(db,
                  "SELECT h.handler, n.name, h.paused, h.reason, h.since, h.epoch FROM handlers h"
                  " CROSS JOIN names n ON n.id = h.handler ORDER BY n.name");
    statement lanes(db,
                    "SELECT coalesce(sum(next - head), 0), coalesce(sum(state = 2), 0),"
                    " coalesce(sum(held), 0), coalesce(sum(state = 4), 0),"
                    " min(CASE WHEN head < next THEN since END) FROM lanes INDEXED BY lanes_open"
                    " WHERE handler = ? AND (state <> 3 OR held > 0)");
    statement parked(db, "SELECT count(*) FROM loose p INDEXED BY loose_parked"
                         " CROSS JOIN lanes l ON l.id = p.lane WHERE p.why = 1 AND l.handler = ?");
    std::vector<handler_row> found;
    for (rows r = all.query(); r.next();) {
      handler_row& h = found.emplace_back();
      const std::int64_t id = r.i64(0);
      h.name = r.text(1);
      h.paused = r.i64(2) != 0;
      h.reason = r.text(3);
      h.since = r.i64(4);
      h.epoch = r.u32(5);
      rows sums = lanes.query(id);
      if (!sums.next()) continue;
      h.due = sums.u64(0);
      h.in_flight = sums.u64(1);
      h.held = sums.u64(2);
      h.blocked_keys = sums.u64(3);
      h.oldest_at = sums.maybe_i64(4);
      if (rows p = parked.query(id); p.next()) h.parked = p.u64(0);
    }
    return found;
  });
}

result<page<key_row>> reader::keys(const std::string& handler,
                                   const std::optional<message_state>& state,
                                   const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement all(db,
                  "SELECT l.id, l.key, l.state, l.head, l.next, l.held, l.tries, l.since, l.due,"
                  " EXISTS (SELECT 1 FROM loose o WHERE o.lane = l.id AND o.why = 1)"
                  " FROM names n CROSS JOIN lanes l INDEXED BY lanes_open ON l.handler = n.id"
                  " WHERE n.kind = 2 AND n.name = ? AND (l.state <> 3 OR l.held > 0) AND l.id < ?"
                  " ORDER BY l.id DESC");
    statement message(db, "SELECT " TIDEMARK_FACT_COLUMNS
                          " FROM outbox o CROSS JOIN " TIDEMARK_FACT_TABLES
                          " WHERE o.lane = ? AND o.seq = ? AND f.seq = o.feed");
    statement attempt(db, "SELECT outcome, http, answer FROM attempts"
                          " WHERE feed = ? AND lane = ? AND seq = ? ORDER BY id DESC LIMIT 1");
    page<key_row> found;
    std::int64_t last = 0;
    for (rows r = all.query(std::string_view(handler), below(p)); r.next();) {
      open_lane l = read_lane(r);
      // A key that holds something is asked for by that, whatever its head does.
      const bool fits =
          !state || l.row.state == *state || (*state == message_state::held && l.row.held > 0);
      if (!fits) continue;
      if (found.items.size() == rows_of(p)) {
        found.next = std::to_string(last);
        break;
      }
      last = l.id;
      if (l.row.waiting > 0) l.row.head = read_head(message, attempt, l);
      found.items.push_back(std::move(l.row));
    }
    return found;
  });
}

} // namespace tidemark::store
