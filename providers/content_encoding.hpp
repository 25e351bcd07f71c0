// SPDX-License-Identifier: MIT
#pragma once

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::providers {

/// Why a body was not inflated: HTTP 415, 400 and 413 in this order.
enum class inflate_refusal : std::uint8_t { unknown_encoding, damaged, too_large };
std::string_view to_text(inflate_refusal r);
[[noreturn]] void throw_exception_from_error(inflate_refusal r, const boost::source_location&);

/// True for a Content-Encoding that leaves the body as it is: empty or `identity`.
bool is_identity(std::string_view encoding);

/// Undoes a Content-Encoding header's value (RFC 9110 §8.4): gzip, x-gzip, deflate (with its zlib
/// header or, as some send it, without), identity. More than one encoding at once is an unknown
/// one. Never holds more than `limit` bytes of output and a buffer; a body that ends early or has
/// something behind its end is damaged.
boost::system::result<std::string, inflate_refusal>
inflate(std::string_view encoding, std::string_view body, std::size_t limit);

} // namespace tidemark::providers
