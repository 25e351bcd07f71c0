// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

// What a header proves: its hash is that of its own fields, and its receipts root that of the
// receipts.

namespace tidemark::evm {

/// Every field of a header, in the order of the forks, up to Prague. One that a fork added is
/// absent before it. RLP has no names: one that is absent before one that is present is written as
/// the empty item, which is geth's way.
struct header_fields {
  hash32 parent, uncles, state_root, transactions_root, receipts_root, mix_hash;
  address20 miner;
  bloom logs_bloom;
  bytes difficulty; ///< big-endian, no leading zeros
  std::uint64_t number = 0, gas_limit = 0, gas_used = 0, time = 0;
  bytes extra_data;
  std::array<std::uint8_t, 8> nonce{};
  std::optional<bytes> base_fee;                               ///< EIP-1559; as difficulty
  std::optional<hash32> withdrawals_root;                      ///< EIP-4895
  std::optional<std::uint64_t> blob_gas_used, excess_blob_gas; ///< EIP-4844
  std::optional<hash32> parent_beacon_root;                    ///< EIP-4788
  std::optional<hash32> requests_hash;                         ///< EIP-7685
};

/// keccak256 of the RLP of the fields that are present.
hash32 header_hash(const header_fields& h);

/// What of a receipt is in its block's receipts trie. Of a log that is address, topics and data.
struct receipt_fields {
  std::uint8_t type = 0;            ///< EIP-2718; 0 is a legacy one, which has no type byte
  std::optional<hash32> post_state; ///< before Byzantium (EIP-658), in place of `success`
  bool success = true;
  std::uint64_t cumulative_gas = 0;
  bloom logs_bloom;
  std::vector<log> logs;
  /// Of the OP stack's deposits (type 0x7e): the nonce since Regolith, the version since Canyon.
  std::optional<std::uint64_t> deposit_nonce, deposit_version;
};

/// Of a block's receipts, in the order of their transactions.
hash32 receipts_root(const std::vector<receipt_fields>& receipts);

/// Whether `tx` is the pseudo-transaction that Polygon's Bor answers for the events of a block's
/// state sync: it is in no list, bloom or root, and its hash comes of the block alone.
bool is_state_sync(const hash32& tx, const block_id& block);

} // namespace tidemark::evm
