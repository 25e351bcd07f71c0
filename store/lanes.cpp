// SPDX-License-Identifier: MIT
#include "store/lanes.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

constexpr std::size_t released_at_once = 64;

} // namespace

lane_book::lane_book(ledger& l)
    : ledger_(l), find_(l.db, "SELECT id, chain, head, next, held FROM lanes"
                              " WHERE handler = ? AND key = ? AND epoch = ?"),
      load_(l.db, "SELECT handler, chain, head, next, held, key, epoch FROM lanes WHERE id = ?"),
      insert_(l.db,
              "INSERT INTO lanes (id, handler, key, epoch, chain, state, head, next, held, tries,"
              " since, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)"),
      set_next_(l.db, "UPDATE lanes SET next = ?, held = ? WHERE id = ?"),
      wake_(l.db, "UPDATE lanes SET next = ?, held = ?, state = ?, tries = 0, since = ?, due = ? "
                  "WHERE id = ?"),
      insert_message_(l.db, "INSERT INTO outbox (lane, seq, feed, subscription, instance, late)"
                            " VALUES (?, ?, ?, ?, ?, ?)"),
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
                  " WHERE f.event = ? AND f.inclusion = ? AND f.version < ?"
                  " ORDER BY f.version DESC") {}

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
  by_key_.emplace(std::to_string(kept.handler) + '\n' + kept.key, &kept);
  by_id_.emplace(kept.id, &kept);
  return kept;
}

lane& lane_book::by_key(const tide::route& route, std::int64_t chain) {
  const std::int64_t handler = ledger_.names.id(tide::name_kind::handler, route.handler);
  const auto known = by_key_.find(std::to_string(handler) + '\n' + route.key);
  if (known != by_key_.end()) return *known->second;
  lane l;
  l.handler = handler;
  l.key = route.key;
  l.epoch = ledger_.handler(handler).epoch;
  if (rows r = find_.query(handler, std::string_view(route.key), l.epoch); r.next()) {
    l.id = r.i64(0);
    l.chain = r.i64(1);
    l.head = r.u64(2);
    l.next = r.u64(3);
    l.held = r.u64(4);
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
  return remember(std::move(l));
}

void lane_book::send(lane& l, std::int64_t feed, std::int64_t subscription, bool late) {
  if (l.head == l.next) l.woken = true;
  l.changed = true;
  const std::int64_t instance = ledger_.names.id(tide::name_kind::instance, ledger_.instance);
  insert_message_.run(l.id, l.next++, feed, subscription, instance, late);
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

void lane_book::told_pending(const stored_event& e, std::span<const tide::route> routes,
                             bool late) {
  for (const tide::route& route : routes) {
    const tide::dispatch d = tide::dispatch_fact(tide::status::pending, route, late, false);
    if (!d.send && !d.hold) continue;
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
    if (!route.confirmed) continue;
    lane& l = by_key(route, e.chain);
    const tide::dispatch d =
        tide::dispatch_fact(tide::status::confirmed, route, late, l.held > 0 || !in_order_);
    const std::int64_t about = ledger_.names.id(tide::name_kind::subscription, route.subscription);
    if (d.send) send(l, feed, about, late);
    if (d.hold) hold(l, e, about, false, feed);
    l.loosened = l.loosened || d.hold;
  }
}

void lane_book::told_rolled_back(const stored_event& e) {
  const std::int64_t feed = ledger_.last.feed;
  for (const place& p : places_of(e.id)) {
    lane& l = by_id(p.lane);
    leave(l, e, p.late);
    l.loosened = true;
  }
  concluded_.erase(e.id);
  std::vector<tide::told_message> told;
  for (rows r = told_.query(e.id, e.inclusion, e.version); r.next();)
    told.push_back({0, r.i64(0), r.i64(1)});
  for (tide::told_message& m : told)
    m.handler = by_id(m.lane).handler;
  for (const tide::told_message& m : tide::taken_back(told))
    send(by_id(m.lane), feed, m.subscription, false);
}

void lane_book::release(lane& l) {
  struct held {
    stored_event event;
    std::int64_t subscription = 0, feed = 0;
  };
  for (;;) {
    std::vector<held> front;
    std::vector<tide::held_message> states;
    for (rows r = front_.query(l.id, released_at_once); r.next();) {
      held h;
      h.event.row.block.number = r.u64(0);
      h.event.tx_index = r.u32(1);
      h.event.log_index = r.i32(2);
      h.event.id = r.i64(3);
      h.subscription = r.i64(4);
      const auto now = concluded_.find(h.event.id);
      if (now != concluded_.end()) h.feed = now->second.feed;
      if (!r.null(5)) h.feed = r.i64(5);
      states.push_back({h.feed != 0});
      front.push_back(h);
    }
    const std::size_t n = tide::released(states);
    for (std::size_t i = 0; i < n; ++i) {
      leave(l, front[i].event, false);
      send(l, front[i].feed, front[i].subscription, false);
      const auto c = concluded_.find(front[i].event.id);
      if (c != concluded_.end() && c->second.places > 0) --c->second.places;
    }
    if (n < released_at_once) return;
  }
}

void lane_book::write(lane& l, bool halted) {
  using state = tide::message_state;
  const std::optional<std::int64_t> due = l.woken && !halted ? std::optional(now_) : std::nullopt;
  if (l.fresh)
    insert_.run(l.id, l.handler, std::string_view(l.key), l.epoch, l.chain,
                l.woken ? state::queued : state::delivered, l.head, l.next, l.held, now_, due);
  else if (l.woken)
    wake_.run(l.next, l.held, state::queued, now_, due, l.id);
  else
    set_next_.run(l.next, l.held, l.id);
  if (l.woken) ledger_.bells.handler(l.handler);
}

void lane_book::finish(bool halted) {
  for (lane& l : lanes_)
    if (l.loosened && l.held > 0) release(l);
  for (const auto& [event, c] : concluded_)
    if (c.places > 0) conclude_.run(c.feed, event);
  for (lane& l : lanes_)
    if (l.changed) write(l, halted);
}

} // namespace tidemark::store
