// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::api {

/// A time of RFC 3339 (`2026-11-29T10:00:00.250Z`, or with an offset, or the date alone for its
/// midnight in UTC), in ms since 1970.
std::optional<std::int64_t> parse_moment(std::string_view text);

} // namespace tidemark::api
