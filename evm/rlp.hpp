// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <cstdint>

// A writer of RLP (yellow paper, appendix B). Items are appended to `out`; a list is its items,
// written apart, with the list's head put before them.

namespace tidemark::evm {

void append_rlp(bytes& out, bytes_view item);
/// Big-endian without leading zeros, so 0 is the empty item.
void append_rlp(bytes& out, std::uint64_t number);
/// The head of a list whose items take `size` bytes; they must follow at once.
void append_rlp_list_head(bytes& out, std::size_t size);
/// `items` is what was appended for the items, in order.
void append_rlp_list(bytes& out, bytes_view items);

} // namespace tidemark::evm
