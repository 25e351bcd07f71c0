// SPDX-License-Identifier: MIT
#pragma once

#include "net/response.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tidemark::actors {

/// A request's headers as they are kept: a JSON object by lower-case name, in their order; what
/// came several times is joined with ", " (RFC 9110 §5.3), bytes beyond ASCII are read as Latin-1.
/// Left out: authorization, proxy-authorization, cookie, and whatever holds one of `secrets`.
std::string stored_headers(const net::header_list& headers, std::span<const std::string> secrets);

/// A value of what stored_headers made; `name` in lower case. Empty: it is not there.
std::string stored_header(std::string_view stored, std::string_view name);

} // namespace tidemark::actors
