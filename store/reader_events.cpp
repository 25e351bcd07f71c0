// SPDX-License-Identifier: MIT
#include "store/keys.hpp"
#include "store/reading.hpp"

#include <array>

namespace tidemark::store {
namespace {

/// Block, transaction, log, and the row: after a reorg two events may have had the same place.
using events_place = std::array<std::int64_t, 4>;

/// A transaction stands as log -1 before its own logs; a cursor has no signs, so it counts from it.
constexpr std::int64_t first_log = -1;

std::string to_text(const events_place& p) {
  return std::to_string(p[0]) + '.' + std::to_string(p[1]) + '.' +
         std::to_string(p[2] - first_log) + '.' + std::to_string(p[3]);
}

/// Where a list by block goes on; above everything if the text is none of ours.
events_place parse_place(const std::optional<std::string>& text) {
  constexpr events_place top{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  if (!text) return top;
  events_place p{};
  std::string_view rest = *text;
  for (std::int64_t& part : p) {
    const auto n = parse_number(rest.substr(0, rest.find('.')));
    if (!n) return top;
    part = *n;
    rest.remove_prefix(std::min(rest.size(), rest.find('.') + 1));
  }
  p[2] += first_log;
  return p;
}

/// What the filters look at, and where the list goes on.
struct candidate {
  std::int64_t event = 0, chain = 0, origin = 0;
  tide::status status = tide::status::pending;
  evm::address20 address;
  evm::hash32 tx;
  std::uint64_t block = 0;
  events_place where{};
};

#define CANDIDATE_COLUMNS                                                                          \
  "e.id, e.chain, e.first_seen, e.status, e.address, e.tx, e.block, e.tx_index, e.log_index"

candidate read_candidate(const rows& r) {
  candidate c;
  c.event = r.i64(0);
  c.chain = r.i64(1);
  c.origin = r.i64(2);
  c.status = r.code<tide::status>(3);
  c.address = r.fixed<20>(4);
  c.tx = r.hash(5);
  c.block = r.u64(6);
  c.where = {r.i64(6), r.i64(7), r.i64(8), r.i64(0)};
  return c;
}

/// A filter whose words are the store's numbers.
struct resolved {
  std::optional<std::int64_t> chain, subscription, origin, handler;
};

std::optional<std::int64_t> number_of(connection& db, const char* sql, std::int64_t kind,
                                      std::string_view name) {
  statement s(db, sql);
  rows r = s.query(kind, name);
  return r.next() ? std::optional(r.i64(0)) : std::nullopt;
}

/// Absent: a word that the store has never seen, so nothing fits.
std::optional<resolved> resolve(connection& db, const event_filter& f) {
  resolved found;
  constexpr const char* by_name = "SELECT id FROM names WHERE kind = ? AND name = ?";
  if (f.chain_id) {
    statement s(db, "SELECT chain FROM chains WHERE chain_id = ?");
    rows r = s.query(*f.chain_id);
    if (!r.next()) return std::nullopt;
    found.chain = r.i64(0);
  }
  if (f.subscription) {
    found.subscription = number_of(
        db, by_name, static_cast<std::int64_t>(tide::name_kind::subscription), *f.subscription);
    if (!found.subscription) return std::nullopt;
  }
  if (f.first_seen) {
    found.origin =
        number_of(db, by_name, static_cast<std::int64_t>(tide::name_kind::origin), *f.first_seen);
    if (!found.origin) return std::nullopt;
  }
  if (f.handler) {
    found.handler =
        number_of(db, by_name, static_cast<std::int64_t>(tide::name_kind::handler), *f.handler);
    if (!found.handler) return std::nullopt;
  }
  return found;
}

class event_scan {
public:
  event_scan(connection& db, const event_filter& f, const resolved& by, const page_request& p)
      : db_(db), filter_(f), by_(by), request_(p), read_(db),
        has_subscription_(
            db, "SELECT 1 FROM event_subscriptions WHERE subscription = ? AND event = ?") {}

  page<event_item> run() {
    const bool by_block = !filter_.tx && by_.chain && (filter_.from_block || filter_.to_block);
    if (by_block) return scan_blocks();
    if (filter_.tx) return scan_tx();
    if (by_.handler && filter_.delivery) {
      const auto few = few_of(*by_.handler, *filter_.delivery);
      if (!few.empty()) return scan(few, below(request_), *by_.handler);
    }
    const std::int64_t from = below(request_);
    if (filter_.status == tide::status::pending)
      return scan("FROM events e INDEXED BY events_pending WHERE e.status = 0 AND e.id < ?1"
                  " ORDER BY e.id DESC",
                  from);
    if (filter_.status == tide::status::rolled_back)
      return scan("FROM events e INDEXED BY events_undone WHERE e.status = 2 AND e.id < ?1"
                  " ORDER BY e.id DESC",
                  from);
    if (filter_.address)
      return scan("FROM events e INDEXED BY events_address WHERE e.id < ?1 AND e.address = ?2"
                  " ORDER BY e.id DESC",
                  from, *filter_.address);
    if (by_.subscription)
      return scan("FROM event_subscriptions s CROSS JOIN events e ON e.id = s.event"
                  " WHERE s.event < ?1 AND s.subscription = ?2 ORDER BY s.event DESC",
                  from, *by_.subscription);
    if (by_.origin)
      return scan("FROM events e INDEXED BY events_origin WHERE e.id < ?1 AND e.first_seen = ?2"
                  " ORDER BY e.id DESC",
                  from, *by_.origin);
    // A quiet chain's events may lie below millions of a busy one's.
    if (by_.chain) return scan_blocks();
    return scan("FROM events e WHERE e.id < ?1 ORDER BY e.id DESC", from);
  }

private:
  /// What stands still for a handler is little among millions that do not, and is what is looked
  /// for at 3 a.m.: it is found by what stands, not among all events. Empty: another state, or so
  /// many stand still that reading all events meets them soon, and sorting them would take longer.
  std::string few_of(std::int64_t handler, tide::message_state wanted) {
    constexpr std::int64_t few = 20'000;
    using state = tide::message_state;
    const auto in_order = [](const std::string& messages) {
      return "FROM (SELECT DISTINCT f.event AS event FROM " + messages +
             " CROSS JOIN feed f ON f.seq = o.feed) few CROSS JOIN events e ON e.id = few.event"
             " WHERE e.id < ?1 ORDER BY e.id DESC";
    };
    const auto more_than_few = [this, handler](const char* sql) {
      statement s(db_, sql);
      rows r = s.query(handler, few + 1);
      return r.next() && r.i64(0) > few;
    };
    if (wanted == state::parked) {
      if (more_than_few("SELECT count(*) FROM (SELECT 1 FROM parked WHERE ?1 > 0 LIMIT ?2)"))
        return {};
      return in_order("parked p CROSS JOIN lanes l ON l.id = p.lane AND l.handler = ?2"
                      " CROSS JOIN outbox o ON o.lane = p.lane AND o.seq = p.seq");
    }
    // Of a lane only the head is in one of these.
    if (wanted != state::blocked && wanted != state::sending) return {};
    if (more_than_few("SELECT count(*) FROM (SELECT 1 FROM lanes INDEXED BY lanes_open"
                      " WHERE handler = ?1 AND (state <> 3 OR held > 0) LIMIT ?2)"))
      return {};
    return in_order("lanes l INDEXED BY lanes_open CROSS JOIN outbox o"
                    " ON l.handler = ?2 AND (l.state <> 3 OR l.held > 0) AND l.state = " +
                    std::to_string(static_cast<int>(wanted)) +
                    " AND o.lane = l.id AND o.seq = l.head");
  }

  template <class... A> page<event_item> scan(const std::string& from, const A&... args) {
    statement s(db_, ("SELECT " CANDIDATE_COLUMNS " " + from).c_str());
    rows r = s.query(args...);
    return collect(r, false);
  }

  page<event_item> scan_tx() {
    // The newest keys are only in the writer's memory; their rows are above the cursor.
    return scan("FROM events e WHERE e.id < ?1 AND e.tx = ?2 AND (e.id IN"
                " (SELECT event FROM event_keys WHERE key = ?3) OR e.id IN"
                " (SELECT id FROM events WHERE tx = ?2 AND id >"
                " coalesce((SELECT at FROM cursors WHERE name = 'event_keys'), 0)))"
                " ORDER BY e.id DESC",
                below(request_), *filter_.tx, tx_key(*filter_.tx));
  }

  page<event_item> scan_blocks() {
    const events_place top = parse_place(request_.after);
    statement s(db_, "SELECT " CANDIDATE_COLUMNS " FROM events e INDEXED BY events_block"
                     " WHERE e.chain = ? AND e.block BETWEEN ? AND ?"
                     " AND (e.block, e.tx_index, e.log_index, e.id) < (?, ?, ?, ?)"
                     " ORDER BY e.block DESC, e.tx_index DESC, e.log_index DESC, e.id DESC");
    const auto to = std::min<std::uint64_t>(filter_.to_block.value_or(INT64_MAX),
                                            static_cast<std::uint64_t>(top[0]));
    rows r =
        s.query(*by_.chain, filter_.from_block.value_or(0), to, top[0], top[1], top[2], top[3]);
    return collect(r, true);
  }

  page<event_item> collect(rows& r, bool by_block) {
    page<event_item> found;
    scan_budget budget;
    candidate last;
    while (r.next()) {
      if (found.items.size() == rows_of(request_) || budget.spent()) {
        found.next = by_block ? to_text(last.where) : std::to_string(last.event);
        break;
      }
      last = read_candidate(r);
      if (fits(last)) found.items.push_back(read_.item(last.event));
    }
    return found;
  }

  bool fits(const candidate& c) {
    const event_filter& f = filter_;
    if ((by_.chain && c.chain != *by_.chain) || (f.status && c.status != *f.status) ||
        (f.address && c.address != *f.address) || (f.tx && c.tx != *f.tx) ||
        (f.from_block && c.block < *f.from_block) || (f.to_block && c.block > *f.to_block) ||
        (by_.origin && c.origin != *by_.origin))
      return false;
    if (by_.subscription) {
      rows r = has_subscription_.query(*by_.subscription, c.event);
      if (!r.next()) return false;
    }
    if (!f.handler) return true;
    for (const auto& [handler, state] : read_.processing(c.event))
      if (handler == *f.handler) return !f.delivery || state == *f.delivery;
    return false;
  }

  connection& db_;
  const event_filter& filter_;
  const resolved& by_;
  const page_request& request_;
  event_reading read_;
  statement has_subscription_;
};

} // namespace

result<page<event_item>> reader::events(const event_filter& filter, const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    const auto by = resolve(db, filter);
    return by ? event_scan(db, filter, *by, p).run() : page<event_item>();
  });
}

} // namespace tidemark::store
