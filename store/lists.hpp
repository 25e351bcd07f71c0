// SPDX-License-Identifier: MIT
#pragma once

#include "store/ledger.hpp"
#include "tide/lists.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::store {

/// Lists of addresses, and from where their additions count. What was read is remembered until a
/// change of it is undone.
class list_book {
public:
  explicit list_book(ledger& l);

  /// The file's addresses are those of the list from now on; what it has beyond the last time
  /// counts from the block after the mark.
  void adopt(const file_list& list);
  list_result change(const list_order& order);

  const tide::address_lists& all();
  std::shared_ptr<const std::vector<tide::list_start>> starts(std::int64_t chain);
  std::uint64_t last_change();
  /// What was read of the chain was read without something that counts now; its new `forms`.
  std::uint64_t widen(std::int64_t chain);
  void forget(); ///< the group is undone

private:
  struct place {
    std::int64_t chain = 0;
    std::uint64_t next = 0; ///< the first block that is still to be read
  };
  std::vector<place> places();
  const tide::address_list* find(const std::string& name);
  /// Begins to count, wherever the list is used; its number.
  std::uint64_t begin_change(std::optional<std::uint64_t> from_block,
                             std::span<const list_use> uses);
  std::uint64_t from_of(std::int64_t chain, std::uint64_t change);
  void put(std::int64_t list, std::span<const evm::address20> addresses, std::uint64_t change);
  void remove(std::int64_t list, std::span<const evm::address20> addresses);

  ledger& ledger_;
  tide::address_lists lists_;
  bool loaded_ = false;
  std::optional<std::uint64_t> last_change_;

  statement lists_of_, entries_, is_known_, put_known_, put_, delete_, count_;
  statement starts_of_, put_start_, start_of_, place_, last_, last_base_;
  statement raise_, unprove_, forms_, set_forms_, insert_backfill_;
};

} // namespace tidemark::store
