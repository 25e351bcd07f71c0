// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <cstdint>

namespace tidemark::evm {

/// The first 8 bytes of the SHA-256, as a number: to tell apart what was read twice. No chain knows
/// it; it is stored, so how it is made stays. SHA-256 because processors have instructions for it:
/// a fifth of keccak's time for a log.
std::uint64_t digest64(bytes_view data);

} // namespace tidemark::evm
