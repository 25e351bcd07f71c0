// SPDX-License-Identifier: MIT
#pragma once

#include "world.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::sim {

/// A block as a node's JSON says it; each piece is a whole value.
struct block_text {
  std::string header; ///< eth_getBlockByNumber without full transactions
  std::string whole;  ///< with them
  std::vector<std::string> logs;
  std::vector<std::string> receipts;
};

std::string log_text(const evm::log& l);
/// With other logs than the block has, where somebody lies: bloom, status and gas are made to fit.
std::string receipt_text(const block& b, std::size_t i, const std::vector<evm::log>& logs);

/// Keeps what it rendered, as the same blocks are asked for again and again.
class renderer {
public:
  /// Good until the next call.
  const block_text& of(const block& b);

private:
  std::unordered_map<evm::hash32, block_text> kept_;
};

} // namespace tidemark::sim
