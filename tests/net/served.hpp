// SPDX-License-Identifier: MIT
#pragma once

#include "net/http_server.hpp"
#include "net/io_threads.hpp"
#include "tests/net/peers.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tidemark::tests {

/// A server on two threads. What it does goes by the path: /echo gives the body back, /say what it
/// understood, /hold keeps the slot for release(), /drop loses it, /empty answers 204, /none is no
/// path at all.
class served {
public:
  explicit served(const net::server_limits& limits = {},
                  std::shared_ptr<const net::tls_context> tls = nullptr);
  ~served();

  raw_socket connect() const { return raw_socket::connect(port); }
  /// One request on a connection of its own, and what comes until that ends.
  std::string talk(std::string_view text) const;

  std::size_t held();
  void release(const std::string& text);

  net::io_threads io{2};
  std::mutex mutex;
  std::vector<net::reply_slot> slots;
  net::http_server server;
  std::uint16_t port = 0;

private:
  void handle(std::shared_ptr<net::request> r, net::reply_slot slot);
};

} // namespace tidemark::tests
