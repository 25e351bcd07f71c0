// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/seal.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

// A chain that nobody mined: every block follows from a seed and its number, so that ten million
// logs need no disk. Header hashes, parents, blooms and indexes are right, which is what
// `integrity: bloom` proves a block by; the roots are not.

namespace tidemark::bench {

struct replay_settings {
  std::uint64_t seed = 1;
  std::uint64_t chain_id = 1;
  std::uint64_t blocks = 1'000;  ///< the head at the start
  std::uint64_t logs = 50;       ///< ERC-20 transfers a block
  std::uint64_t logs_a_tx = 2;   ///< of them in one transaction
  std::uint64_t contracts = 1;   ///< tokens, in turn
  std::uint64_t keys = 1'000;    ///< receivers, in turn
  std::uint64_t hot_percent = 0; ///< so many in a hundred go to receiver 0 besides
  std::uint64_t quiet_every = 0; ///< above 0: only every so many-th block has logs
};

/// Which logs an eth_getLogs asks for. An empty list takes all.
struct log_query {
  std::vector<evm::address20> addresses;
  std::vector<std::vector<evm::hash32>> topics;
};

/// Thread-safe. Answers are JSON, appended.
class replay_chain {
public:
  explicit replay_chain(const replay_settings& settings);

  std::uint64_t chain_id() const { return s_.chain_id; }
  std::uint64_t head();
  void mine(std::uint64_t blocks);
  /// From now on a block every so many milliseconds; 0 stops that.
  void mine_every(std::uint64_t milliseconds);
  /// Another branch takes the place of the last `depth` blocks, one block longer; the same
  /// transactions are in it.
  void reorg(std::uint64_t depth);

  std::optional<std::uint64_t> number_of(const evm::hash32& block);
  /// `null` for a block that is not there.
  void append_block(std::string& out, std::uint64_t number);
  void append_receipts(std::string& out, std::uint64_t number);
  void append_receipt(std::string& out, const evm::hash32& tx);
  /// The blocks from `from` to `to` that are there; comma-separated, without brackets.
  void append_logs(std::string& out, std::uint64_t from, std::uint64_t to, const log_query& query);

private:
  struct bits {
    std::uint16_t at[3];
  };
  struct party {
    evm::hash32 topic; ///< the address, as a topic
    bits bloom;
  };
  struct transfer {
    std::uint64_t tx, index;
    const party *token, *from, *to;
    std::uint64_t amount;
  };

  party party_of(std::uint64_t kind, std::uint64_t n) const;
  evm::hash32 tx_of(std::uint64_t block, std::uint64_t tx) const;
  std::uint64_t logs_in(std::uint64_t block) const;
  std::uint64_t txs_in(std::uint64_t block) const;
  transfer transfer_of(std::uint64_t block, std::uint64_t index) const;
  void add_to_bloom(evm::bloom& bloom, const transfer& t) const;
  evm::header_fields header_of(std::uint64_t block) const;
  void append_log(std::string& out, std::uint64_t block, const transfer& t) const;
  void append_one_receipt(std::string& out, std::uint64_t block, std::uint64_t tx) const;
  void grow_to(std::uint64_t head);
  void advance();

  replay_settings s_;
  std::vector<party> tokens_, senders_, receivers_;
  bits transfer_bloom_;
  std::shared_mutex mutex_;
  std::vector<evm::hash32> hashes_; ///< by number
  std::vector<std::uint64_t>
      branches_; ///< from which number on which branch: its index is the branch
  std::unordered_map<evm::hash32, std::uint64_t> numbers_;
  std::uint64_t every_ = 0, base_ = 0;
  std::chrono::steady_clock::time_point since_;
};

} // namespace tidemark::bench
