// SPDX-License-Identifier: MIT
#include "store/prune.hpp"

#include "store/packing.hpp"

#include <vector>

namespace tidemark::store {

pruner::pruner(ledger& l)
    : ledger_(l), old_webhooks_(l.db, "SELECT w.id, w.digest, w.at, coalesce(i.last_at, w.at),"
                                      " coalesce(i.state, 0) <> 0 AND NOT EXISTS"
                                      " (SELECT 1 FROM again a WHERE a.webhook = w.id)"
                                      " FROM webhooks w LEFT JOIN intake i ON i.webhook = w.id"
                                      " WHERE w.id > ? ORDER BY w.id LIMIT ?"),
      drop_webhook_(l.db, "DELETE FROM webhooks WHERE id = ?"),
      drop_key_(l.db, "DELETE FROM webhook_keys WHERE key = ? AND webhook = ?"),
      drop_intake_(l.db, "DELETE FROM intake WHERE webhook = ?"),
      drop_hints_(l.db, "DELETE FROM hints WHERE webhook = ?"),
      // Done: its key has gone on, and it is not parked.
      old_attempts_(l.db, "SELECT a.id, a.at, a.outcome <> 0 AND l.head > a.seq AND NOT EXISTS"
                          " (SELECT 1 FROM parked p WHERE p.lane = a.lane AND p.seq = a.seq)"
                          " FROM attempts a JOIN lanes l ON l.id = a.lane"
                          " WHERE a.id > ? ORDER BY a.id LIMIT ?"),
      drop_attempt_(l.db, "DELETE FROM attempts WHERE id = ?"),
      // Final, below the mark, and nobody has still to be told of anything that the event did.
      old_inclusions_(
          l.db, "SELECT i.id, i.time, c.chain_id, i.block, coalesce(c.mark, 0),"
                " e.status <> 0 AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.event = e.id)"
                " AND NOT EXISTS (SELECT 1 FROM feed f JOIN outbox o ON o.feed = f.seq"
                " JOIN lanes l ON l.id = o.lane WHERE f.event = e.id AND (o.seq >= l.head"
                " OR EXISTS (SELECT 1 FROM replays x JOIN lanes y ON y.id = x.lane"
                " WHERE x.of_lane = o.lane AND x.of_seq = o.seq AND x.seq >= y.head)"
                " OR EXISTS (SELECT 1 FROM parked p WHERE p.lane = o.lane AND p.seq = o.seq)))"
                " FROM inclusions i JOIN events e ON e.id = i.event"
                " JOIN chains c ON c.chain = e.chain WHERE i.id > ? ORDER BY i.id LIMIT ?"),
      data_(l.db, "SELECT data FROM inclusions WHERE id = ?"),
      set_data_(l.db, "UPDATE inclusions SET data = ? WHERE id = ?"),
      amended_(l.db, "SELECT data FROM amended WHERE inclusion = ?"),
      set_amended_(l.db, "UPDATE amended SET data = ? WHERE inclusion = ?") {}

/// True: there is nothing more to look at.
bool pruner::webhooks(std::int64_t before, std::size_t count, pruning& at) {
  struct old {
    std::int64_t id = 0, digest = 0;
  };
  std::vector<old> gone;
  std::size_t seen = 0;
  bool young = false;
  for (rows r = old_webhooks_.query(at.webhook, count); r.next();) {
    young = r.i64(2) >= before || r.i64(0) >= ledger_.last.webhook;
    if (young) break;
    ++seen;
    at.webhook = r.i64(0);
    // One that was repeated lately stays, and says nothing of those behind it.
    const bool repeated = r.i64(3) >= before;
    if (!repeated && r.i64(4) != 0) gone.push_back({r.i64(0), r.i64(1)});
  }
  for (const old& w : gone) {
    drop_key_.run(w.digest, w.id);
    drop_hints_.run(w.id);
    drop_intake_.run(w.id);
    drop_webhook_.run(w.id);
  }
  at.webhooks += gone.size();
  return young || seen < count;
}

bool pruner::attempts(std::int64_t before, std::size_t count, pruning& at) {
  std::vector<std::int64_t> gone;
  std::size_t seen = 0;
  bool young = false;
  for (rows r = old_attempts_.query(at.attempt, count); r.next();) {
    young = r.i64(1) >= before || r.i64(0) >= ledger_.last.attempt;
    if (young) break;
    ++seen;
    at.attempt = r.i64(0);
    if (r.i64(2) != 0) gone.push_back(r.i64(0));
  }
  for (const std::int64_t id : gone)
    drop_attempt_.run(id);
  at.deliveries += gone.size();
  return young || seen < count;
}

/// False: it was forgotten before.
bool pruner::forget(std::int64_t inclusion) {
  std::string json;
  if (rows r = data_.query(inclusion); r.next()) json = unpack(r.text(0));
  if (json.empty()) return false;
  const std::string less = without_details(json);
  if (less == json) return false;
  set_data_.run(blob{pack(less)}, inclusion);
  std::string amended;
  if (rows r = amended_.query(inclusion); r.next()) amended = without_details(unpack(r.text(0)));
  if (!amended.empty()) set_amended_.run(blob{pack(amended)}, inclusion);
  return true;
}

bool pruner::events(const retention& keep, std::int64_t before, std::size_t count, pruning& at) {
  std::vector<std::int64_t> gone;
  std::size_t seen = 0;
  for (rows r = old_inclusions_.query(at.inclusion, count); r.next();) {
    ++seen;
    at.inclusion = r.i64(0);
    const auto depth = keep.max_depths.find(r.u64(2));
    // A chain that the config does not have any more: how deep it may change is not known.
    if (depth == keep.max_depths.end()) continue;
    const bool deep = r.u64(3) + depth->second <= r.u64(4);
    if (r.i64(1) * 1'000 < before && deep && r.i64(5) != 0) gone.push_back(r.i64(0));
  }
  for (const std::int64_t id : gone)
    at.events += forget(id) ? 1 : 0;
  return seen < count;
}

void pruner::step(const retention& keep, std::int64_t now, std::size_t count, pruning& at) {
  bool done = true;
  if (keep.webhooks_ms > 0) done = webhooks(now - keep.webhooks_ms, count, at) && done;
  if (keep.deliveries_ms > 0) done = attempts(now - keep.deliveries_ms, count, at) && done;
  if (keep.events_ms > 0) done = events(keep, now - keep.events_ms, count, at) && done;
  at.done = done;
}

} // namespace tidemark::store
