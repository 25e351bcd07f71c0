// SPDX-License-Identifier: MIT
#include "store/lanes.hpp"

#include <algorithm>

// What is taken back, what is told later, and what goes once nothing holds it any more.

namespace tidemark::store {
namespace {

constexpr std::size_t released_at_once = 64;

} // namespace

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
  for (const tide::told_message& m : tide::taken_back(told)) {
    // What an older epoch told is taken back in the one that is queued now.
    const lane& l = by_id(m.lane);
    send(open(l.handler, l.key, l.chain), feed, m.subscription, false);
  }
}

bool lane_book::has_place(std::int64_t event, std::int64_t handler) {
  const auto places = places_of(event);
  return std::any_of(places.begin(), places.end(),
                     [&](const place& p) { return by_id(p.lane).handler == handler; });
}

void lane_book::read_again(const stored_event& e, std::span<const tide::route> routes) {
  for (const tide::route& route : routes) {
    const std::int64_t handler = ledger_.names.id(tide::name_kind::handler, route.handler);
    if (!route.confirmed || too_early(route, e) || has_place(e.id, handler)) continue;
    hold(by_key(route, e.chain), e,
         ledger_.names.id(tide::name_kind::subscription, route.subscription), false, std::nullopt);
  }
}

void lane_book::let_pass(const stored_event& e) {
  for (const place& p : places_of(e.id)) {
    if (p.late) continue;
    lane& l = by_id(p.lane);
    leave(l, e, false);
    hold(l, e, p.subscription, true, std::nullopt);
    l.loosened = true;
  }
}

void lane_book::told_later(const stored_event& e, const tide::route& route) {
  const std::int64_t handler = ledger_.names.id(tide::name_kind::handler, route.handler);
  const bool known = known_.query(e.id, e.inclusion, handler).next();
  const bool waits_for_more = e.row.status == tide::status::pending && !has_place(e.id, handler);
  if ((known && !waits_for_more) || too_early(route, e)) return;
  lane& l = by_key(route, e.chain);
  std::optional<std::int64_t> pending, confirmed;
  for (rows r = facts_.query(e.id, e.inclusion); r.next();)
    (r.code<tide::status>(1) == tide::status::pending ? pending : confirmed) = r.i64(0);
  const std::int64_t about = ledger_.names.id(tide::name_kind::subscription, route.subscription);
  // A subscription that is still looked for below the mark may ask for more than those whose it is:
  // its backfill tells it then.
  if (confirmed && unread_.query(e.chain, about, e.id, e.row.block.number).next()) return;
  if (pending && route.pending && !known) send(l, *pending, about, false);
  if (!route.confirmed) return;
  const bool waits = !confirmed || l.held > 0;
  if (!waits) return send(l, *confirmed, about, false);
  hold(l, e, about, false, confirmed);
  l.loosened = true;
}

void lane_book::told_late(const stored_event& e, std::span<const tide::route> routes,
                          std::span<const std::string> further) {
  if (further.empty()) return;
  std::optional<std::int64_t> confirmed;
  for (rows r = facts_.query(e.id, e.inclusion); r.next();)
    if (r.code<tide::status>(1) == tide::status::confirmed) confirmed = r.i64(0);
  if (!confirmed) return;
  for (const tide::route& route : routes) {
    if (!route.confirmed || too_early(route, e)) continue;
    if (std::find(further.begin(), further.end(), route.subscription) == further.end()) continue;
    lane& l = by_key(route, e.chain);
    if (known_.query(e.id, e.inclusion, l.handler).next()) continue;
    send(l, *confirmed, ledger_.names.id(tide::name_kind::subscription, route.subscription), true);
  }
}

std::optional<std::int64_t> lane_book::due_of(const lane& l) const {
  if (!l.woken || !goes(l)) return std::nullopt;
  return now_;
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

} // namespace tidemark::store
