// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <optional>
#include <string_view>

namespace tidemark::providers {

/// Pairs of 0-9a-f. Upper case is refused: one MAC has one text.
std::optional<evm::bytes> decode_lower_hex(std::string_view text);

/// RFC 4648 §4 with padding, without line breaks, and with zero bits where the last character has
/// some to spare.
std::optional<evm::bytes> decode_base64(std::string_view text);

} // namespace tidemark::providers
