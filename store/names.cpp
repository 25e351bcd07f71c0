// SPDX-License-Identifier: MIT
#include "store/names.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

std::string lookup_key(tide::name_kind kind, std::string_view name) {
  std::string key(1, static_cast<char>(kind));
  key += name;
  return key;
}

} // namespace

name_table::name_table(connection& db)
    : find_(db, "SELECT id FROM names WHERE kind = ? AND name = ?"),
      insert_(db, "INSERT INTO names (kind, name) VALUES (?, ?)"),
      text_(db, "SELECT name FROM names WHERE id = ?") {}

std::optional<std::int64_t> name_table::find(tide::name_kind kind, std::string_view name) {
  const std::string key = lookup_key(kind, name);
  if (const auto at = ids_.find(key); at != ids_.end()) return at->second;
  rows r = find_.query(kind, name);
  if (!r.next()) return std::nullopt;
  return ids_.emplace(key, r.i64(0)).first->second;
}

std::int64_t name_table::id(tide::name_kind kind, std::string_view name) {
  if (const auto known = find(kind, name)) return *known;
  insert_.run(kind, name);
  const std::int64_t id = sqlite3_last_insert_rowid(insert_.db().handle());
  ids_.emplace(lookup_key(kind, name), id);
  return id;
}

const std::string& name_table::text(std::int64_t id) {
  if (const auto at = texts_.find(id); at != texts_.end()) return at->second;
  rows r = text_.query(id);
  if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a row names a word that is not there");
  return texts_.emplace(id, r.text(0)).first->second;
}

void name_table::forget() {
  ids_.clear();
  texts_.clear();
}

chain_list::chain_list(connection& db)
    : select_(db, "SELECT chain, chain_id, halted IS NOT NULL FROM chains ORDER BY chain"),
      insert_(db, "INSERT INTO chains (chain_id, turn) VALUES (?, 0)") {
  load();
}

void chain_list::load() {
  all_.clear();
  rows r = select_.query();
  while (r.next())
    all_.push_back({r.i64(0), r.u64(1), r.i64(2) != 0});
}

const chain_entry* chain_list::by_id(std::uint64_t chain_id) const {
  const auto at = std::find_if(all_.begin(), all_.end(),
                               [&](const chain_entry& c) { return c.chain_id == chain_id; });
  return at == all_.end() ? nullptr : &*at;
}

const chain_entry* chain_list::by_row(std::int64_t chain) const {
  const auto at = std::find_if(all_.begin(), all_.end(),
                               [&](const chain_entry& c) { return c.chain == chain; });
  return at == all_.end() ? nullptr : &*at;
}

const chain_entry& chain_list::make(std::uint64_t chain_id) {
  insert_.run(chain_id);
  return all_.emplace_back(
      chain_entry{sqlite3_last_insert_rowid(insert_.db().handle()), chain_id, false});
}

void chain_list::set_halted(std::int64_t chain, bool halted) {
  for (chain_entry& c : all_)
    if (c.chain == chain) c.halted = halted;
}

} // namespace tidemark::store
