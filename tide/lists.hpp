// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Lists of addresses (contract §2 `lists`): what is in them, and from which block an addition
// counts.

namespace tidemark::tide {

/// A list at one moment. Immutable, so whoever matches shares it.
class address_list {
public:
  struct entry {
    evm::address20 address;
    std::uint64_t change = 0; ///< which of the store's changes of lists added it; 0: there at first
  };
  explicit address_list(std::vector<entry> entries); ///< each address once, in any order
  /// Null: it is not in the list.
  const entry* find(const evm::address20& a) const;
  std::size_t size() const { return entries_.size(); }
  const std::vector<entry>& entries() const { return entries_; } ///< ascending

private:
  std::vector<entry> entries_;
  std::vector<std::uint32_t> slots_; ///< by hash: index + 1; 0: free
};

/// From which block the addresses of one change count on one chain.
struct list_start {
  std::uint64_t change = 0, from = 0;
  bool given = false; ///< from_block said so; otherwise it was the block after the mark
};

using address_lists = std::map<std::string, std::shared_ptr<const address_list>>;

/// One log against the lists of one subscription: which block it would have to be in at least.
class list_gate {
public:
  /// `from`: where the subscription counts from. `base`: what was added up to this change was there
  /// when that was resolved. `starts`: ascending by change.
  list_gate(std::uint64_t from, std::uint64_t base, const std::vector<list_start>& starts)
      : from_(from), base_(base), starts_(starts) {}

  /// False: it is in none of them.
  bool pass(const std::vector<std::shared_ptr<const address_list>>& lists, const evm::address20& a);
  /// Of all that passed.
  std::uint64_t from() const { return by_lists_.value_or(from_); }

private:
  std::uint64_t from_of(std::uint64_t change) const;

  std::uint64_t from_, base_;
  const std::vector<list_start>& starts_;
  std::optional<std::uint64_t> by_lists_;
};

} // namespace tidemark::tide
