// SPDX-License-Identifier: MIT
#include "store/replays.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tidemark::store {
namespace {

constexpr auto no_end = std::numeric_limits<std::int64_t>::max();

std::int64_t at_most(const std::optional<std::uint64_t>& n) {
  return n ? static_cast<std::int64_t>(std::min<std::uint64_t>(*n, no_end)) : no_end;
}

} // namespace

replay_table::replay_table(ledger& l, event_table& events, outbox& o, lane_book& lanes,
                           job_table& jobs)
    : ledger_(l), events_table_(events), outbox_(o), lanes_(lanes), jobs_(jobs),
      events_(l.db, "SELECT DISTINCT f.event FROM feed f CROSS JOIN inclusions i"
                    " ON i.id = f.inclusion CROSS JOIN events e ON e.id = f.event"
                    " WHERE f.seq BETWEEN ?1 AND ?2 AND f.at BETWEEN ?3 AND ?4"
                    " AND i.block BETWEEN ?5 AND ?6 AND (?7 IS NULL OR e.chain = ?7)"
                    " AND (?8 IS NULL OR f.event = ?8)"),
      sent_(l.db,
            "SELECT o.lane, o.seq, f.seq, o.job FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
            " CROSS JOIN lanes l ON l.id = o.lane WHERE f.event = ? AND l.handler = ?"
            " AND o.seq < l.head AND o.notice IS NULL"),
      lane_(l.db, "SELECT key, epoch, chain FROM lanes WHERE id = ?"),
      insert_lane_(l.db, "INSERT INTO lanes (id, handler, key, epoch, chain, state, head, next,"
                         " held, tries, since, due, job)"
                         " VALUES (?, ?, ?, ?, ?, 1, 1, ?, 0, 0, ?, ?, ?)"),
      insert_(l.db, "INSERT INTO replays (lane, seq, of_lane, of_seq, due)"
                    " VALUES (?, ?, ?, ?, ?)"),
      place_(l.db, "SELECT of_lane, of_seq FROM replays WHERE lane = ? AND seq = ?"),
      due_(l.db, "SELECT due FROM replays WHERE lane = ? AND seq = ?"),
      open_(l.db, "SELECT 1 FROM lanes INDEXED BY lanes_job WHERE job = ? AND job > 0"
                  " AND head < next LIMIT 1"),
      is_replay_(l.db, "SELECT 1 FROM jobs WHERE id = ? AND state = 0 AND kind = 'replay'"),
      stop_(l.db, "UPDATE lanes SET next = CASE WHEN state = 2 THEN head + 1 ELSE head END,"
                  " state = CASE WHEN state = 2 THEN 2 ELSE 3 END, due = NULL, behind = NULL"
                  " WHERE job = ? AND job > 0"),
      wake_behind_(l.db,
                   "UPDATE lanes SET behind = NULL, state = 1, due = CASE WHEN (SELECT c.halted"
                   " FROM chains c WHERE c.chain = lanes.chain) IS NULL THEN ? END WHERE behind IN"
                   " (SELECT id FROM lanes WHERE job = ? AND job > 0 AND state <> 2)"),
      close_(l.db,
             "UPDATE lanes SET head = next, state = 3, due = NULL, behind = NULL WHERE job > 0"
             " AND head < next AND (SELECT state FROM jobs WHERE id = job) <> 0"),
      // By the rule of live messages. One lane of the job stands for each where they were sent
      // first, and sends what is chosen of it in its order.
      earlier_(l.db,
               "SELECT r.id FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
               " CROSS JOIN lanes l ON l.id = o.lane CROSS JOIN lanes r ON r.handler = l.handler"
               " AND r.key = l.key AND r.epoch = l.epoch AND r.job = ?1 WHERE f.event = ?2"
               " AND f.version < ?3 AND l.handler = ?4 AND l.epoch <= ?5 AND o.job <= ?6"
               " AND r.id <> ?7 AND r.head < r.next AND o.seq BETWEEN"
               " (SELECT of_seq FROM replays WHERE lane = r.id AND seq = r.head) AND"
               " (SELECT of_seq FROM replays WHERE lane = r.id AND seq = r.next - 1) LIMIT 1") {}

std::vector<replay_table::sent> replay_table::chosen(const replay_order& o, std::int64_t handler) {
  std::optional<std::int64_t> chain, event;
  if (o.chain_id || o.event) {
    const auto* c = ledger_.chains.by_id(o.event ? o.event->chain_id : *o.chain_id);
    if (c == nullptr || (o.chain_id && o.event && *o.chain_id != o.event->chain_id)) return {};
    chain = c->chain;
  }
  if (o.event) {
    const auto e = events_table_.find(*chain, o.event->tx, o.event->log_index);
    if (!e) return {};
    event = e->id;
  }
  std::vector<std::int64_t> events;
  for (rows r = events_.query(static_cast<std::int64_t>(o.from_seq.value_or(0)), at_most(o.to_seq),
                              o.since.value_or(0), o.until.value_or(no_end),
                              static_cast<std::int64_t>(o.from_block.value_or(0)),
                              at_most(o.to_block), chain, event);
       r.next();)
    events.push_back(r.i64(0));
  std::vector<sent> all;
  for (const std::int64_t one : events)
    for (rows r = sent_.query(one, handler); r.next();)
      // A copy of the copy would have the same new id.
      if (!o.as_new || r.i64(3) == 0) all.push_back({r.i64(0), r.u64(1), r.u64(2)});
  std::sort(all.begin(), all.end(), [](const sent& a, const sent& b) {
    return std::tie(a.feed, a.lane, a.seq) < std::tie(b.feed, b.lane, b.seq);
  });
  return all;
}

