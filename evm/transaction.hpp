// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"
#include "evm/bytes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::evm {

/// A transaction of a block, as far as it can be an event.
struct transaction {
  hash32 hash;
  block_id block;
  std::uint32_t index = 0; ///< in its block
  address20 from;
  std::optional<address20> to; ///< absent: it creates a contract
  integer value;               ///< wei, 0 to 2^256 - 1
  bytes input;
  std::uint64_t nonce = 0;
  // By its receipt
  std::optional<bool> success;      ///< absent: not known, or before Byzantium (EIP-658)
  std::optional<address20> created; ///< the new contract's address, where `to` is absent
  friend bool operator==(const transaction&, const transaction&) = default;
};

/// Where a contract comes to be that `from` creates with its transaction of that nonce: the last 20
/// bytes of keccak256(rlp([from, nonce])) (yellow paper, 7).
address20 created_address(const address20& from, std::uint64_t nonce);

/// Every field that a transaction's hash is made of, by type (EIP-2718): 0 legacy, 1 EIP-2930, 2
/// EIP-1559, 3 EIP-4844, 4 EIP-7702, 0x7e the OP stack's deposits. Those of other types stay empty.
/// Numbers up to 256 bits: big-endian, no leading zeros.
struct transaction_fields {
  struct access {
    address20 address;
    std::vector<hash32> keys;
  };
  struct authorization {
    bytes chain_id;
    address20 address;
    std::uint64_t nonce = 0;
    bytes y_parity, r, s;
  };
  std::uint64_t type = 0;
  bytes chain_id;
  std::uint64_t nonce = 0, gas = 0;
  bytes gas_price;             ///< types 0 and 1
  bytes priority_fee, max_fee; ///< from EIP-1559 on
  std::optional<address20> to;
  bytes value, input;
  std::vector<access> access_list;
  bytes blob_fee;
  std::vector<hash32> blob_hashes;
  std::vector<authorization> authorizations;
  bytes v, r, s; ///< v: y parity in all but the legacy ones
  // Of deposits
  hash32 source;
  address20 from;
  bytes mint;
  bool is_system = false;
};

/// Whether `encoded` knows the type.
bool is_known_transaction_type(std::uint64_t type);
/// As it stands in the transactions trie; its keccak is the transaction's hash. Of a known type.
bytes encoded(const transaction_fields& t);

} // namespace tidemark::evm
