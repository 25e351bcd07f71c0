// SPDX-License-Identifier: MIT
#include "store/outbox.hpp"

#include "store/facts.hpp"
#include "store/packing.hpp"

namespace tidemark::store {

outbox::outbox(ledger& l)
    : ledger_(l),
      row_(l.db, "SELECT o.feed, o.subscription, o.instance, o.late, o.most, o.notice,"
                 " l.key, l.epoch, l.since, o.job, o.alone FROM outbox o CROSS JOIN lanes l"
                 " ON l.id = o.lane WHERE o.lane = ? AND o.seq = ?"),
      fact_(l.db, "SELECT " TIDEMARK_FACT_COLUMNS ", f.event, " TIDEMARK_FACT_DATA
                  " FROM " TIDEMARK_FACT_TABLES " WHERE f.seq = ?"),
      undoes_(l.db,
              "SELECT f.status, f.n, i.block_hash, o.job, f.version FROM feed f"
              " CROSS JOIN outbox o ON o.feed = f.seq CROSS JOIN lanes l ON l.id = o.lane"
              " CROSS JOIN inclusions i ON i.id = f.inclusion WHERE f.event = ?1"
              " AND f.version < ?2 AND l.handler = ?3 AND o.untold = 0"
              " AND f.inclusion = (SELECT inclusion FROM feed WHERE event = ?1 AND version = ?2)"
              " AND (o.job = 0 OR o.lane = ?4 AND o.seq < ?5) ORDER BY f.version DESC"),
      replace_(l.db, "UPDATE outbox SET notice = ? WHERE lane = ? AND seq = ?"),
      expire_(l.db, "UPDATE outbox SET untold = NOT EXISTS (SELECT 1 FROM attempts a"
                    " WHERE a.feed = outbox.feed AND a.lane = outbox.lane AND a.seq = outbox.seq"
                    " AND a.http IS NULL) WHERE lane = ? AND seq = ?") {}

outbox::loaded outbox::load(std::int64_t handler, std::int64_t lane, std::uint64_t seq) {
  loaded found;
  message& m = found.what;
  {
    rows r = row_.query(lane, seq);
    if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a lane's message is not there");
    found.feed = r.null(0) ? 0 : r.i64(0);
    found.subscription = r.null(1) ? 0 : r.i64(1);
    m.envelope.instance = ledger_.names.text(r.i64(2));
    m.envelope.late = r.i64(3) != 0;
    m.envelope.max_bytes = r.u64(4);
    if (!r.null(5)) m.notice = tide::notice_of_row(r.text(5));
    m.envelope.key = r.text(6);
    m.envelope.epoch = r.u32(7);
    m.since = r.i64(8);
    m.job = r.i64(9);
    found.alone = r.i64(10) != 0;
  }
  m.lane = lane;
  m.seq = seq;
  m.envelope.sequence = seq;
  m.envelope.handler = ledger_.names.text(handler);
  if (found.subscription != 0) m.envelope.subscription = ledger_.names.text(found.subscription);
  if (found.feed == 0) {
    if (!m.notice) throw sql_error(SQLITE_CORRUPT, "a message is about nothing");
    return found;
  }
  {
    rows r = fact_.query(found.feed);
    if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a message's fact is not there");
    m.fact = read_fact(r);
    found.event = r.i64(fact_columns);
    m.fact.data = unpack(r.text(fact_columns + 1));
  }
  if (m.job != 0) m.envelope.renamed = sent_id(m.fact, m.job);
  if (m.fact.status == tide::status::rolled_back) {
    // Of copies, the last that stands before it in its lane: what comes later must not change its
    // bytes.
    std::int64_t job = -1;
    std::uint64_t version = 0;
    for (rows r = undoes_.query(found.event, m.fact.version, handler, lane, seq); r.next();) {
      if (job >= 0 && r.u64(4) != version) break;
      version = r.u64(4);
      if (r.i64(3) <= job) continue;
      job = r.i64(3);
      m.fact.undoes = id_beside(m.fact, r) + renaming(job);
    }
  }
  return found;
}

void outbox::replace(std::int64_t handler, std::int64_t lane, std::uint64_t seq,
                     const tide::notice& n) {
  ledger_.count_gap(handler, n);
  replace_.run(std::string_view(tide::to_row(n)), lane, seq);
}

void outbox::expire(std::int64_t handler, loaded& m, std::int64_t now) {
  message& what = m.what;
  const auto gap = gap_for(what, tide::gap_reason::expired, "tidemark");
  what.notice = tide::gap_notice(gap, what.lane, what.seq, now);
  replace(handler, what.lane, what.seq, *what.notice);
  expire_.run(what.lane, what.seq);
}

tide::gap outbox::gap_for(const message& m, tide::gap_reason why, std::string_view by) const {
  tide::gap g;
  g.reason = why;
  g.count = 1;
  g.ids.push_back(m.fact.seq != 0 ? sent_id(m.fact, m.job) : message_id(m));
  g.by = by;
  if (m.fact.seq == 0) return g;
  g.chain = ledger_.chain_name(m.fact.chain_id);
  g.from_block = g.to_block = m.fact.block.number;
  return g;
}

} // namespace tidemark::store
