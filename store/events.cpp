// SPDX-License-Identifier: MIT
#include "store/events.hpp"

#include "store/packing.hpp"
#include "tide/stored_log.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

#define EVENT_COLUMNS                                                                              \
  "e.id, e.chain, e.inclusion, e.tx, e.tx_index, e.log_index, e.version, e.status, e.block, "      \
  "i.block_hash, i.digest, e.depth, e.tag"

stored_event read_event(const rows& r) {
  stored_event e;
  e.id = r.i64(0);
  e.chain = r.i64(1);
  e.inclusion = r.i64(2);
  e.tx = r.hash(3);
  e.tx_index = r.u32(4);
  e.log_index = r.i32(5);
  e.version = r.u32(6);
  e.row.status = r.code<tide::status>(7);
  e.row.block = {r.u64(8), r.hash(9)};
  e.row.digest = r.u64(10);
  e.row.asks = {r.u64(11), r.code<tide::tag>(12)};
  return e;
}

} // namespace

#define BACKLOG_COLUMNS "e.block, e.tx_index, e.log_index, e.tx, e.ordinal, i.data, e.id, e.status"
#define BEHIND(status)                                                                             \
  "e.chain = ? AND e.block >= ? AND (e.block, e.tx_index, e.log_index) > (?, ?, ?) AND " status    \
  " ORDER BY e.block, e.tx_index, e.log_index LIMIT ?"

event_table::event_table(ledger& l, key_runs& keys)
    : ledger_(l), keys_(keys),
      by_id_(l.db, "SELECT " EVENT_COLUMNS
                   " FROM events e JOIN inclusions i ON i.id = e.inclusion WHERE e.id = ?"),
      why_(l.db, "SELECT why FROM feed WHERE event = ? AND version = ?"),
      active_(l.db, "SELECT " EVENT_COLUMNS
                    " FROM events e INDEXED BY events_block JOIN inclusions i ON i.id = e.inclusion"
                    " WHERE e.chain = ? AND e.block BETWEEN ? AND ? AND e.status < 2"
                    " ORDER BY e.block, e.tx_index, e.log_index"),
      pending_(l.db,
               "SELECT DISTINCT e.block, i.block_hash, e.depth, e.tag"
               " FROM events e INDEXED BY events_pending JOIN inclusions i ON i.id = e.inclusion"
               " WHERE e.status = 0 AND e.chain = ? AND e.block BETWEEN ? AND ? ORDER BY e.block"),
      blocks_(l.db, "SELECT e.block, i.block_hash, sum(e.status = 1)"
                    " FROM events e INDEXED BY events_block JOIN inclusions i ON i.id = e.inclusion"
                    " WHERE e.chain = ? AND e.status < 2"
                    " GROUP BY e.block, i.block_hash ORDER BY e.block DESC LIMIT ?"),
      backlog_(l.db, "SELECT " BACKLOG_COLUMNS " FROM events e INDEXED BY events_block"
                     " JOIN inclusions i ON i.id = e.inclusion WHERE " BEHIND("e.status < 2")),
      waiting_(l.db, "SELECT " BACKLOG_COLUMNS " FROM events e INDEXED BY events_pending"
                     " JOIN inclusions i ON i.id = e.inclusion WHERE " BEHIND("e.status = 0")),
      having_(l.db, "SELECT n.id FROM names n CROSS JOIN event_subscriptions s"
                    " ON s.subscription = n.id AND s.event = ? WHERE n.kind = 3"),
      update_event_(
          l.db, "UPDATE events SET tx_index = ?, ordinal = ?, block = ?, inclusion = ?, status = ?,"
                " version = ?, depth = ?, tag = ?, address = ? WHERE id = ?"),
      set_status_(l.db,
                  "UPDATE events SET status = ?, version = ?, depth = ?, tag = ? WHERE id = ?"),
      set_asks_(l.db, "UPDATE events SET depth = ?, tag = ? WHERE id = ?"),
      data_(l.db, "SELECT data FROM inclusions WHERE id = ?"),
      amend_(l.db, "INSERT INTO amended (inclusion, version, data) VALUES (?, ?, ?)"),
      insert_subscription_(
          l.db, "INSERT OR IGNORE INTO event_subscriptions (subscription, event) VALUES (?, ?)"),
      clear_subscriptions_(l.db,
                           "DELETE FROM event_subscriptions WHERE event = ?1 AND subscription IN"
                           " (SELECT id FROM names WHERE kind = 3)"),
      replaced_(l.db,
                // The latest; `max` needs no sorter, which would be built for each log.
                "SELECT e.id, max(f.seq) FROM events e INDEXED BY events_undone JOIN feed f ON "
                "f.event = e.id"
                " AND f.version = e.version WHERE e.status = 2 AND e.tx = ? AND e.chain = ?"
                " AND e.ordinal = ? AND e.log_index <> ?"),
      count_(l.db, "SELECT count(*) FROM feed f JOIN inclusions i ON i.id = f.inclusion"
                   " WHERE f.event = ? AND f.status = ? AND i.block_hash = ?"),
      named_(l.db, "SELECT 1 FROM hints WHERE event = ? LIMIT 1"),
      new_events_(l.db, "INSERT INTO events (id, chain, tx, tx_index, log_index, ordinal, block,"
                        " inclusion, status, version, depth, tag, first_seen, address)"),
      new_subscriptions_(l.db, "INSERT OR IGNORE INTO event_subscriptions (subscription, event)"),
      new_inclusions_(l.db, "INSERT INTO inclusions (id, event, block, block_hash, time, ordinal,"
                            " digest, replaces, data)"),
      new_facts_(l.db,
                 "INSERT INTO feed (seq, event, inclusion, version, status, why, n, head, at)") {}

