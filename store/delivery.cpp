// SPDX-License-Identifier: MIT
#include "store/delivery.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::store {
namespace {

constexpr std::size_t envelope_bytes = 1'024; // about what stands around `data`

std::size_t bytes_of(const message& m) {
  std::size_t n = m.fact.data.size() + envelope_bytes;
  for (const message& next : m.more)
    n += next.fact.data.size() + envelope_bytes;
  return n;
}

} // namespace

delivery_queue::delivery_queue(ledger& l, outbox& o, replay_table& replays)
    : ledger_(l), outbox_(o), replays_(replays),
      forget_open_(l.db, "UPDATE attempts SET outcome = 6 WHERE outcome = 0"),
      reset_lanes_(l.db,
                   "UPDATE lanes SET behind = NULL, state = CASE WHEN state IN (4, 5) THEN state"
                   " ELSE 1 END, age = " TIDEMARK_AGE_NOW ", due = NULL WHERE head < next"),
      put_back_(l.db,
                "UPDATE lanes SET state = 1, due = CASE WHEN chain IN (SELECT chain FROM chains"
                " WHERE halted IS NOT NULL) THEN NULL ELSE ?1 END WHERE id IN (SELECT lane"
                " FROM attempts INDEXED BY attempts_open WHERE outcome = 0)"
                " AND +handler = ?2 AND state = 2"),
      lose_(l.db, "UPDATE attempts INDEXED BY attempts_open SET outcome = 6 WHERE outcome = 0"
                  " AND (SELECT handler FROM lanes WHERE id = lane) = ?"),
      due_(l.db, "SELECT id, head, next, singles, tries, batch, job, age FROM lanes"
                 " WHERE handler = ? AND due <= ? ORDER BY due LIMIT ?"),
      // A replay's rate is none of its handler's troubles.
      probe_(l.db, "SELECT id, head, next, singles, tries, batch, job, " TIDEMARK_AGE_NOW
                   " FROM lanes INDEXED BY lanes_open WHERE handler = ?2 AND id > ?3"
                   " AND (state <> 3 OR held > 0) AND due IS NOT NULL"
                   " AND (job = 0 OR state = 4 OR due <= ?1) ORDER BY id LIMIT 1"),
      next_due_(l.db,
                "SELECT due FROM lanes WHERE handler = ? AND due IS NOT NULL ORDER BY due LIMIT 1"),
      // A later epoch waits for the earlier one, and a copy stands behind what was there before it:
      // were it the other way too, each could wait for the other for ever.
      earlier_(l.db, "SELECT o.lane FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
                     " CROSS JOIN lanes l ON l.id = o.lane WHERE f.event = ? AND f.version < ?"
                     " AND l.handler = ? AND l.id <> ? AND l.epoch <= ? AND o.job <= ?"
                     " AND o.seq >= l.head LIMIT 1"),
      beside_(l.db, "SELECT id FROM lanes WHERE handler = ?1 AND key = ?2 AND id <> ?4"
                    " AND ((job > 0 AND head < next AND (?5 = 0 OR job < ?5"
                    " OR (job = ?5 AND epoch < ?3))) OR (job = 0 AND state = 2)) LIMIT 1"),
      stand_behind_(l.db, "UPDATE lanes SET due = NULL, behind = ?, state = 0 WHERE id = ?"),
      not_before_(l.db, "UPDATE lanes SET due = ? WHERE id = ?"),
      begin_(l.db, "UPDATE lanes SET due = NULL, state = 2, tries = tries + 1, batch = ?, age = ?"
                   " WHERE id = ?"),
      insert_attempt_(l.db, "INSERT INTO attempts (id, feed, lane, seq, n, at, outcome)"
                            " VALUES (?, ?, ?, ?, ?, ?, 0)"),
      end_attempts_(l.db, "UPDATE attempts SET outcome = ?, http = ?, ms = ?, answer = ?"
                          " WHERE id BETWEEN ? AND ? AND outcome = 0"),
      lane_(l.db, "SELECT head, next, state, chain, handler, job, epoch, key FROM lanes"
                  " WHERE id = ?"),
      advance_(l.db, "UPDATE lanes SET head = head + ?, tries = 0, age = 0, batch = 0, since = ?,"
                     " state = ?, due = ? WHERE id = ?"),
      wait_(l.db, "UPDATE lanes SET tries = tries - ?, age = age + ?, state = ?, due = ?,"
                  " batch = batch * ?, singles = max(singles, ?) WHERE id = ?"),
      wake_behind_(l.db, "UPDATE lanes SET behind = NULL, state = 1, due = ? WHERE behind = ?"),
      wait_for_(l.db, "UPDATE handlers SET wait_until = ? WHERE handler = ?"),
      park_(l.db, "INSERT INTO parked (lane, seq, tries, at, behind)"
                  " SELECT id, head, tries, ?, 0 FROM lanes WHERE id = ?"),
      park_key_(l.db, "INSERT INTO parked (lane, seq, tries, at, behind)"
                      " SELECT lane, seq, 0, ?, 1 FROM outbox WHERE lane = ? AND seq > ?"),
      park_lane_(l.db, "UPDATE lanes SET state = 5, due = NULL, batch = 0 WHERE id = ?"),
      announce_(l.db, "UPDATE handlers SET announced = ? WHERE handler = ?"),
      wake_epoch_(l.db, "UPDATE lanes SET due = ? WHERE handler = ? AND due IS NULL"
                        " AND behind IS NULL AND " TIDEMARK_LANE_GOES) {}

