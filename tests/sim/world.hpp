// SPDX-License-Identifier: MIT
#pragma once

#include "feature.hpp"
#include "stream.hpp"

#include "evm/chain_data.hpp"
#include "evm/seal.hpp"
#include "evm/transaction.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tidemark::sim {

/// A transaction as it may be mined again and again: what it logs depends on where.
struct transaction {
  evm::hash32 hash;
  std::uint64_t number = 0; ///< what it is made of follows from it
  std::uint32_t logs = 1;
  std::uint64_t value = 0;
  bool by_block = false; ///< the logged value is the block's number
  bool foreign = false;  ///< an event that nobody subscribed to
  bool reverts = false;  ///< a receipt without logs
};

struct block {
  evm::header header;
  std::vector<evm::log> logs;
  std::vector<transaction> transactions;
  std::uint64_t salt = 0; ///< what makes two blocks with the same content two
};

/// A chain drawn from a seed: every block that ever was, and which of them are canonical now. Their
/// hashes, blooms and receipts roots are real.
class world {
public:
  explicit world(std::uint64_t seed, feature_set on = {});

  /// The canonical block there, or nothing: a height above the head, or a void one.
  const block* find(std::uint64_t number) const;
  const block& at(std::uint64_t number) const { return *find(number); }
  /// Of all that ever were.
  const block* by_hash(const evm::hash32& hash) const;
  std::uint64_t head() const { return canonical_.size() - 1; }
  std::uint64_t highest() const { return highest_; } ///< the highest head that there ever was
  std::uint64_t mined() const { return blocks_.size(); }
  bool is_canonical(const evm::block_id& id) const {
    return id.number < canonical_.size() && canonical_[id.number] == id.hash;
  }
  /// The height of the canonical block that has it.
  std::optional<std::uint64_t> where(const evm::hash32& tx) const;

  /// One more block with up to four transactions, new ones and such as a fork left behind.
  void mine();
  /// The last `depth` blocks are replaced by `others`; their transactions come again in the same
  /// place, later, in another order, changed, or never.
  void fork(std::uint64_t depth, std::uint64_t others);
  /// The branch that the last fork left becomes canonical again, with the same hashes, and grows
  /// past the other.
  bool back();
  /// The branch that was left last: the heights from `from` on.
  struct side_branch {
    std::uint64_t from = 0;
    std::vector<evm::hash32> hashes;
  };
  const side_branch& left() const { return left_; }

  // For stories that are written, not drawn
  void mine_these(std::vector<transaction> txs) { append(std::move(txs)); }
  void mine_void() { canonical_.push_back({}); } ///< the next block is one higher
  /// The chain is shorter now, without another block.
  void rewind(std::uint64_t blocks) { cut(canonical_.size() - blocks); }
  using branch = std::vector<evm::hash32>;
  const branch& canonical() const { return canonical_; }
  /// Blocks that were canonical before are so again.
  void become(const branch& b);

  transaction make_transaction();
  tally shapes;

  static evm::address20 token();
  static evm::hash32 topic(std::uint64_t n);
  static evm::header_fields fields_of(const block& b);
  static std::vector<evm::receipt_fields> receipts_of(const block& b);
  static evm::address20 receiver(std::uint64_t n);
  static evm::transaction_fields fields_of(const transaction& t);
  /// The block's i-th transaction, as an endpoint would tell it and its receipt.
  static evm::transaction event_of(const block& b, std::size_t i);

private:
  void append(std::vector<transaction> txs);
  void cut(std::uint64_t size);
  void put(const evm::hash32& hash);
  void scatter(std::vector<transaction> txs, std::size_t i,
               std::vector<std::vector<transaction>>& others);

  feature_set on_;
  stream content_, forks_, voids_;
  std::unordered_map<evm::hash32, block> blocks_;
  std::vector<evm::hash32> canonical_; ///< by height; zero: void
  std::unordered_map<evm::hash32, std::uint64_t> mined_;
  std::vector<transaction> pool_; ///< left by a fork, to be mined again
  side_branch left_;
  std::uint64_t made_ = 0, highest_ = 0;
};

} // namespace tidemark::sim
