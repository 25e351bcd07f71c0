// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "evm/abi.hpp"
#include "evm/result.hpp"
#include "tide/nearest.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// How values are written in the config. An error says what would be right.

namespace tidemark::config {

/// '_' between digits, exponents, 0x; up to 2^64 - 1.
evm::result<std::uint64_t> parse_count(std::string_view text);
/// 0.5, 25, 1_000: not negative.
evm::result<double> parse_rate(std::string_view text);
/// 250ms 4s 1m 12h 7d, at most 100 years.
evm::result<milliseconds> parse_duration(std::string_view text);
std::string to_text(milliseconds d);
/// Bytes, or 512KiB 4MiB 1GiB 1TiB; below 2^63.
evm::result<std::uint64_t> parse_size(std::string_view text);
std::string size_to_text(std::uint64_t bytes);
/// 127.0.0.1:8480 or [::1]:8480.
evm::result<listen_address> parse_listen(std::string_view text);
bool is_loopback(const listen_address& a);

/// 1 to 64 letters, digits, '_', '-' and '.', the first a letter or digit: it goes into paths, ids
/// and labels.
bool is_name(std::string_view text);
/// A header's name is a token of RFC 9110, its value visible text without line breaks.
bool is_header_name(std::string_view text);
bool is_header_value(std::string_view text);
/// ASCII only, as header and host names need it.
std::string to_lower(std::string_view text);

/// How many octets the text stands for in padded base64 (RFC 4648 §4); nothing where it is none.
std::optional<std::size_t> base64_size(std::string_view text);

/// The parts of a URL that the config looks at.
struct url_parts {
  std::string scheme; ///< lower case
  std::string host;   ///< lower case; of an IPv6 address without its brackets
  std::uint16_t port = 0;
};
/// Scheme http, https, ws or wss; no credentials, no fragment. An error never shows the text, which
/// may hold a key.
evm::result<url_parts> parse_url(std::string_view text);

using tide::nearest;

} // namespace tidemark::config
