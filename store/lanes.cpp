// SPDX-License-Identifier: MIT
#include "store/lanes.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

std::string name_of(std::int64_t handler, std::uint32_t epoch, std::string_view key) {
  return std::to_string(handler) + '\n' + std::to_string(epoch) + '\n' + std::string(key);
}

} // namespace

lane_book::lane_book(ledger& l)
    : ledger_(l), find_(l.db, "SELECT id, chain, head, next, held, state FROM lanes"
                              " WHERE handler = ? AND key = ? AND epoch = ? AND job = 0"),
      load_(l.db, "SELECT handler, chain, head, next, held, key, epoch, state FROM lanes"
                  " WHERE id = ?"),
      insert_(l.db,
              "INSERT INTO lanes (id, handler, key, epoch, chain, state, head, next, held, tries,"
              " since, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)"),
      set_next_(l.db, "UPDATE lanes SET next = ?, held = ? WHERE id = ?"),
      wake_(
          l.db,
          "UPDATE lanes SET next = ?, held = ?, state = ?, tries = 0, age = 0, since = ?, due = ? "
          "WHERE id = ?"),
      full_(l.db,
            "UPDATE lanes SET due = ?1 WHERE id = ?2 AND state = 1 AND tries = 0 AND due > ?1"),
      insert_message_(l.db,
                      "INSERT INTO outbox (lane, seq, feed, subscription, instance, late, most,"
                      " job, alone, notice) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_parked_(l.db, "INSERT INTO parked (lane, seq, tries, at, behind)"
                           " VALUES (?, ?, 0, ?, 1)"),
      insert_waiting_(l.db, "INSERT INTO waiting (lane, late, block, tx_index, log_index, event,"
                            " subscription, feed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      delete_waiting_(l.db, "DELETE FROM waiting WHERE lane = ? AND late = ? AND block = ?"
                            " AND tx_index = ? AND log_index = ? AND event = ?"),
      places_(l.db, "SELECT lane, late, subscription FROM waiting WHERE event = ?"),
      front_(l.db,
             "SELECT block, tx_index, log_index, event, subscription, feed FROM waiting"
             " WHERE lane = ? AND late = 0 ORDER BY block, tx_index, log_index, event LIMIT ?"),
      conclude_(l.db, "UPDATE waiting SET feed = ? WHERE event = ? AND late = 0"),
      told_(l.db, "SELECT o.lane, o.subscription FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
                  " WHERE f.event = ? AND f.inclusion = ? AND f.version < ? AND o.untold = 0"
                  " ORDER BY f.version DESC"),
      facts_(l.db, "SELECT seq, status FROM feed WHERE event = ? AND inclusion = ? AND status < 2"
                   " ORDER BY version"),
      unread_(
          l.db,
          "SELECT 1 FROM backfills b WHERE b.chain = ?1 AND b.subscription = ?2"
          " AND ?4 BETWEEN b.at AND b.to_block AND NOT EXISTS (SELECT 1 FROM event_subscriptions s"
          " WHERE s.subscription = ?2 AND s.event = ?3)"),
      known_(l.db, "SELECT 1 FROM feed f CROSS JOIN outbox o ON o.feed = f.seq"
                   " CROSS JOIN lanes l ON l.id = o.lane WHERE f.event = ?1 AND f.inclusion = ?2"
                   " AND l.handler = ?3 UNION ALL SELECT 1 FROM waiting w"
                   " CROSS JOIN lanes l ON l.id = w.lane WHERE w.event = ?1 AND l.handler = ?3"
                   " LIMIT 1") {}

void lane_book::start(std::int64_t now, bool in_order) {
  now_ = now;
  in_order_ = in_order;
  by_key_.clear();
  by_id_.clear();
  lanes_.clear();
  concluded_.clear();
}

lane& lane_book::remember(lane l) {
  lane& kept = lanes_.emplace_back(std::move(l));
  by_key_.emplace(name_of(kept.handler, kept.epoch, kept.key), &kept);
  by_id_.emplace(kept.id, &kept);
  return kept;
}

lane& lane_book::by_key(const tide::route& route, std::int64_t chain) {
  return open(ledger_.names.id(tide::name_kind::handler, route.handler), route.key, chain);
}

lane& lane_book::open(std::int64_t handler, std::string_view key, std::int64_t chain,
                      std::optional<std::uint32_t> epoch) {
  const std::uint32_t in = epoch.value_or(ledger_.handler(handler).epoch);
  const auto known = by_key_.find(name_of(handler, in, key));
  if (known != by_key_.end()) return *known->second;
  lane l;
  l.handler = handler;
  l.key = key;
  l.epoch = in;
  if (rows r = find_.query(handler, key, in); r.next()) {
    l.id = r.i64(0);
    l.chain = r.i64(1);
    l.head = r.u64(2);
    l.next = r.u64(3);
    l.held = r.u64(4);
    l.parked = r.code<tide::message_state>(5) == tide::message_state::parked;
  } else {
    l.id = ++ledger_.last.lane;
    l.chain = chain;
    l.fresh = l.changed = true;
  }
  return remember(std::move(l));
}

lane& lane_book::by_id(std::int64_t id) {
  if (const auto known = by_id_.find(id); known != by_id_.end()) return *known->second;
  rows r = load_.query(id);
  if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a message's lane is not there");
  lane l;
  l.id = id;
  l.handler = r.i64(0);
  l.chain = r.i64(1);
  l.head = r.u64(2);
  l.next = r.u64(3);
  l.held = r.u64(4);
  l.key = r.text(5);
  l.epoch = r.u32(6);
  l.parked = r.code<tide::message_state>(7) == tide::message_state::parked;
  return remember(std::move(l));
}