void event_table::write_new() {
  new_events_.write();
  new_subscriptions_.write();
  new_inclusions_.write();
  new_facts_.write();
}

void event_table::forget_new() {
  new_events_.forget();
  new_subscriptions_.forget();
  new_inclusions_.forget();
  new_facts_.forget();
}

std::optional<stored_event> event_table::find(std::int64_t chain, const evm::hash32& tx,
                                              std::int32_t log_index) {
  for (const std::int64_t id : keys_.find(tx_key(tx), log_index)) {
    write_new();
    rows r = by_id_.query(id);
    if (!r.next()) continue;
    stored_event e = read_event(r);
    if (e.chain != chain || e.tx != tx || e.log_index != log_index) continue;
    if (e.row.status == tide::status::rolled_back) {
      rows last = why_.query(e.id, e.version);
      if (last.next()) e.row.undone = last.code<tide::why>(0);
    }
    return e;
  }
  return std::nullopt;
}

std::vector<stored_event> event_table::active(std::int64_t chain, std::uint64_t from,
                                              std::uint64_t to) {
  write_new();
  std::vector<stored_event> found;
  for (rows r = active_.query(chain, from, to); r.next();)
    found.push_back(read_event(r));
  return found;
}

std::vector<tide::ripening>
event_table::pending(std::int64_t chain, std::optional<std::uint64_t> above, std::uint64_t to) {
  write_new();
  std::vector<tide::ripening> found;
  for (rows r = pending_.query(chain, above ? *above + 1 : 0, to); r.next();)
    found.push_back({{r.u64(0), r.hash(1)}, {r.u64(2), r.code<tide::tag>(3)}});
  return found;
}

std::vector<backlog_event> event_table::backlog(std::int64_t chain, std::uint64_t from_block,
                                                const std::optional<backlog_place>& after,
                                                std::size_t limit, backlog_of what) {
  write_new();
  std::vector<backlog_event> found;
  auto& events = what == backlog_of::all ? backlog_ : waiting_;
  const std::uint64_t from = after ? after->block : from_block;
  const std::int64_t block = after ? static_cast<std::int64_t>(after->block) : -1;
  for (rows r = events.query(chain, from, block, after ? after->tx_index : 0,
                             after ? after->log_index : -2, limit);
       r.next();) {
    backlog_event& e = found.emplace_back();
    e.place = {r.u64(0), r.u32(1), r.i32(2)};
    e.tx = r.hash(3);
    if (!r.null(4)) e.ordinal = r.u32(4);
    e.data = unpack(r.text(5));
    e.subscriptions = subscriptions_of(r.i64(6));
    e.status = r.code<tide::status>(7);
  }
  return found;
}

std::vector<tide::event_block> event_table::blocks_from_the_top(std::int64_t chain,
                                                                std::size_t limit) {
  write_new();
  std::vector<tide::event_block> found;
  for (rows r = blocks_.query(chain, limit); r.next();)
    found.push_back({{r.u64(0), r.hash(1)}, r.u32(2)});
  return found;
}

std::optional<std::int64_t> event_table::replaced(std::int64_t chain, const tide::sighting& log) {
  if (!log.ordinal) return std::nullopt;
  rows r = replaced_.query(log.tx, chain, *log.ordinal, log.log_index);
  return r.next() && !r.null(0) ? std::optional(r.i64(0)) : std::nullopt;
}

