// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <string_view>

namespace tidemark::evm {

/// Keccak-256 with the padding that Ethereum uses (not SHA3-256).
hash32 keccak256(bytes_view data);
hash32 keccak256(std::string_view text);

/// The first 8 bytes of the hash, as a number: enough to tell apart what nobody forges.
std::uint64_t keccak_prefix(bytes_view data);

} // namespace tidemark::evm
