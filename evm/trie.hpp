// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <vector>

namespace tidemark::evm {

/// The root of the Merkle-Patricia trie that holds values[i] at key rlp(i), as a block's
/// transactions, receipts and withdrawals are held (yellow paper, appendix D and 4.3.2). No value
/// may be empty: a trie holds none such.
hash32 ordered_trie_root(const std::vector<bytes>& values);

} // namespace tidemark::evm
