// SPDX-License-Identifier: MIT
#include "app/limits.hpp"

#include <chrono>
#include <sys/resource.h>

namespace tidemark::app {

using namespace std::chrono_literals;

net::server_limits ingest_limits(const config::ingest_section& c) {
  net::server_limits l;
  l.max_body = c.max_body;
  l.max_connections = c.max_connections;
  l.max_in_flight_bytes = c.max_in_flight;
  l.header = c.header;
  l.body = c.body;
  l.idle = c.idle;
  l.answer = 10s;
  return l;
}

net::server_limits admin_limits() {
  net::server_limits l;
  l.max_body = 8 << 20; // lists of addresses
  l.answer = 10min;     // what a copy of a large store, or a look through it, takes
  l.require_length = false;
  l.max_connections = 4'096; // most of them follow the feed
  return l;
}

std::string host_port(const config::listen_address& a, std::uint16_t port) {
  return (a.host.find(':') == std::string::npos ? a.host : '[' + a.host + ']') + ':' +
         std::to_string(port);
}

void raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

} // namespace tidemark::app
