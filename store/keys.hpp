// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::store {

/// A random 8-byte key (and a small number beside it) → a row. Several rows may have the same key:
/// the caller compares in full.
struct key_entry {
  std::uint64_t key = 0;
  std::int64_t row = 0;
  std::int32_t extra = 0; ///< log_index; 0 where the table has none
};

/// The first 8 bytes of a transaction's hash.
std::uint64_t tx_key(const evm::hash32& tx);

/// Keys in memory, in the order in which they came, found by hash. The last ones can be taken back.
class key_tail {
public:
  std::size_t size() const { return entries_.size(); }
  const std::vector<key_entry>& entries() const { return entries_; }
  void add(const key_entry& e);
  void shrink_to(std::size_t size);
  void find(std::uint64_t key, std::int32_t extra, std::vector<std::int64_t>& rows) const;

private:
  std::size_t slot_of(std::uint64_t key, std::int32_t extra) const;
  void grow();

  std::vector<key_entry> entries_;
  std::vector<std::uint32_t> slots_; ///< index + 1 into entries_, linear probing; 0: free
};

/// Which table the keys go to in the end, and from which their newest ones come back at a start.
struct key_table {
  const char* name;   ///< in `cursors`
  const char* insert; ///< (key, extra, row); `OR IGNORE`
  const char* find;   ///< (key, extra) → row
  const char* newer; ///< (cursor) → key's 8 bytes as number or blob, extra, row; by row, ascending
};
extern const key_table webhook_key_table, event_key_table;

/// Random keys in a b-tree touch a page each. So they wait in memory until `run_size` of them are
/// there, and reach their b-tree sorted; what waits is read again at a start from the rows above
/// the cursor. Rows come in ascending order.
class key_runs {
public:
  static constexpr std::size_t default_run_size = 131'072;
  key_runs(connection& db, const key_table& table, std::size_t run_size = default_run_size);

  /// The rows that may have the key, in any order, each once.
  const std::vector<std::int64_t>& find(std::uint64_t key, std::int32_t extra);
  void add(std::uint64_t key, std::int32_t extra, std::int64_t row);

  std::size_t mark() const { return tail_.size(); }
  void rewind(std::size_t to) { tail_.shrink_to(to); } ///< never across `settle`
  /// Before a commit: some of a full run go to the b-tree.
  void write_some();
  /// After the commit (`true`), or once the group is undone.
  void settle(bool committed);

private:
  void load();
  void freeze();

  key_table table_;
  std::size_t run_size_;
  statement insert_, find_, newer_, cursor_, set_cursor_;
  key_tail tail_;
  key_tail run_;                      ///< full, on its way to the b-tree
  std::vector<std::uint32_t> sorted_; ///< its entries, by key
  std::size_t written_ = 0;           ///< of sorted_, committed
  std::size_t writing_ = 0;           ///< of sorted_, with the group in progress
  std::size_t added_ = 0;             ///< since the last settle
  std::vector<std::int64_t> found_;
};

} // namespace tidemark::store