void lane_book::send(lane& l, std::int64_t feed, std::int64_t subscription, bool late) {
  append(l, {feed, subscription, late});
}

void lane_book::append(lane& l, const outgoing& o) {
  if (l.head == l.next) l.woken = true;
  l.changed = true;
  const std::int64_t instance = ledger_.names.id(tide::name_kind::instance, ledger_.instance);
  std::string row;
  if (o.notice) {
    row = tide::to_row(*o.notice);
    ledger_.count_gap(l.handler, *o.notice);
  }
  insert_message_.run(l.id, l.next, o.feed, o.subscription, instance, o.late,
                      ledger_.settings_of(l.handler).max_message, o.job, o.alone,
                      o.notice ? std::optional(std::string_view(row)) : std::nullopt);
  if (l.parked) insert_parked_.run(l.id, l.next, now_);
  ++l.next;
}

void lane_book::hold(lane& l, const stored_event& e, std::int64_t subscription, bool late,
                     std::optional<std::int64_t> feed) {
  ++l.held;
  l.changed = true;
  insert_waiting_.run(l.id, late, e.row.block.number, e.tx_index, e.log_index, e.id, subscription,
                      feed);
}

void lane_book::leave(lane& l, const stored_event& e, bool late) {
  --l.held;
  l.changed = true;
  delete_waiting_.run(l.id, late, e.row.block.number, e.tx_index, e.log_index, e.id);
}

std::vector<lane_book::place> lane_book::places_of(std::int64_t event) {
  std::vector<place> found;
  for (rows r = places_.query(event); r.next();)
    found.push_back({r.i64(0), r.i64(1) != 0, r.i64(2)});
  return found;
}

bool lane_book::too_early(const tide::route& route, const stored_event& e) {
  const auto handler = ledger_.names.id(tide::name_kind::handler, route.handler);
  const chain_entry* c = ledger_.chains.by_row(e.chain);
  return c && ledger_.before_start(handler, c->chain_id, e.row.block.number);
}

void lane_book::told_pending(const stored_event& e, std::span<const tide::route> routes,
                             bool late) {
  for (const tide::route& route : routes) {
    const tide::dispatch d = tide::dispatch_fact(tide::status::pending, route, late, false);
    if ((!d.send && !d.hold) || too_early(route, e)) continue;
    lane& l = by_key(route, e.chain);
    const std::int64_t about = ledger_.names.id(tide::name_kind::subscription, route.subscription);
    if (d.send) send(l, ledger_.last.feed, about, late);
    if (d.hold) hold(l, e, about, late, std::nullopt);
  }
}

void lane_book::told_confirmed(const stored_event& e, std::span<const tide::route> routes,
                               bool late, bool is_new) {
  const std::int64_t feed = ledger_.last.feed;
  std::vector<std::int64_t> has_place;
  const auto places = is_new ? std::vector<place>() : places_of(e.id);
  for (const place& p : places) {
    lane& l = by_id(p.lane);
    has_place.push_back(l.handler);
    if (p.late) {
      leave(l, e, true);
      send(l, feed, p.subscription, true);
    } else {
      l.loosened = true;
      conclusion& c = concluded_[e.id];
      c.feed = feed;
      ++c.places;
    }
  }
  for (const tide::route& route : routes) {
    const std::int64_t handler = ledger_.names.id(tide::name_kind::handler, route.handler);
    if (std::find(has_place.begin(), has_place.end(), handler) != has_place.end()) continue;
    if (!route.confirmed || too_early(route, e)) continue;
    lane& l = by_key(route, e.chain);
    const tide::dispatch d =
        tide::dispatch_fact(tide::status::confirmed, route, late, l.held > 0 || !in_order_);
    const std::int64_t about = ledger_.names.id(tide::name_kind::subscription, route.subscription);
    if (d.send) send(l, feed, about, late);
    if (d.hold) hold(l, e, about, false, feed);
    l.loosened = l.loosened || d.hold;
  }
}

bool lane_book::goes(const lane& l) const {
  const chain_entry* c = ledger_.chains.by_row(l.chain);
  if (c && c->halted) return false;
  return l.key.empty() || l.epoch <= ledger_.handler(l.handler).announced;
}

void lane_book::write(lane& l) {
  using state = tide::message_state;
  const auto due = due_of(l);
  if (l.fresh)
    insert_.run(l.id, l.handler, std::string_view(l.key), l.epoch, l.chain,
                l.woken ? state::queued : state::delivered, l.head, l.next, l.held, now_, due);
  else if (l.woken)
    wake_.run(l.next, l.held, state::queued, now_, due, l.id);
  else
    set_next_.run(l.next, l.held, l.id);
  // A batch that lingers is full.
  const std::uint64_t batch = ledger_.settings_of(l.handler).batch;
  const bool full = !l.woken && batch > 1 && l.next - l.head >= batch;
  if (full) full_.run(now_, l.id);
  if (l.woken || full) ledger_.bells.handler(l.handler);
}

void lane_book::finish() {
  for (lane& l : lanes_)
    if (l.loosened && l.held > 0) release(l);
  for (const auto& [event, c] : concluded_)
    if (c.places > 0) conclude_.run(c.feed, event);
  for (lane& l : lanes_)
    if (l.changed) write(l);
}

} // namespace tidemark::store
