// SPDX-License-Identifier: MIT
#pragma once

#include "net/http_client.hpp"

#include <string>

namespace tidemark::net {

/// Why this may not be sent, without its secrets; empty: it may. A line break in a header would be
/// a second request.
std::string why_not_sendable(const client_request& r);

/// Request line and headers, to the empty line.
std::string request_head(const client_request& r);

} // namespace tidemark::net
