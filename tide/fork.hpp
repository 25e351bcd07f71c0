// SPDX-License-Identifier: MIT
#pragma once

#include "tide/tide.hpp"

namespace tidemark::tide {

/// Where the chain of one endpoint leaves what we hold, as far as it can say.
struct tide::fork {
  std::size_t endpoint = 0; ///< whose word it is
  std::string endpoint_name;
  std::optional<evm::hash32> branch; ///< the new branch's first block
  bool found = false;
  std::optional<evm::block_id> ancestor;
  evm::header base;
  evm::block_id new_head;
  bool lost = false; ///< nothing that we hold is on its chain, and what lies below is not held
};

} // namespace tidemark::tide
