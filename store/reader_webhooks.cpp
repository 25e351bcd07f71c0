// SPDX-License-Identifier: MIT
#include "store/reading.hpp"

namespace tidemark::store {
namespace {

using tide::hint_state;

#define WEBHOOK_COLUMNS                                                                            \
  "w.id, n.name, w.at, coalesce(i.state, 0), coalesce(i.hints, 0), coalesce(i.seen, 1),"           \
  " coalesce(i.last_at, w.at), length(w.body)"

webhook_row read_webhook(const rows& r) {
  webhook_row w;
  w.id = r.i64(0);
  w.source = r.text(1);
  w.at = r.i64(2);
  w.state = r.code<hint_state>(3);
  w.hints = r.u32(4);
  w.seen = r.u64(5);
  w.last_at = r.i64(6);
  w.bytes = r.u64(7);
  return w;
}

std::optional<std::string> event_id_of(statement& event, const rows& hint) {
  if (hint.null(6)) return std::nullopt;
  rows r = event.query(hint.i64(6));
  if (!r.next()) return std::nullopt;
  return tide::event_id(r.u64(0), r.hash(1), r.i32(2));
}

std::vector<hint_row> read_hints(connection& db, std::int64_t webhook) {
  statement hints(db, "SELECT (SELECT chain_id FROM chains WHERE chain = h.chain), h.tx, h.block,"
                      " h.log_index, h.state, h.tries, h.event, h.due FROM hints h"
                      " WHERE h.webhook = ? ORDER BY h.n");
  statement event(db, "SELECT c.chain_id, e.tx, e.log_index FROM events e"
                      " CROSS JOIN chains c ON c.chain = e.chain WHERE e.id = ?");
  std::vector<hint_row> found;
  for (rows r = hints.query(webhook); r.next();) {
    hint_row& h = found.emplace_back();
    h.chain_id = r.maybe_u64(0);
    h.tx = r.maybe_hash(1);
    h.block = r.maybe_u64(2);
    if (!r.null(3)) h.log_index = r.u32(3);
    h.state = r.code<hint_state>(4);
    h.tries = r.u32(5);
    h.event_id = event_id_of(event, r);
    h.due = r.maybe_i64(7);
  }
  return found;
}

/// `chosen(id, state)`: whether the webhook is one of those that were asked for.
template <class Chosen> page<webhook_row> filter_webhooks(rows& r,
                                                          const std::optional<std::string>& source,
                                                          std::uint32_t limit, Chosen chosen) {
  page<webhook_row> found;
  scan_budget budget;
  std::int64_t last = 0;
  while (r.next()) {
    if (found.items.size() == limit || budget.spent()) {
      found.next = std::to_string(last);
      break;
    }
    last = r.i64(0);
    if (source && r.text(1) != *source) continue;
    if (!chosen(last, r.code<hint_state>(3))) continue;
    found.items.push_back(read_webhook(r));
  }
  return found;
}

constexpr const char* every_webhook =
    "SELECT " WEBHOOK_COLUMNS " FROM webhooks w CROSS JOIN names n ON n.id = w.source"
    " LEFT JOIN intake i ON i.webhook = w.id WHERE w.id < ? ORDER BY w.id DESC";

} // namespace

result<page<webhook_row>> reader::webhooks(const std::optional<std::string>& source,
                                           const std::optional<hint_state>& state,
                                           const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    const auto chosen = [&](std::int64_t, hint_state has) { return !state || has == *state; };
    // What is settled and not verified is rare, so it has an index; the rest is filtered row by
    // row.
    if (state && *state != hint_state::received && *state != hint_state::verified) {
      statement odd(db, "SELECT " WEBHOOK_COLUMNS " FROM intake i INDEXED BY intake_odd"
                        " CROSS JOIN webhooks w ON w.id = i.webhook"
                        " CROSS JOIN names n ON n.id = w.source WHERE i.state <> 1"
                        " AND i.webhook < ? AND i.state = ? ORDER BY i.webhook DESC");
      rows r = odd.query(below(p), *state);
      return filter_webhooks(r, source, rows_of(p), chosen);
    }
    statement all(db, every_webhook);
    rows r = all.query(below(p));
    return filter_webhooks(r, source, rows_of(p), chosen);
  });
}

result<page<webhook_row>> reader::webhooks_with(const std::optional<std::string>& source,
                                                hint_state state, const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement all(db, every_webhook);
    statement one(db, "SELECT 1 FROM hints WHERE webhook = ? AND state = ? LIMIT 1");
    rows r = all.query(below(p));
    return filter_webhooks(r, source, rows_of(p), [&](std::int64_t id, hint_state has) {
      return has == state || one.query(id, state).next();
    });
  });
}

result<std::optional<webhook_detail>> reader::webhook(std::int64_t id) {
  return reading(*parts_, [&](connection& db) -> std::optional<webhook_detail> {
    statement one(db, "SELECT " WEBHOOK_COLUMNS ", w.headers FROM webhooks w"
                      " CROSS JOIN names n ON n.id = w.source"
                      " LEFT JOIN intake i ON i.webhook = w.id WHERE w.id = ?");
    rows r = one.query(id);
    if (!r.next()) return std::nullopt;
    return webhook_detail{read_webhook(r), std::string(r.text(8)), read_hints(db, id)};
  });
}

result<std::optional<std::string>> reader::raw(std::int64_t id) {
  return reading(*parts_, [&](connection& db) -> std::optional<std::string> {
    statement one(db, "SELECT body FROM webhooks WHERE id = ?");
    rows r = one.query(id);
    if (!r.next()) return std::nullopt;
    return std::string(r.text(0));
  });
}

} // namespace tidemark::store
