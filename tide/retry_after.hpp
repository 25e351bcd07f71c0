// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::tide {

/// How many ms from `now` (ms since 1970) a Retry-After header asks for (RFC 9110 §10.2.3: seconds,
/// or a date in any of the three forms of §5.6.7). At most 1 h, whatever it says; 0: a time that is
/// over. Nothing: it says neither.
std::optional<std::int64_t> parse_retry_after(std::string_view value, std::int64_t now);

} // namespace tidemark::tide
