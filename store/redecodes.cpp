// SPDX-License-Identifier: MIT
#include "store/redecodes.hpp"

#include "store/packing.hpp"
#include "tide/redecode.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

/// Rows that one page looks at, whether it takes them or not: a transaction stays short.
constexpr std::size_t looked_at = 1'000;

} // namespace

redecode_table::redecode_table(ledger& l, event_table& events, lane_book& lanes, job_table& jobs)
    : ledger_(l), events_(events), lanes_(lanes), jobs_(jobs),
      insert_(l.db, "INSERT INTO redecodes (job, subscription, dry, newest, examples)"
                    " VALUES (?, ?, ?, ?, '')"),
      running_(l.db, "SELECT r.job FROM jobs j CROSS JOIN redecodes r ON r.job = j.id"
                     " WHERE j.state = 0 ORDER BY j.id"),
      at_(l.db, "SELECT r.subscription, r.dry, r.newest, r.chain_id, r.block, r.tx_index,"
                " r.log_index, r.examples, j.missing, j.extra, j.equal FROM redecodes r"
                " CROSS JOIN jobs j ON j.id = r.job WHERE r.job = ? AND j.state = 0"),
      note_(l.db, "UPDATE redecodes SET chain_id = ?, block = ?, tx_index = ?, log_index = ?,"
                  " examples = ? WHERE job = ?"),
      walk_(l.db, "SELECT e.id, e.block, e.tx_index, e.log_index, e.inclusion"
                  " FROM events e INDEXED BY events_block WHERE e.chain = ? AND e.block >= ?"
                  " AND (e.block, e.tx_index, e.log_index) > (?, ?, ?) AND e.status < 2"
                  " ORDER BY e.block, e.tx_index, e.log_index LIMIT ?"),
      data_(l.db, "SELECT e.ordinal, i.data FROM events e CROSS JOIN inclusions i"
                  " ON i.id = e.inclusion WHERE e.id = ?"),
      place_(l.db, "SELECT tx, log_index FROM events WHERE id = ?"),
      head_(l.db, "SELECT head FROM feed WHERE event = ? AND version = ?"),
      replaces_(l.db, "SELECT replaces FROM inclusions WHERE id = ?"),
      mark_(l.db, "SELECT mark FROM chains WHERE chain = ?") {
  static_assert(static_cast<int>(tide::name_kind::subscription) == 3);
}

std::int64_t redecode_table::begin(const redecode_order& o, std::int64_t now) {
  const std::int64_t job = jobs_.begin("redecode", now);
  std::optional<std::string_view> subscription;
  if (o.subscription) subscription = *o.subscription;
  insert_.run(job, subscription, o.dry, ledger_.last.inclusion);
  return job;
}

std::vector<std::int64_t> redecode_table::running() {
  std::vector<std::int64_t> found;
  for (rows r = running_.query(); r.next();)
    found.push_back(r.i64(0));
  return found;
}

std::optional<redecode_state> redecode_table::at(std::int64_t job) {
  rows r = at_.query(job);
  if (!r.next()) return std::nullopt;
  redecode_state s;
  if (!r.null(0)) s.subscription = r.text(0);
  s.dry = r.i64(1) != 0;
  s.newest = r.i64(2);
  s.chain_id = r.null(3) ? 0 : r.u64(3);
  if (!r.null(4)) s.after = backlog_place{r.u64(4), r.u32(5), r.i32(6)};
  std::string_view lines = r.text(7);
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    s.examples.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  s.counts = {r.u64(8), r.u64(9), r.u64(10)};
  return s;
}

void redecode_table::note(std::int64_t job, const redecode_state& s) {
  std::string examples;
  for (const std::string& one : s.examples)
    examples += one + '\n';
  std::optional<std::uint64_t> block;
  std::optional<std::int64_t> tx_index, log_index;
  if (s.after) {
    block = s.after->block;
    tx_index = s.after->tx_index;
    log_index = s.after->log_index;
  }
  note_.run(s.chain_id, block, tx_index, log_index, std::string_view(examples), job);
  jobs_.note(job, s.counts);
}

kept_page redecode_table::page(std::int64_t chain, const redecode_state& s, std::size_t limit) {
  struct row {
    std::int64_t event = 0, inclusion = 0;
    backlog_place place;
  };
  std::vector<row> all;
  const auto from = s.after ? static_cast<std::int64_t>(s.after->block) : -1;
  for (rows r = walk_.query(chain, std::max<std::int64_t>(from, 0), from,
                            s.after ? s.after->tx_index : 0, s.after ? s.after->log_index : -2,
                            looked_at);
       r.next();)
    all.push_back({r.i64(0), r.i64(4), {r.u64(1), r.u32(2), r.i32(3)}});
  kept_page out;
  for (const row& one : all) {
    if (out.events.size() == limit) break;
    out.last = one.place;
    out.more = &one != &all.back() || all.size() == looked_at;
    // A transaction has no ABI; what came later was read as the config says now.
    if (one.place.log_index < 0 || one.inclusion > s.newest) continue;
    kept_row kept{one.event, {}, {}, events_.subscriptions_of(one.event)};
    const auto& names = kept.subscriptions;
    if (s.subscription && std::find(names.begin(), names.end(), *s.subscription) == names.end())
      continue;
    rows r = data_.query(one.event);
    if (!r.next()) continue;
    if (!r.null(0)) kept.ordinal = r.u32(0);
    kept.data = unpack(r.text(1));
    out.events.push_back(std::move(kept));
  }
  return out;
}

std::optional<std::uint64_t> redecode_table::mark_of(std::int64_t chain) {
  rows r = mark_.query(chain);
  return r.next() ? r.maybe_u64(0) : std::nullopt;
}

std::optional<stored_event> redecode_table::load(std::int64_t chain, std::int64_t event) {
  rows r = place_.query(event);
  if (!r.next()) return std::nullopt;
  return events_.find(chain, r.hash(0), r.i32(1));
}

bool redecode_table::write(std::int64_t chain, std::span<const reread_row> all, std::int64_t now) {
  const auto mark = mark_of(chain);
  bool waits = false;
  lanes_.start(now, false);
  for (const reread_row& one : all) {
    auto e = load(chain, one.event);
    if (!e || e->row.status == tide::status::rolled_back) continue;
    decision by{0, now};
    // No head decided this: the one that decided what is taken back stands for both.
    if (rows r = head_.query(e->id, e->version); r.next()) by.head = r.u64(0);
    std::optional<std::int64_t> replaces;
    if (rows r = replaces_.query(e->inclusion); r.next() && !r.null(0)) replaces = r.i64(0);
    const auto before = e->row;
    events_.roll_back(*e, tide::why::corrected, by);
    lanes_.told_rolled_back(*e);
    if (!one.now) continue;
    const bool late = mark && before.block.number <= *mark;
    const auto to = tide::reopened_as(before.status, before.asks, one.now->asks);
    e = events_.open(chain, e, *one.now, to, replaces, by);
    if (to == tide::status::confirmed) {
      lanes_.told_confirmed(*e, one.now->routes, late, true);
    } else {
      lanes_.told_pending(*e, one.now->routes, late);
      waits = waits || late;
    }
  }
  lanes_.finish();
  return waits;
}

} // namespace tidemark::store