void replay_table::queue(const std::vector<sent>& all, const replay_order& o, std::int64_t handler,
                         std::int64_t job, std::int64_t now) {
  // The rate is of the whole replay, so the times are given in the feed's order.
  struct timed {
    sent what;
    std::int64_t due = 0;
  };
  std::map<std::int64_t, std::vector<timed>> by_lane;
  double due = static_cast<double>(now);
  for (const sent& s : all) {
    by_lane[s.lane].push_back({s, static_cast<std::int64_t>(due)});
    if (o.rate > 0) due += 1'000 / o.rate;
  }
  for (auto& [lane, messages] : by_lane) {
    std::sort(messages.begin(), messages.end(),
              [](const timed& a, const timed& b) { return a.what.seq < b.what.seq; });
    std::string key;
    std::uint32_t epoch = 1;
    std::int64_t chain = 0;
    if (rows r = lane_.query(lane); r.next()) {
      key = r.text(0);
      epoch = r.u32(1);
      chain = r.i64(2);
    }
    const chain_entry* c = ledger_.chains.by_row(chain);
    const bool halted = c && c->halted;
    const std::int64_t id = ++ledger_.last.lane;
    insert_lane_.run(id, handler, std::string_view(key), epoch, chain, messages.size() + 1, now,
                     halted ? std::nullopt : std::optional(messages.front().due), job);
    std::uint64_t seq = 0;
    for (const timed& m : messages)
      insert_.run(id, ++seq, m.what.lane, m.what.seq, m.due);
  }
}

/// New messages are live ones: at the ends of their keys, with the next sequences.
void replay_table::queue_as_new(const std::vector<sent>& all, std::int64_t handler,
                                std::int64_t job, std::int64_t now) {
  lanes_.start(now, true);
  for (const sent& s : all) {
    const auto m = outbox_.load(handler, s.lane, s.seq);
    const chain_entry* c = ledger_.chains.by_id(m.what.fact.chain_id);
    outgoing o{m.feed, m.subscription, m.what.envelope.late};
    o.job = job;
    lanes_.append(lanes_.open(handler, m.what.envelope.key, c ? c->chain : 0), o);
  }
  lanes_.finish();
}

replay_started replay_table::begin(const replay_order& o, std::int64_t now) {
  const std::int64_t handler = ledger_.names.id(tide::name_kind::handler, o.handler);
  const auto all = chosen(o, handler);
  replay_started done{all.size(), std::nullopt};
  if (o.dry_run || all.empty()) return done;
  done.job = jobs_.begin("replay", now);
  jobs_.note(*done.job, {0, 0, all.size()});
  if (o.as_new) {
    queue_as_new(all, handler, *done.job, now);
    jobs_.end(*done.job, tide::job_state::done, "", now);
    return done;
  }
  queue(all, o, handler, *done.job, now);
  ledger_.count_replays();
  ledger_.bells.handler(handler);
  return done;
}

outbox::loaded replay_table::load(std::int64_t handler, std::int64_t lane, std::uint64_t seq) {
  std::int64_t of_lane = 0;
  std::uint64_t of_seq = 0;
  {
    rows r = place_.query(lane, seq);
    if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a replay's message is not there");
    of_lane = r.i64(0);
    of_seq = r.u64(1);
  }
  auto found = outbox_.load(handler, of_lane, of_seq);
  found.what.lane = lane;
  found.what.seq = seq;
  return found;
}

std::optional<std::int64_t> replay_table::earlier(std::int64_t handler, const outbox::loaded& m,
                                                  std::int64_t lane, std::int64_t job) {
  rows r = earlier_.query(job, m.event, m.what.fact.version, handler, m.what.envelope.epoch,
                          m.what.job, lane);
  return r.next() ? std::optional(r.i64(0)) : std::nullopt;
}

std::int64_t replay_table::due(std::int64_t lane, std::uint64_t seq) {
  rows r = due_.query(lane, seq);
  return r.next() ? r.i64(0) : 0;
}

/// What a cancelled one had in flight when the process ended is its last too.
void replay_table::start() {
  close_.run();
  ledger_.count_replays();
}

bool replay_table::cancelled(std::int64_t job) { return !jobs_.running(job); }

void replay_table::lane_ended(std::int64_t job, std::int64_t now) {
  if (open_.query(job).next()) return;
  jobs_.end(job, tide::job_state::done, "", now); // one that was cancelled stays so
  ledger_.count_replays();
}

bool replay_table::cancel(std::int64_t job, std::int64_t now) {
  if (!is_replay_.query(job).next()) return false;
  stop_.run(job);
  wake_behind_.run(now, job);
  jobs_.end(job, tide::job_state::cancelled, "", now);
  ledger_.count_replays();
  for (const auto& [handler, entry] : ledger_.handlers)
    ledger_.bells.handler(handler);
  return true;
}

} // namespace tidemark::store