void delivery_queue::start(std::int64_t now) {
  replays_.start();
  forget_open_.run();
  reset_lanes_.run(now);
  statement wake(ledger_.db, "UPDATE lanes SET " TIDEMARK_WAKE " WHERE " TIDEMARK_LANE_GOES);
  wake.run(now);
}

void delivery_queue::abandon(std::string_view handler, std::int64_t now) {
  const auto id = ledger_.names.find(tide::name_kind::handler, handler);
  if (!id) return;
  put_back_.run(now, *id);
  lose_.run(*id);
}

std::vector<delivery_queue::due_lane> delivery_queue::due(std::int64_t handler, std::int64_t now,
                                                          std::size_t limit) {
  std::vector<due_lane> found;
  for (rows r = due_.query(handler, now, limit); r.next();)
    found.push_back(read_due(r));
  return found;
}

delivery_queue::due_lane delivery_queue::read_due(const rows& r) {
  return {r.i64(0), r.u64(1), r.u64(2), r.u64(3), r.u32(4), r.u32(5), r.i64(6), r.i64(7)};
}

outbox::loaded delivery_queue::load(std::int64_t handler, const due_lane& l, std::uint64_t seq,
                                    std::int64_t now) {
  if (l.job != 0) return replays_.load(handler, l.id, seq);
  outbox::loaded found = outbox_.load(handler, l.id, seq);
  const message& m = found.what;
  // One that was composed goes again as it was.
  if (l.batch > 0 || m.notice) return found;
  const auto most = ledger_.settings_of(handler).pending_max_age;
  const bool too_old = most > 0 && m.fact.status == tide::status::pending && now - m.fact.at > most;
  // What it was to take back expired in front of it.
  const bool of_nothing = m.fact.status == tide::status::rolled_back && !m.fact.undoes;
  if (too_old || of_nothing) outbox_.expire(handler, found, now);
  return found;
}

std::optional<std::int64_t> delivery_queue::behind(std::int64_t handler, const outbox::loaded& m,
                                                   const due_lane& l) {
  const message& what = m.what;
  if (ledger_.replays > 0)
    if (rows r = beside_.query(handler, std::string_view(what.envelope.key), what.envelope.epoch,
                               l.id, l.job);
        r.next())
      return r.i64(0);
  if (what.fact.version > 1) {
    if (l.job != 0) return replays_.earlier(handler, m, l.id, l.job);
    if (rows r = earlier_.query(m.event, what.fact.version, handler, l.id, what.envelope.epoch,
                                what.job);
        r.next())
      return r.i64(0);
  }
  return std::nullopt;
}

delivery_queue::choice delivery_queue::choose(std::int64_t handler, const due_lane& l,
                                              std::int64_t now) {
  choice c;
  const auto found = load(handler, l, l.head, now);
  c.what = found.what;
  c.what.attempt = l.tries + 1;
  c.what.age = l.age;
  c.what.replayed = l.job != 0;
  if (c.what.replayed) c.what.job = l.job;
  c.behind = behind(handler, found, l);
  const bool alone = l.job != 0 || c.what.envelope.key.empty() || l.head < l.singles || found.alone;
  if (!c.behind && !alone && (l.batch > 0 || ledger_.settings_of(handler).batch > 1))
    fill_batch(handler, l, now, c);
  return c;
}

