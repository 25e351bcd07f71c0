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
  std::int64_t job = 0;
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
  // Nothing to send, so what is open is held.
  if (l.row.waiting == 0) l.row.state = message_state::held;
  l.job = r.i64(9);
  return l;
}

/// At a lane's place, and what became of it last.
class message_look {
public:
  explicit message_look(connection& db)
      : place_(db, "SELECT of_lane, of_seq FROM replays WHERE lane = ? AND seq = ?"),
        row_(db, "SELECT feed, notice, job FROM outbox WHERE lane = ? AND seq = ?"),
        fact_(db, "SELECT " TIDEMARK_FACT_COLUMNS " FROM " TIDEMARK_FACT_TABLES " WHERE f.seq = ?"),
        attempt_(db, "SELECT outcome, http, answer FROM attempts WHERE feed = ? AND lane = ?"
                     " AND seq = ? ORDER BY id DESC LIMIT 1") {}

  void read(key_head& h, std::int64_t lane, std::uint64_t seq, bool replay, bool of_the_fact) {
    std::int64_t at = lane;
    std::uint64_t place = seq;
    if (replay) {
      rows r = place_.query(lane, seq);
      if (!r.next()) return;
      at = r.i64(0);
      place = r.u64(1);
    }
    h.sequence = place;
    std::int64_t feed = 0, job = 0;
    {
      rows r = row_.query(at, place);
      if (!r.next()) return;
      job = r.i64(2);
      if (!r.null(0)) feed = r.i64(0);
      if (!r.null(1))
        if (const auto n = tide::notice_of_row(r.text(1))) h.id = n->id;
    }
    if (feed == 0) return;
    if (rows r = fact_.query(feed); r.next()) {
      const tide::fact f = read_fact(r);
      if (h.id.empty() || of_the_fact) h.id = sent_id(f, job);
      h.event_id = tide::event_id(f.chain_id, f.tx, f.log_index);
    }
    rows r = attempt_.query(feed, lane, seq);
    if (!r.next()) return;
    h.outcome = r.code<tide::outcome>(0);
    if (!r.null(1)) h.http_status = static_cast<std::uint16_t>(r.i64(1));
    h.answer = r.text(2);
  }

private:
  statement place_, row_, fact_, attempt_;
};

} // namespace

result<std::vector<handler_row>> reader::handlers() {
  return reading(*parts_, [](connection& db) {
    statement all(db,
                  "SELECT h.handler, n.name, h.paused, h.reason, h.since, h.epoch FROM handlers h"
                  " CROSS JOIN names n ON n.id = h.handler ORDER BY n.name");
    statement lanes(
        db,
        "SELECT coalesce(sum(CASE WHEN state <> 5 THEN next - head END), 0), coalesce(sum(state = "
        "2), 0),"
        " coalesce(sum(held), 0), coalesce(sum(state = 4), 0),"
        " min(CASE WHEN head < next AND state <> 5 THEN since END) FROM lanes INDEXED BY lanes_open"
        " WHERE handler = ? AND (state <> 3 OR held > 0)");
    statement parked(db, "SELECT count(*) FROM parked p CROSS JOIN lanes l ON l.id = p.lane"
                         " WHERE l.handler = ?");
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
                  " l.job FROM names n CROSS JOIN lanes l INDEXED BY lanes_open"
                  " ON l.handler = n.id WHERE n.kind = 2 AND n.name = ?"
                  " AND (l.state <> 3 OR l.held > 0) AND l.id < ? ORDER BY l.id DESC");
    message_look look(db);
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
      if (l.row.waiting > 0) {
        key_head& h = l.row.head.emplace();
        h.attempts = l.tries;
        h.next_at = l.due;
        look.read(h, l.id, l.head, l.job != 0, false);
      }
      found.items.push_back(std::move(l.row));
    }
    return found;
  });
}

result<page<dead_row>> reader::dead(const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement all(db, "SELECT p.id, p.lane, p.seq, p.tries, p.at, l.key, n.name FROM parked p"
                      " CROSS JOIN lanes l ON l.id = p.lane CROSS JOIN names n ON n.id = l.handler"
                      " WHERE p.id < ? ORDER BY p.id DESC LIMIT ?");
    message_look look(db);
    rows r = all.query(below(p), rows_of(p) + 1);
    return read_page<dead_row>(r, rows_of(p), [&](const rows& row) {
      key_head h;
      look.read(h, row.i64(1), row.u64(2), false, true);
      dead_row d;
      d.id = row.i64(0);
      d.message_id = h.id;
      d.event_id = h.event_id;
      d.sequence = h.sequence;
      d.attempts = row.u32(3);
      d.parked_at = row.i64(4);
      d.key = row.text(5);
      d.handler = row.text(6);
      d.outcome = h.outcome;
      d.http_status = h.http_status;
      d.answer = h.answer;
      return d;
    });
  });
}

} // namespace tidemark::store
