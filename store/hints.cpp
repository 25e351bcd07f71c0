// SPDX-License-Identifier: MIT
#include "store/hints.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

using tide::hint_state;

constexpr std::int64_t lease_ms = 60'000;

} // namespace

hint_queue::hint_queue(ledger& l, event_table& events, source_quality& quality)
    : ledger_(l), events_(events), quality_(quality),
      raw_again_(l.db, "SELECT w.id, w.source, w.at, w.headers, w.body FROM again a"
                       " CROSS JOIN webhooks w ON w.id = a.webhook WHERE a.webhook > ?"
                       " ORDER BY a.webhook LIMIT ?"),
      raw_new_(
          l.db,
          "SELECT id, source, at, headers, body FROM webhooks WHERE id > ? ORDER BY id LIMIT ?"),
      clear_hints_(l.db, "DELETE FROM hints WHERE webhook = ?"),
      clear_again_(l.db, "DELETE FROM again WHERE webhook = ?"),
      insert_hint_(l.db,
                   "INSERT INTO hints (webhook, n, chain, tx, block, block_hash, log_index, state,"
                   " event, tries, looks_ms, due, takes_back)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)"),
      put_intake_(
          l.db,
          "INSERT INTO intake (webhook, state, hints, seen, last_at)"
          " SELECT id, ?2, ?3, 1, at FROM webhooks WHERE id = ?1"
          " ON CONFLICT (webhook) DO UPDATE SET state = excluded.state, hints = excluded.hints"),
      set_cursor_(l.db, "INSERT INTO cursors (name, at) VALUES ('intake', ?1)"
                        " ON CONFLICT (name) DO UPDATE SET at = ?1"),
      due_(l.db, "SELECT webhook, n, tx, block, block_hash, log_index, tries, looks_ms FROM hints"
                 " WHERE chain = ? AND due <= ? ORDER BY due LIMIT ?"),
      next_due_(l.db,
                "SELECT due FROM hints WHERE chain = ? AND due IS NOT NULL ORDER BY due LIMIT 1"),
      lease_(l.db, "UPDATE hints SET due = ?, tries = tries + 1 WHERE webhook = ? AND n = ?"),
      source_(l.db, "SELECT source FROM webhooks WHERE id = ?"),
      came_(l.db, "SELECT source, at FROM webhooks WHERE id = ?"),
      seen_at_(l.db, "SELECT at FROM feed WHERE event = ? ORDER BY version LIMIT 1"),
      put_again_(l.db, "INSERT OR IGNORE INTO again (webhook) VALUES (?)"),
      reopen_(l.db, "UPDATE hints SET due = NULL WHERE webhook = ?"),
      settle_(l.db, "UPDATE hints SET state = ?, event = ?, due = ?, looks_ms = ?"
                    " WHERE webhook = ? AND n = ? AND chain = ?"),
      takes_back_(l.db, "SELECT takes_back FROM hints WHERE webhook = ? AND n = ?"),
      least_state_(l.db, "SELECT min(state) FROM hints WHERE webhook = ?"),
      state_(l.db, "SELECT state FROM intake WHERE webhook = ?"),
      set_state_(l.db, "UPDATE intake SET state = ? WHERE webhook = ?"),
      count_false_(l.db, "UPDATE sources SET not_found = not_found + ?"
                         " WHERE source = (SELECT source FROM webhooks WHERE id = ?)") {}

void hint_queue::read_raw(statement& s, std::int64_t from, std::size_t max_rows,
                          std::size_t max_bytes, std::vector<raw_webhook>& found) {
  std::size_t bytes = 0;
  for (const raw_webhook& w : found)
    bytes += w.headers.size() + w.body.size();
  for (rows r = s.query(from, max_rows - found.size()); r.next();) {
    const std::size_t size = r.text(3).size() + r.text(4).size();
    if (!found.empty() && bytes + size > max_bytes) return;
    bytes += size;
    found.push_back({r.i64(0), ledger_.names.text(r.i64(1)), r.i64(2), std::string(r.text(3)),
                     std::string(r.text(4))});
  }
}

std::vector<raw_webhook> hint_queue::untaken(std::size_t max_rows, std::size_t max_bytes) {
  std::vector<raw_webhook> found;
  max_rows = std::max<std::size_t>(max_rows, 1);
  read_raw(raw_again_, 0, max_rows, max_bytes, found);
  if (found.size() < max_rows) read_raw(raw_new_, ledger_.last.taken, max_rows, max_bytes, found);
  return found;
}

hint_state hint_queue::put_hint(std::int64_t webhook, std::uint32_t n, const hint_in& h,
                                std::int64_t now, bool again) {
  std::optional<std::int64_t> chain, event, due;
  hint_state state = hint_state::unroutable;
  if (h.chain_id) {
    const chain_entry* known = ledger_.chains.by_id(*h.chain_id);
    chain = known ? known->chain : ledger_.chains.make(*h.chain_id).chain;
    state = hint_state::received;
    if (h.tx && h.log_index && !h.takes_back) {
      const auto held = events_.find(*chain, *h.tx, static_cast<std::int32_t>(*h.log_index));
      if (held && held->row.status != tide::status::rolled_back) {
        state = hint_state::verified;
        event = held->id;
      }
    }
    if (state == hint_state::received) {
      due = now;
      ledger_.bells.hints(*h.chain_id);
    }
  }
  insert_hint_.run(webhook, n, chain, h.tx, h.block, h.block_hash, h.log_index, state, event, due,
                   h.takes_back);
  if (event && !again) quality_.named(*event, webhook, n);
  if (!due) settled(webhook, state, event);
  return state;
}

