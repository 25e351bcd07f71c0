// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/hex.hpp"
#include "tide/reading.hpp"
#include "tide/whole.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

// Blocks as an endpoint writes them: block (5, 'A') is height 5 on branch A.

namespace tidemark::rpc_test {

inline evm::hash32 hash_of(std::uint64_t n, char kind) {
  evm::hash32 h;
  for (std::size_t i = 0; i < 8; ++i)
    h.octets[24 + i] = static_cast<std::uint8_t>(n >> (56 - 8 * i));
  h.octets[0] = static_cast<std::uint8_t>(kind);
  return h;
}
inline evm::hash32 tx_of(std::uint64_t n) { return hash_of(n, 't'); }
inline evm::block_id id_of(std::uint64_t n, char branch = 'A') { return {n, hash_of(n, branch)}; }

inline evm::log log_of(const evm::block_id& block, std::uint32_t index, std::uint64_t tx) {
  evm::log l;
  l.address.octets[19] = 9;
  l.topics = {hash_of(1, 'e'), hash_of(tx * 1'000 + index, 'v')};
  l.data = evm::bytes{static_cast<std::uint8_t>(index)};
  l.block = block;
  l.tx = tx_of(tx);
  l.log_index = index;
  return l;
}

/// A block of so many transactions, each with one log.
struct made_block {
  evm::header header;
  std::vector<evm::log> logs;
};
inline made_block block_of(std::uint64_t n, std::uint32_t transactions = 0, char branch = 'A') {
  made_block b;
  b.header.number = n;
  b.header.hash = hash_of(n, branch);
  b.header.parent = n > 0 ? hash_of(n - 1, branch) : evm::hash32{};
  b.header.time = 1'700'000'000 + n * 12;
  for (std::uint32_t i = 0; i < transactions; ++i) {
    b.header.transactions.push_back(tx_of(n * 100 + i));
    b.logs.push_back(log_of(b.header.id(), i, n * 100 + i));
    b.logs.back().tx_index = i;
  }
  b.header.logs_bloom = tide::bloom_of(b.logs);
  return b;
}

template <class List, class F> std::string array_of(const List& list, F one) {
  std::string out = "[";
  for (const auto& v : list) {
    if (out.size() > 1) out += ',';
    out += one(v);
  }
  return out + ']';
}
inline std::string quoted(const std::string& s) { return '"' + s + '"'; }
inline std::string hex_array(const std::vector<evm::hash32>& list) {
  return array_of(list, [](const evm::hash32& h) { return quoted(evm::to_hex(h)); });
}

inline std::string to_json(const evm::header& h) {
  return R"({"number":")" + evm::to_quantity(h.number) + R"(","hash":")" + evm::to_hex(h.hash) +
         R"(","parentHash":")" + evm::to_hex(h.parent) + R"(","timestamp":")" +
         evm::to_quantity(h.time) + R"(","logsBloom":")" + evm::to_hex(h.logs_bloom.bits) +
         R"(","transactions":)" + hex_array(h.transactions) + '}';
}
inline std::string to_json(const evm::log& l) {
  return R"({"address":")" + evm::to_hex(l.address) + R"(","topics":)" + hex_array(l.topics) +
         R"(,"data":")" + evm::to_hex(l.data) + R"(","blockNumber":")" +
         evm::to_quantity(l.block.number) + R"(","blockHash":")" + evm::to_hex(l.block.hash) +
         R"(","transactionHash":")" + evm::to_hex(l.tx) + R"(","transactionIndex":")" +
         evm::to_quantity(l.tx_index) + R"(","logIndex":")" + evm::to_quantity(l.log_index) +
         R"(","removed":false})";
}
inline std::string to_json(const std::vector<evm::log>& logs) {
  return array_of(logs, [](const evm::log& l) { return to_json(l); });
}
/// The receipt of one transaction of a block.
inline std::string receipt_json(const made_block& b, std::size_t transaction) {
  std::vector<evm::log> logs;
  for (const auto& l : b.logs)
    if (l.tx == b.header.transactions[transaction]) logs.push_back(l);
  return R"({"transactionHash":")" + evm::to_hex(b.header.transactions[transaction]) +
         R"(","transactionIndex":")" + evm::to_quantity(transaction) + R"(","blockHash":")" +
         evm::to_hex(b.header.hash) + R"(","blockNumber":")" + evm::to_quantity(b.header.number) +
         R"(","status":"0x1","logs":)" + to_json(logs) + '}';
}
inline std::string receipts_json(const made_block& b) {
  std::string out = "[";
  for (std::size_t i = 0; i < b.header.transactions.size(); ++i)
    out += (i > 0 ? "," : "") + receipt_json(b, i);
  return out + ']';
}

} // namespace tidemark::rpc_test
