// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tidemark::sim {

/// A transaction as it may be mined again and again: what it logs depends on where.
struct transaction {
  evm::hash32 hash;
  std::uint32_t logs = 1;
  std::uint64_t value = 0;
  bool by_block = false; ///< the logged value is the block's number
  bool foreign = false;  ///< an event that nobody subscribed to
};

struct block {
  evm::header header;
  std::vector<evm::log> logs;
  std::vector<transaction> transactions;
};

/// A chain drawn from a seed: every block that ever was, and which of them are canonical now.
class world {
public:
  explicit world(std::uint64_t seed);

  const block& at(std::uint64_t number) const { return blocks_.at(canonical_.at(number)); }
  std::uint64_t head() const { return canonical_.size() - 1; }
  bool is_canonical(const evm::block_id& id) const {
    return id.number < canonical_.size() && canonical_[id.number] == id.hash;
  }

  /// One more block with up to four transactions.
  void mine();
  /// The last `depth` blocks are replaced by depth + `longer` others; their transactions come again
  /// in the same place, later, in another order, changed, or never.
  void fork(std::uint64_t depth, std::uint64_t longer);
  /// The branch that the last fork left becomes canonical again, with the same hashes, and grows
  /// past the other.
  bool back();

  // For stories that are written, not drawn
  void mine_these(std::vector<transaction> txs) { append(std::move(txs)); }
  /// The chain is shorter now, without another block.
  void rewind(std::uint64_t blocks) { canonical_.resize(canonical_.size() - blocks); }
  using branch = std::vector<evm::hash32>;
  const branch& canonical() const { return canonical_; }
  /// Blocks that were canonical before are so again.
  void become(branch b) { canonical_ = std::move(b); }

  /// What an endpoint whose head is `lag` blocks behind answers.
  tide::answer_what ask(const tide::ask_what& what, std::uint64_t lag) const;

  transaction make_transaction();
  std::mt19937_64 random;
  bool chance(unsigned percent) { return random() % 100 < percent; }

  static evm::address20 token();
  static evm::hash32 topic(std::uint64_t n);

private:
  void append(std::vector<transaction> txs);
  std::optional<evm::receipt> receipt(const evm::hash32& tx, std::uint64_t head) const;

  std::map<evm::hash32, block> blocks_;
  std::vector<evm::hash32> canonical_, left_;
  std::uint64_t made_ = 0;
};

} // namespace tidemark::sim