void hint_queue::put(std::span<const extracted> webhooks, std::int64_t now) {
  for (const extracted& w : webhooks) {
    const bool was_read = w.webhook <= ledger_.last.taken;
    if (was_read) {
      clear_hints_.run(w.webhook);
      clear_again_.run(w.webhook);
    }
    hint_state state = w.hints.empty() ? w.state_if_no_hints : hint_state::unparsed;
    if (w.hints.empty()) settled(w.webhook, state, std::nullopt);
    for (std::uint32_t n = 0; n < w.hints.size(); ++n)
      state = std::min(state, put_hint(w.webhook, n, w.hints[n], now, was_read));
    if (was_read) set_state(w.webhook, state);
    put_intake_.run(w.webhook, state, w.hints.size());
    ledger_.last.taken = std::max(ledger_.last.taken, w.webhook);
  }
  set_cursor_.run(ledger_.last.taken);
}

hint_batch hint_queue::take(std::uint64_t chain_id, std::int64_t now, std::size_t limit) {
  hint_batch batch;
  const chain_entry* c = ledger_.chains.by_id(chain_id);
  if (!c) return batch;
  for (rows r = due_.query(c->chain, now, limit); r.next();) {
    tide::chain_hint& h = batch.hints.emplace_back();
    h.webhook = r.i64(0);
    h.n = r.u32(1);
    h.tx = r.maybe_hash(2);
    h.block = r.maybe_u64(3);
    h.block_hash = r.maybe_hash(4);
    if (!r.null(5)) h.log_index = r.u32(5);
    h.tries = r.u32(6);
    h.looks_ms = r.u32(7);
  }
  for (tide::chain_hint& h : batch.hints) {
    lease_.run(now + lease_ms, h.webhook, h.n);
    rows r = source_.query(h.webhook);
    if (r.next()) h.source = ledger_.names.text(r.i64(0));
  }
  rows r = next_due_.query(c->chain);
  if (r.next()) batch.next_due = r.i64(0);
  return batch;
}

std::uint64_t hint_queue::again(std::span<const std::int64_t> webhooks) {
  std::uint64_t count = 0;
  for (const std::int64_t id : webhooks) {
    {
      rows r = source_.query(id);
      if (!r.next()) continue;
    }
    ++count;
    if (id > ledger_.last.taken) continue; // it is still to be read
    put_again_.run(id);
    reopen_.run(id);
    set_state(id, hint_state::received);
    ledger_.bells.webhooks();
  }
  return count;
}

void hint_queue::set_state(std::int64_t webhook, hint_state to) {
  hint_state from = hint_state::received;
  {
    rows r = state_.query(webhook);
    if (!r.next()) return;
    from = r.code<hint_state>(0);
  }
  if (from == to) return;
  set_state_.run(to, webhook);
  const int change = (to == hint_state::not_found) - (from == hint_state::not_found);
  if (change != 0) count_false_.run(change, webhook);
}

/// For the metrics: what became of a hint, and how early it was.
void hint_queue::settled(std::int64_t webhook, hint_state state,
                         const std::optional<std::int64_t>& event) {
  std::string source;
  std::int64_t came = 0;
  {
    rows r = came_.query(webhook);
    if (!r.next()) return;
    source = ledger_.names.text(r.i64(0));
    came = r.i64(1);
  }
  ++ledger_.did.hints[{source, state}];
  if (state != hint_state::verified || !event) return;
  rows r = seen_at_.query(*event);
  if (r.next()) ledger_.did.leads.emplace_back(source, std::max<std::int64_t>(r.i64(0) - came, 0));
}

void hint_queue::settle(std::int64_t chain, const tide::hint_verdict& v) {
  std::optional<std::int64_t> event;
  if (v.event)
    if (const auto e = events_.find(chain, v.event->tx, v.event->log_index)) event = e->id;
  auto to = v.state;
  // A sender that says so of what is not there says the truth.
  if (to == hint_state::not_found)
    if (rows r = takes_back_.query(v.webhook, v.n); r.next() && r.i64(0) != 0)
      to = hint_state::irrelevant;
  settle_.run(to, event, v.due, v.looks_ms, v.webhook, v.n, chain);
  // Hints that were read again meanwhile are other hints: nothing is settled.
  if (sqlite3_changes(ledger_.db.handle()) == 0) return;
  if (event && to == hint_state::verified) quality_.named(*event, v.webhook, v.n);
  if (!v.due) settled(v.webhook, to, event);
  hint_state least = to;
  if (rows r = least_state_.query(v.webhook); r.next()) least = r.code<hint_state>(0);
  set_state(v.webhook, least);
}

} // namespace tidemark::store
