// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "net/http_server.hpp"

#include <cstdint>
#include <string>

namespace tidemark::app {

net::server_limits ingest_limits(const config::ingest_section& c);
net::server_limits admin_limits();
std::string host_port(const config::listen_address& a, std::uint16_t port);
/// A connection is a descriptor, and the usual soft limit is below what the config allows.
void raise_file_limit();

} // namespace tidemark::app
