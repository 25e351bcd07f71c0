// SPDX-License-Identifier: MIT
#pragma once

#include "api/routes.hpp"
#include "config/config.hpp"
#include "net/http_server.hpp"

#include <optional>
#include <string>
#include <string_view>

// Who may ask. A page of somebody else's, opened in an operator's browser, reaches the loopback
// address as well as the operator does: its Origin gives it away, and where it has renamed itself
// (DNS rebinding) its Host.

namespace tidemark::api {

/// 403 unless the Host is one that we are known by, and the Origin, if there is one, is that Host.
/// Any port will do: a tunnel or a container's mapping has one of its own.
std::optional<net::response> check_place(const config::admin_section& admin,
                                         const net::request& request);

struct caller {
  std::string name;
  bool operate = false;
};
/// Whoever the token belongs to; without tokens in the config everybody may do everything. Every
/// token is compared, each in constant time.
std::optional<caller> find_caller(const config::admin_section& admin, const net::request& request);

/// 401 or 403 where the route needs more than the request shows.
std::optional<net::response> check_access(const config::admin_section& admin, access needs,
                                          const net::request& request);

/// `application/json`, with or without parameters.
bool is_json(const net::request& request);

} // namespace tidemark::api