stored_event event_table::add_event(std::int64_t chain, const tide::sighting& log,
                                    tide::status to) {
  stored_event e;
  e.id = ++ledger_.last.event;
  e.chain = chain;
  e.tx = log.tx;
  e.log_index = log.log_index;
  e.version = 1;
  e.inclusion = ledger_.last.inclusion;
  const std::int64_t origin = ledger_.names.id(tide::name_kind::origin, log.origin);
  new_events_.add(e.id, chain, log.tx, log.tx_index, log.log_index, log.ordinal, log.block.number,
                  e.inclusion, to, e.version, log.asks.blocks, log.asks.at_least, origin,
                  log.address);
  for (const std::string& s : log.subscriptions)
    new_subscriptions_.add(ledger_.names.id(tide::name_kind::subscription, s), e.id);
  keys_.add(tx_key(log.tx), log.log_index, e.id);
  return e;
}

void event_table::update_event(stored_event& e, const tide::sighting& log, tide::status to) {
  e.inclusion = ledger_.last.inclusion;
  ++e.version;
  update_event_.run(log.tx_index, log.ordinal, log.block.number, e.inclusion, to, e.version,
                    log.asks.blocks, log.asks.at_least, log.address, e.id);
  clear_subscriptions_.run(e.id);
  note(e, log.subscriptions);
}

stored_event event_table::open(std::int64_t chain, const std::optional<stored_event>& prior,
                               const tide::sighting& log, tide::status to,
                               std::optional<std::int64_t> replaces, const decision& d) {
  ++ledger_.last.inclusion;
  stored_event e = prior ? *prior : add_event(chain, log, to);
  if (prior) update_event(e, log, to);
  e.tx_index = log.tx_index;
  e.row = {to, log.block, log.digest, log.asks, tide::why::none};
  new_inclusions_.add(e.inclusion, e.id, log.block.number, log.block.hash, log.time, log.ordinal,
                      log.digest, replaces, owned_blob{pack(log.data)});
  add_fact(e, tide::why::none, d);
  return e;
}

void event_table::confirm(stored_event& e, const tide::needs& asks, const decision& d) {
  write_new();
  e.row.status = tide::status::confirmed;
  e.row.asks = asks;
  ++e.version;
  set_status_.run(e.row.status, e.version, asks.blocks, asks.at_least, e.id);
  add_fact(e, tide::why::none, d);
}

void event_table::amend(const stored_event& e, const std::string& read) {
  const std::string packed = pack(read);
  rows r = data_.query(e.inclusion);
  if (!r.next() || r.text(0) == packed) return;
  if (const auto more = tide::amended(unpack(r.text(0)), unpack(packed)))
    amend_.run(e.inclusion, e.version, blob{pack(*more)});
}

void event_table::roll_back(stored_event& e, tide::why why, const decision& d) {
  write_new();
  e.row.status = tide::status::rolled_back;
  e.row.undone = why;
  ++e.version;
  set_status_.run(e.row.status, e.version, e.row.asks.blocks, e.row.asks.at_least, e.id);
  add_fact(e, why, d);
}

void event_table::ask_more(stored_event& e, const tide::needs& asks) {
  write_new();
  e.row.asks = asks;
  set_asks_.run(asks.blocks, asks.at_least, e.id);
}

std::vector<std::string> event_table::note(const stored_event& e,
                                           const std::vector<std::string>& subscriptions) {
  write_new();
  std::vector<std::string> fresh;
  for (const std::string& s : subscriptions) {
    insert_subscription_.run(ledger_.names.id(tide::name_kind::subscription, s), e.id);
    if (sqlite3_changes(ledger_.db.handle()) != 0) fresh.push_back(s);
  }
  return fresh;
}

std::vector<std::string> event_table::subscriptions_of(std::int64_t event) {
  write_new();
  std::vector<std::string> found;
  for (rows r = having_.query(event); r.next();)
    found.push_back(ledger_.names.text(r.i64(0)));
  return found;
}

void event_table::add_fact(const stored_event& e, tide::why why, const decision& d) {
  const bool is_new = e.version == 1;
  std::uint32_t n = 1;
  if (e.version > 2) { // before that no state can have come twice
    rows r = count_.query(e.id, e.row.status, e.row.block.hash);
    if (r.next()) n = r.u32(0) + 1;
  }
  new_facts_.add(++ledger_.last.feed, e.id, e.inclusion, e.version, e.row.status, why, n, d.head,
                 d.at);
  if (!is_new) write_new();
  ledger_.bells.feed();
  if (const chain_entry* c = ledger_.chains.by_row(e.chain)) {
    ++ledger_.did.facts[{c->chain_id, e.row.status}];
    const bool confirmed = e.row.status == tide::status::confirmed;
    if (confirmed && (is_new || !named(e))) ++ledger_.did.unnamed[c->chain_id];
  }
}

/// Did a webhook name this event? None can have named one that was not there.
bool event_table::named(const stored_event& e) {
  rows r = named_.query(e.id);
  return r.next();
}

} // namespace tidemark::store
