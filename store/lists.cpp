// SPDX-License-Identifier: MIT
#include "store/lists.hpp"

#include <algorithm>
#include <set>

namespace tidemark::store {

list_book::list_book(ledger& l)
    : ledger_(l), lists_of_(l.db, "SELECT id, name FROM names WHERE kind = ?"),
      entries_(l.db, "SELECT address, change FROM list_entries WHERE list = ?"),
      is_known_(l.db, "SELECT 1 FROM lists WHERE list = ?"),
      put_known_(l.db, "INSERT OR IGNORE INTO lists (list) VALUES (?)"),
      put_(l.db, "INSERT INTO list_entries (list, address, change) VALUES (?, ?, ?)"
                 " ON CONFLICT (list, address) DO UPDATE SET change = excluded.change"),
      delete_(l.db, "DELETE FROM list_entries WHERE list = ? AND address = ?"),
      count_(l.db, "SELECT count(*) FROM list_entries WHERE list = ?"),
      starts_of_(l.db, "SELECT change, from_block, given FROM list_changes"
                       " WHERE chain = ? ORDER BY change"),
      put_start_(l.db, "INSERT INTO list_changes (chain, change, from_block, given)"
                       " VALUES (?, ?, ?, ?)"),
      start_of_(l.db, "SELECT from_block, given FROM list_changes WHERE chain = ? AND change = ?"),
      place_(l.db, "SELECT chain, coalesce(mark + 1, start_block) FROM chains"
                   " WHERE start_block IS NOT NULL"),
      last_(l.db, "SELECT max(change) FROM list_changes"),
      last_base_(l.db, "SELECT max(lists) FROM counting"),
      raise_(l.db, "UPDATE chains SET forms = forms + 1 WHERE chain = ?"),
      unprove_(l.db, "UPDATE blocks SET whole = 0 WHERE chain = ? AND whole = 1"),
      forms_(l.db, "SELECT forms FROM chains WHERE chain = ?"),
      set_forms_(l.db, "UPDATE counting SET forms = ? WHERE chain = ? AND subscription = ?"),
      insert_backfill_(l.db, "INSERT INTO backfills (chain, subscription, from_block, to_block, at,"
                             " forms) VALUES (?1, ?2, ?3, ?4, ?3, ?5)") {}

void list_book::forget() {
  lists_.clear();
  loaded_ = false;
  last_change_.reset();
}

const tide::address_lists& list_book::all() {
  if (loaded_) return lists_;
  for (rows r = lists_of_.query(tide::name_kind::list); r.next();) {
    auto& list = lists_[std::string(r.text(1))];
    if (list) continue;
    std::vector<tide::address_list::entry> entries;
    for (rows e = entries_.query(r.i64(0)); e.next();)
      entries.push_back({e.fixed<evm::address20::size>(0), e.u64(1)});
    list = std::make_shared<const tide::address_list>(std::move(entries));
  }
  loaded_ = true;
  return lists_;
}

const tide::address_list* list_book::find(const std::string& name) {
  const auto at = all().find(name);
  return at == lists_.end() ? nullptr : at->second.get();
}

std::shared_ptr<const std::vector<tide::list_start>> list_book::starts(std::int64_t chain) {
  auto out = std::make_shared<std::vector<tide::list_start>>();
  for (rows r = starts_of_.query(chain); r.next();)
    out->push_back({r.u64(0), r.u64(1), r.i64(2) != 0});
  return out;
}

std::uint64_t list_book::last_change() {
  if (!last_change_) {
    rows r = last_.query();
    last_change_ = r.next() ? r.u64(0) : 0;
  }
  return *last_change_;
}

std::uint64_t list_book::widen(std::int64_t chain) {
  raise_.run(chain);
  // A block that was read whole was read with the forms of that time.
  unprove_.run(chain);
  rows r = forms_.query(chain);
  return r.next() ? r.u64(0) : 0;
}

std::vector<list_book::place> list_book::places() {
  std::vector<place> out;
  for (rows r = place_.query(); r.next();)
    out.push_back({r.i64(0), r.u64(1)});
  return out;
}

/// Absent: it counts from where its subscription does.
std::uint64_t list_book::from_of(std::int64_t chain, std::uint64_t change) {
  rows r = start_of_.query(chain, change);
  return r.next() ? r.u64(0) : 0;
}

std::uint64_t list_book::begin_change(std::optional<std::uint64_t> from_block,
                                      std::span<const list_use> uses) {
  const auto all_places = places();
  if (all_places.empty()) return 0; // nothing was read of any chain
  auto change = last_change();
  std::uint64_t base = 0;
  if (rows r = last_base_.query(); r.next()) base = r.u64(0);
  // Additions at one mark are one change, as long as no subscription came between.
  const bool same = !from_block && change > base &&
                    std::all_of(all_places.begin(), all_places.end(), [&](const place& p) {
                      rows r = start_of_.query(p.chain, change);
                      return r.next() && r.u64(0) == p.next && r.i64(1) == 0;
                    });
  if (!same) {
    last_change_ = ++change;
    for (const place& p : all_places)
      put_start_.run(p.chain, change, from_block.value_or(p.next), from_block.has_value());
  }
  for (const place& p : all_places) {
    std::optional<std::uint64_t> forms;
    for (const list_use& use : uses) {
      const chain_entry* on = ledger_.chains.by_id(use.chain_id);
      if (!on || on->chain != p.chain) continue;
      if (!forms) forms = widen(p.chain);
      const auto subscription = ledger_.names.id(tide::name_kind::subscription, use.subscription);
      set_forms_.run(*forms, p.chain, subscription);
      const auto from = from_block.value_or(p.next);
      if (from < p.next) insert_backfill_.run(p.chain, subscription, from, p.next - 1, *forms);
    }
  }
  return change;
}

void list_book::put(std::int64_t list, std::span<const evm::address20> addresses,
                    std::uint64_t change) {
  for (const auto& a : addresses)
    put_.run(list, a, change);
}

void list_book::remove(std::int64_t list, std::span<const evm::address20> addresses) {
  for (const auto& a : addresses)
    delete_.run(list, a);
}

void list_book::adopt(const file_list& list) {
  const std::int64_t id = ledger_.names.id(tide::name_kind::list, list.name);
  bool first = false;
  {
    rows r = is_known_.query(id);
    first = !r.next();
  }
  const auto* before = find(list.name);
  const std::set<evm::address20> now(list.addresses.begin(), list.addresses.end());
  std::vector<evm::address20> added, gone;
  for (const auto& a : now)
    if (!before || !before->find(a)) added.push_back(a);
  if (before)
    for (const auto& e : before->entries())
      if (!now.contains(e.address)) gone.push_back(e.address);
  put_known_.run(id);
  if (!added.empty()) put(id, added, first ? 0 : begin_change(std::nullopt, list.uses));
  remove(id, gone);
  if (added.empty() && gone.empty()) return;
  lists_.erase(list.name);
  loaded_ = false;
}

list_result list_book::change(const list_order& order) {
  const std::int64_t id = ledger_.names.id(tide::name_kind::list, order.name);
  put_known_.run(id);
  const auto* before = find(order.name);
  std::set<std::int64_t> used;
  for (const list_use& use : order.uses)
    if (const chain_entry* c = ledger_.chains.by_id(use.chain_id)) used.insert(c->chain);
  const auto counts_later = [&](const tide::address_list::entry& e) {
    return order.from_block && std::any_of(used.begin(), used.end(), [&](std::int64_t chain) {
             return from_of(chain, e.change) > *order.from_block;
           });
  };
  std::vector<evm::address20> fresh;
  for (const auto& a : order.add) {
    const auto* known = before ? before->find(a) : nullptr;
    if (!known || counts_later(*known)) fresh.push_back(a);
  }
  list_result out;
  const auto change = fresh.empty() ? 0 : begin_change(order.from_block, order.uses);
  for (const place& p : places()) {
    if (!used.contains(p.chain)) continue;
    auto& from = out.from[ledger_.chains.by_row(p.chain)->chain_id];
    from = order.add.empty() ? p.next : fresh.empty() ? 0 : from_of(p.chain, change);
    for (const auto& a : order.add)
      if (const auto* known = before ? before->find(a) : nullptr; known && !counts_later(*known))
        from = std::max(from, from_of(p.chain, known->change));
  }
  put(id, fresh, change);
  remove(id, order.remove);
  lists_.erase(order.name);
  loaded_ = false;
  rows r = count_.query(id);
  out.size = r.next() ? r.u64(0) : 0;
  return out;
}

} // namespace tidemark::store
