// SPDX-License-Identifier: MIT
#pragma once

#include "providers/signature.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::providers {

/// Unix seconds out of a text as the sender writes it; fractions are cut off. Decimal digits
/// without a sign or leading zeros: where a time stands beside another signed text without anything
/// between, digits that moved from one to the other must not give the same time.
std::optional<std::int64_t> read_time(signed_time::form as, std::string_view text);

} // namespace tidemark::providers
