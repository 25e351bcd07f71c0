// SPDX-License-Identifier: MIT
#include "store/parking.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::store {

parking::parking(ledger& l, outbox& o, lane_book& lanes)
    : ledger_(l), outbox_(o), lanes_(lanes),
      find_(l.db, "SELECT p.lane, p.seq, p.behind, l.handler, l.chain, l.key, l.state, l.head"
                  " FROM parked p CROSS JOIN lanes l ON l.id = p.lane WHERE p.id = ?"),
      all_(l.db, "SELECT p.id FROM parked p CROSS JOIN lanes l ON l.id = p.lane"
                 " WHERE ?1 IS NULL OR l.handler = ?1 ORDER BY p.lane, p.seq"),
      later_(l.db, "SELECT 1 FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
                   " CROSS JOIN lanes l ON l.id = o.lane WHERE f.event = ?1 AND f.version > ?2"
                   " AND l.handler = ?3 AND (f.status = 2 OR ?4) LIMIT 1"),
      forget_(l.db, "DELETE FROM parked WHERE id = ?"),
      forget_key_(l.db, "DELETE FROM parked WHERE lane = ? AND seq >= ?"),
      free_(l.db, "UPDATE lanes SET state = 1, tries = 0, age = 0, batch = 0, since = ?, due = ?"
                  " WHERE id = ?"),
      insert_gap_(l.db, "INSERT INTO gaps (at, who, chain, from_block, to_block, lane, from_seq,"
                        " to_seq, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

std::optional<parking::parked> parking::find(std::int64_t id) {
  rows r = find_.query(id);
  if (!r.next()) return std::nullopt;
  parked p;
  p.id = id;
  p.lane = r.i64(0);
  p.seq = r.u64(1);
  p.behind = r.i64(2) != 0;
  p.handler = r.i64(3);
  p.chain = r.i64(4);
  p.key = r.text(5);
  p.head = r.code<tide::message_state>(6) == tide::message_state::parked && r.u64(7) == p.seq;
  return p;
}

std::vector<std::int64_t> parking::all(const std::string& handler) {
  std::optional<std::int64_t> of;
  if (!handler.empty()) of = ledger_.names.find(tide::name_kind::handler, handler).value_or(-1);
  std::vector<std::int64_t> found;
  for (rows r = all_.query(of); r.next();)
    found.push_back(r.i64(0));
  return found;
}

/// The key goes on from its head, and with it what stood behind.
void parking::free_key(const parked& p, std::int64_t now) {
  forget_key_.run(p.lane, p.seq);
  const chain_entry* c = ledger_.chains.by_row(p.chain);
  free_.run(now, c && c->halted ? std::nullopt : std::optional(now), p.lane);
  ledger_.bells.handler(p.handler);
}

std::uint64_t
parking::append(const parked& p, outgoing o, std::int64_t now,
                const std::function<tide::notice(std::int64_t, std::uint64_t)>& notice) {
  lanes_.start(now, true);
  lane& l = lanes_.open(p.handler, p.key, p.chain);
  const std::uint64_t seq = l.next;
  if (notice) o.notice = notice(l.id, seq);
  lanes_.append(l, o);
  lanes_.finish();
  return seq;
}

std::optional<dead_fault> parking::retry(const parked& p, std::int64_t now) {
  const auto m = outbox_.load(p.handler, p.lane, p.seq);
  // Where its key waits for it, what was told later has not gone yet; only undoing it matters.
  if (m.event != 0 &&
      later_.query(m.event, m.what.fact.version, p.handler, !p.head && !p.behind).next())
    return dead_fault::undone;
  if (p.head) {
    free_key(p, now);
    return std::nullopt;
  }
  if (p.behind) return dead_fault::behind;
  forget_.run(p.id);
  outgoing again{m.feed, m.subscription, m.what.envelope.late};
  again.job = m.what.job;
  again.alone = true; // a batch that it began once would have the same id, and other messages
  append(p, std::move(again), now, {});
  return std::nullopt;
}

void parking::skip(const parked& p, const dead_order& o, std::int64_t now) {
  const auto m = outbox_.load(p.handler, p.lane, p.seq);
  const auto gap = outbox_.gap_for(m.what, tide::gap_reason::skipped, o.who);
  std::uint64_t seq = p.seq;
  if (p.head || p.behind) {
    outbox_.replace(p.handler, p.lane, p.seq, tide::gap_notice(gap, p.lane, p.seq, now));
    forget_.run(p.id);
    if (p.head) free_key(p, now);
  } else {
    forget_.run(p.id);
    seq = append(p, {}, now, [&](std::int64_t lane, std::uint64_t at) {
      return tide::gap_notice(gap, lane, at, now);
    });
  }
  std::optional<std::int64_t> chain;
  if (p.chain != 0) chain = p.chain;
  insert_gap_.run(now, std::string_view(o.who), chain, gap.from_block, gap.to_block, p.lane, seq,
                  seq, std::string_view(o.reason));
}

dead_done parking::order(const dead_order& o, std::int64_t now) {
  dead_done out;
  auto ids = o.all ? all(o.handler) : o.ids;
  // A key that goes on takes along what stands behind, so what is to be skipped goes from the end.
  if (o.skip) std::reverse(ids.begin(), ids.end());
  for (const std::int64_t id : ids) {
    const auto p = find(id);
    if (!p) {
      // With --all, or a key's first, it went along with an earlier one.
      if (o.all && !o.skip)
        ++out.count;
      else
        out.refused.emplace_back(id, dead_fault::none);
      continue;
    }
    if (o.skip)
      skip(*p, o, now);
    else if (const auto fault = retry(*p, now)) {
      out.refused.emplace_back(id, *fault);
      continue;
    }
    ++out.count;
  }
  return out;
}

} // namespace tidemark::store
