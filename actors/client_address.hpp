// SPDX-License-Identifier: MIT
#pragma once

#include "config/address_range.hpp"
#include "net/http_server.hpp"

#include <optional>
#include <span>

namespace tidemark::actors {

/// Who sent the request: the peer, or, where that is one of `trusted`, the last address in
/// X-Forwarded-For that none of them is (each proxy appends whom it heard; what stands before was
/// written by that one itself). Nothing where that is no address: then nobody knows.
std::optional<config::ip_octets> client_address(std::span<const config::address_range> trusted,
                                                const net::request& r);

} // namespace tidemark::actors
