// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "tide/write_set.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::tide {

/// The contracts that one chain's factories have made, and from which log on each of them counts
/// (design §5, "Factories"). What changed since it was last told to the store is kept as well.
class nursery {
public:
  /// As the store has it.
  explicit nursery(const std::vector<child>& known = {});

  void add(const child& c);
  /// A block that was read whole has just these.
  void set_block(const evm::block_id& block, const std::vector<child>& born);
  /// Those blocks are not on the chain any more.
  void drop_above(std::uint64_t number);

  /// The log is by a child of that subscription, of one of these factories, and behind the log that
  /// named it. Children of a factory that the subscription no longer has stay known.
  bool has(const std::string& subscription, const std::set<std::uint64_t>& makers,
           const evm::log& l) const;

  /// Blocks that are not in the store as they are here, with all that they have.
  std::vector<born> unsaved() const;
  void saved() { unsaved_.clear(); }

private:
  void forget(std::uint64_t block);

  std::map<std::uint64_t, std::vector<child>> by_block_;
  std::unordered_map<evm::address20, std::vector<child>> by_address_;
  std::set<std::uint64_t> unsaved_;
};

} // namespace tidemark::tide
