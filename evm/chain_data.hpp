// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bloom.hpp"
#include "evm/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::evm {

/// What Tidemark needs of a block's header. `transactions` are the hashes in block order.
struct header {
  std::uint64_t number = 0;
  hash32 hash, parent;
  std::uint64_t time = 0; ///< seconds since 1970
  bloom logs_bloom;
  std::vector<hash32> transactions;
  hash32 receipts_root;
  std::optional<hash32> sealed; ///< keccak of the RLP of its fields, where it was recomputed
  std::string unknown_fields;   ///< names that this version cannot put into that RLP
  // Where whole transactions were read too
  hash32 transactions_root;                     ///< as it says
  std::optional<hash32> made_transactions_root; ///< as they make it
  std::string unproved_transactions;            ///< why they make none
  std::vector<std::uint64_t> transaction_types; ///< as the transactions say

  block_id id() const { return {number, hash}; }
};

/// A log as an endpoint gives it, with its place. `log_index` counts within the block.
struct log {
  address20 address;
  std::vector<hash32> topics; ///< 0 to 4
  bytes data;
  block_id block;
  hash32 tx;
  std::uint32_t tx_index = 0;
  std::uint32_t log_index = 0;
  friend bool operator==(const log&, const log&) = default;
};

/// Where a transaction is, by its receipt.
struct receipt {
  hash32 tx;
  block_id block;
  std::uint32_t tx_index = 0;
  std::optional<bool> success;                ///< absent before Byzantium
  std::optional<address20> from, to, created; ///< absent: not said, or none
  std::vector<log> logs;
};

} // namespace tidemark::evm
