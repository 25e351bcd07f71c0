// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <string_view>

namespace tidemark::evm {

/// Keccak-256 with the padding that Ethereum uses (not SHA3-256).
hash32 keccak256(bytes_view data);
hash32 keccak256(std::string_view text);

} // namespace tidemark::evm
