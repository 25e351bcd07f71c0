// SPDX-License-Identifier: MIT
#pragma once

#include "net/http_client.hpp"
#include "net/web_socket.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>

namespace tidemark::app {

/// Whatever goes out. Nodes and handlers apart, so that a large answer of a node delays no
/// delivery.
struct clients {
  static constexpr std::size_t connections_a_chain = 16;
  static constexpr std::size_t connections_a_handler = 1'100; ///< above the highest concurrency

  explicit clients(boost::asio::io_context& io)
      : nodes(io, with(connections_a_chain)), handlers(io, with(connections_a_handler)),
        sockets(io) {}

  static net::client_limits with(std::size_t connections) {
    net::client_limits limits;
    limits.max_per_origin = connections;
    return limits;
  }

  net::http_client nodes, handlers;
  net::socket_client sockets;
};

} // namespace tidemark::app