/// A batch is composed once: one that was sent keeps its size, whatever came behind it.
void delivery_queue::fill_batch(std::int64_t handler, const due_lane& l, std::int64_t now,
                                choice& c) {
  const auto& how = ledger_.settings_of(handler);
  const std::uint64_t waiting = l.next - l.head;
  if (l.batch == 0 && waiting < how.batch && now < c.what.since + how.linger) {
    c.later = c.what.since + how.linger;
    return;
  }
  c.what.batch = true;
  const std::uint64_t most = l.batch > 0 ? l.batch : std::min<std::uint64_t>(waiting, how.batch);
  std::size_t bytes = message_body(c.what).size();
  while (c.what.count() < most) {
    auto next = load(handler, l, l.head + c.what.count(), now);
    if (l.batch == 0) {
      if (next.alone) break;
      bytes += message_body(next.what).size() + 1;
      if (how.max_message != 0 && bytes > how.max_message) break;
      if (behind(handler, next, l)) break;
    }
    c.what.more.push_back(std::move(next.what));
  }
}

void delivery_queue::begin_attempt(message& m, std::int64_t now) {
  m.attempt_id = ++ledger_.last.attempt;
  begin_.run(m.batch ? m.count() : 0, m.age, m.lane);
  const auto feed_of = [](const message& one) {
    return one.notice ? std::nullopt : std::optional(one.fact.seq); // a gap is no try of it
  };
  insert_attempt_.run(m.attempt_id, feed_of(m), m.lane, m.seq, m.attempt, now);
  for (message& next : m.more) {
    next.attempt_id = ++ledger_.last.attempt;
    insert_attempt_.run(next.attempt_id, feed_of(next), m.lane, next.seq, m.attempt, now);
  }
  ledger_.must_sync = true;
}

/// True: it cannot go now.
bool delivery_queue::set_aside(const choice& c, std::int64_t lane) {
  if (c.behind)
    stand_behind_.run(*c.behind, lane);
  else if (c.later)
    not_before_.run(*c.later, lane);
  return c.behind || c.later;
}

void delivery_queue::take_due(std::int64_t handler, std::int64_t now, std::size_t limit,
                              std::size_t max_bytes, message_batch& batch) {
  std::size_t bytes = 0;
  while (batch.messages.size() < limit) {
    const auto lanes = due(handler, now, limit - batch.messages.size());
    if (lanes.empty()) return;
    for (const due_lane& l : lanes) {
      choice c = choose(handler, l, now);
      if (set_aside(c, l.id)) continue;
      bytes += bytes_of(c.what);
      if (!batch.messages.empty() && bytes > max_bytes) return;
      begin_attempt(c.what, now);
      batch.messages.push_back(std::move(c.what));
    }
  }
}

/// One key after another: behind the last one to the end, then from the first on.
void delivery_queue::take_probe(std::int64_t handler, std::int64_t now, std::int64_t behind,
                                message_batch& batch) {
  for (bool others = behind > 0;;) {
    std::optional<due_lane> l;
    if (rows r = probe_.query(now, handler, behind); r.next()) l = read_due(r);
    if (!l && !std::exchange(others, false)) return;
    behind = l ? l->id : 0;
    if (!l) continue;
    choice c = choose(handler, *l, now);
    if (set_aside(c, l->id)) continue;
    begin_attempt(c.what, now);
    batch.messages.push_back(std::move(c.what));
    return;
  }
}

message_batch delivery_queue::take(std::string_view handler, std::int64_t now, std::size_t limit,
                                   std::size_t max_bytes,
                                   std::optional<std::int64_t> probe_behind) {
  message_batch batch;
  const auto id = ledger_.names.find(tide::name_kind::handler, handler);
  if (!id || ledger_.handler(*id).paused) return batch;
  if (const auto until = ledger_.handler(*id).wait_until; until > now)
    batch.wait_until = until;
  else if (probe_behind)
    take_probe(*id, now, *probe_behind, batch);
  else
    take_due(*id, now, limit, max_bytes, batch);
  if (rows r = next_due_.query(*id); r.next()) batch.next_due = r.i64(0);
  return batch;
}

void delivery_queue::ring() {
  for (const std::int64_t handler : finished_)
    if (rows r = next_due_.query(handler); r.next() && r.i64(0) <= now_)
      ledger_.bells.handler(handler);
  finished_.clear();
}

} // namespace tidemark::store
