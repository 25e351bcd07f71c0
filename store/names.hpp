// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"
#include "tide/codes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::store {

/// Words that repeat ↔ their ids. Remembers what it has seen; `forget` when a transaction that may
/// have made some is undone.
class name_table {
public:
  explicit name_table(connection& db);
  std::int64_t id(tide::name_kind kind, std::string_view name); ///< made if need be
  std::optional<std::int64_t> find(tide::name_kind kind, std::string_view name);
  const std::string& text(std::int64_t id);
  void forget();

private:
  std::unordered_map<std::string, std::int64_t> ids_; ///< kind as one character, then the name
  std::unordered_map<std::int64_t, std::string> texts_;
  statement find_, insert_, text_;
};

/// A chain's row, as much of it as every set needs.
struct chain_entry {
  std::int64_t chain = 0; ///< the row
  std::uint64_t chain_id = 0;
  bool halted = false;
};

/// The chains in memory; there are few. `load` again when a transaction that changed them is
/// undone.
class chain_list {
public:
  explicit chain_list(connection& db);
  void load();
  const chain_entry* by_id(std::uint64_t chain_id) const;
  const chain_entry* by_row(std::int64_t chain) const;
  const chain_entry& make(std::uint64_t chain_id);
  void set_halted(std::int64_t chain, bool halted);

private:
  std::vector<chain_entry> all_;
  statement select_, insert_;
};

} // namespace tidemark::store
