// SPDX-License-Identifier: MIT
#pragma once

#include "run.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::sim {

constexpr std::uint64_t confirmations = 2;
constexpr std::uint64_t max_depth = 5;

inline plan calm() {
  plan p;
  p.seed = 5;
  p.endpoints = {{}};
  p.confirmations = confirmations;
  p.max_depth = max_depth;
  return p;
}

/// A run whose chain is written block by block.
struct story : run {
  explicit story(const plan& p = calm()) : run(p) { catch_up(); }

  transaction transfer(std::uint32_t logs = 1) {
    auto t = chain().make_transaction();
    t.logs = logs;
    t.by_block = t.foreign = false;
    return t;
  }
  void mine(std::vector<transaction> txs = {}) { chain().mine_these(std::move(txs)); }
  void mine_empty(int blocks) {
    for (; blocks > 0; --blocks)
      mine();
  }
};

} // namespace tidemark::sim
