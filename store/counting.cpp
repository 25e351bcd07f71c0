// SPDX-License-Identifier: MIT
#include "store/counting.hpp"

#include <algorithm>

namespace tidemark::store {

count_book::count_book(ledger& l, list_book& lists)
    : ledger_(l), lists_(lists), rows_(l.db, "SELECT subscription, form, given, from_block, lists, "
                                             "earlier FROM counting WHERE chain = ?"),
      put_(l.db, "INSERT INTO counting (chain, subscription, form, given, from_block, forms, lists,"
                 " earlier) VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, 0), coalesce(?7, 0), ?8)"
                 " ON CONFLICT (chain, subscription) DO UPDATE SET form = excluded.form,"
                 " given = excluded.given, from_block = excluded.from_block,"
                 " earlier = excluded.earlier,"
                 " forms = coalesce(?6, forms), lists = coalesce(?7, lists)"),
      delete_(l.db, "DELETE FROM counting WHERE chain = ? AND subscription = ?"),
      set_from_(l.db, "UPDATE counting SET from_block = ? WHERE chain = ? AND subscription = ?"),
      since_(l.db, "SELECT subscription, from_block FROM counting"
                   " WHERE chain = ? AND forms > ? AND from_block <= ?"),
      place_(l.db, "SELECT start_block, mark FROM chains WHERE chain = ?"),
      forms_(l.db, "SELECT forms FROM chains WHERE chain = ?"),
      backfills_(l.db, "SELECT subscription, from_block, to_block, at FROM backfills"
                       " WHERE chain = ? ORDER BY id"),
      unfinished_(l.db, "SELECT min(at) FROM backfills WHERE chain = ? AND subscription = ?"),
      insert_backfill_(l.db, "INSERT INTO backfills (chain, subscription, from_block, to_block, at,"
                             " forms) VALUES (?1, ?2, ?3, ?4, ?3, ?5)"),
      delete_backfills_(l.db, "DELETE FROM backfills WHERE chain = ? AND subscription = ?"),
      advance_(l.db, "UPDATE backfills SET at = ?4 + 1 WHERE chain = ?1 AND subscription = ?2"
                     " AND at BETWEEN ?3 AND ?4 AND forms <= ?5"),
      finish_(l.db, "DELETE FROM backfills WHERE chain = ? AND at > to_block") {}

std::vector<count_book::stored> count_book::rows_of(std::int64_t chain) {
  std::vector<stored> out;
  for (rows r = rows_.query(chain); r.next();) {
    stored s;
    s.subscription = r.i64(0);
    // One that cannot be read is one that let nothing through: then all of it is new.
    if (auto form = tide::parse_form(r.text(1)))
      s.is.is = std::move(*form);
    else
      s.is.is.axes["unreadable"] = {};
    s.is.given = r.maybe_u64(2);
    s.is.from = r.maybe_u64(3);
    s.base = r.u64(4);
    s.is.earlier = r.maybe_u64(5);
    out.push_back(std::move(s));
  }
  return out;
}

tide::chain_place count_book::place_of(std::int64_t chain) {
  rows r = place_.query(chain);
  if (!r.next()) return {};
  return {r.maybe_u64(0), r.maybe_u64(1)};
}

void count_book::forget(std::int64_t chain, std::int64_t subscription) {
  delete_.run(chain, subscription);
  delete_backfills_.run(chain, subscription);
}

void count_book::adopt(const counting_in& config) {
  const chain_entry* known = ledger_.chains.by_id(config.chain_id);
  const std::int64_t chain = known ? known->chain : ledger_.chains.make(config.chain_id).chain;
  const auto place = place_of(chain);
  auto before = rows_of(chain);
  for (const counting_in::one& s : config.subscriptions) {
    const std::int64_t id = ledger_.names.id(tide::name_kind::subscription, s.subscription);
    const auto at = std::find_if(before.begin(), before.end(),
                                 [&](const stored& x) { return x.subscription == id; });
    std::optional<tide::counted> was;
    if (at != before.end()) {
      was = std::move(at->is);
      before.erase(at);
    }
    std::optional<std::uint64_t> unfinished;
    if (rows r = unfinished_.query(chain, id); r.next()) unfinished = r.maybe_u64(0);
    const auto change = tide::count_from(was, s.is, s.start_block, place, unfinished);
    if (was == change.now && !change.widened) continue;
    std::optional<std::uint64_t> forms, base;
    if (change.widened) forms = lists_.widen(chain);
    if (!was || tide::lets_more(was->is, s.is)) {
      base = lists_.last_change();
      delete_backfills_.run(chain, id);
    }
    put(chain, id, change.now, forms, base);
    if (change.backfill)
      insert_backfill_.run(chain, id, change.backfill->from, change.backfill->to,
                           forms.value_or(0));
  }
  for (const stored& gone : before)
    forget(chain, gone.subscription);
}

void count_book::put(std::int64_t chain, std::int64_t subscription, const tide::counted& is,
                     std::optional<std::uint64_t> forms, std::optional<std::uint64_t> base) {
  const std::string text = tide::to_text(is.is);
  put_.run(chain, subscription, std::string_view(text), is.given, is.from, forms, base, is.earlier);
}

bool count_book::forked(std::int64_t chain, std::uint64_t ancestor) {
  std::optional<std::uint64_t> forms;
  for (const stored& s : rows_of(chain)) {
    const auto now = tide::count_after_fork(s.is, ancestor);
    if (now == s.is) continue;
    if (!forms) forms = lists_.widen(chain);
    put(chain, s.subscription, now, forms, std::nullopt);
  }
  return forms.has_value();
}

void count_book::started(std::int64_t chain, std::uint64_t start) {
  for (const stored& s : rows_of(chain)) {
    const auto change = tide::count_at_start(s.is, start);
    set_from_.run(change.now.from, chain, s.subscription);
    if (change.backfill)
      insert_backfill_.run(chain, s.subscription, change.backfill->from, change.backfill->to, 0);
  }
}

tide::counting count_book::read(std::int64_t chain) {
  tide::counting out;
  if (rows r = forms_.query(chain); r.next()) out.forms = r.u64(0);
  for (const stored& s : rows_of(chain)) {
    const std::string& name = ledger_.names.text(s.subscription);
    if (s.is.from) out.from.emplace(name, *s.is.from);
    out.base.emplace(name, s.base);
  }
  out.lists = lists_.all();
  out.list_starts = lists_.starts(chain);
  for (rows r = backfills_.query(chain); r.next();)
    out.backfills.push_back({ledger_.names.text(r.i64(0)), r.u64(1), r.u64(2), r.u64(3)});
  return out;
}

void count_book::advance(std::int64_t chain, const tide::backfilled& v, std::uint64_t forms) {
  const std::int64_t id = ledger_.names.id(tide::name_kind::subscription, v.subscription);
  advance_.run(chain, id, v.from, v.to, forms);
  finish_.run(chain);
}

bool count_book::cover(std::int64_t chain, std::uint64_t forms, const tide::block_span& blocks) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> missed;
  for (rows r = since_.query(chain, forms, blocks.to); r.next();)
    missed.emplace_back(r.i64(0), r.u64(1));
  std::uint64_t now = 0;
  if (rows r = forms_.query(chain); r.next()) now = r.u64(0);
  for (const auto& [subscription, from] : missed)
    insert_backfill_.run(chain, subscription, std::max(from, blocks.from), blocks.to, now);
  return !missed.empty();
}

} // namespace tidemark::store
