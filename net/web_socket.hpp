// SPDX-License-Identifier: MIT
#pragma once

#include "net/http_client.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace tidemark::net {

struct socket_request {
  url target; ///< ws or wss
  /// Not Host, Connection, Upgrade and Sec-WebSocket-*, which are the client's.
  header_list headers;
  /// From the call to the end of the handshake.
  std::chrono::milliseconds timeout{10'000};
  std::size_t max_message = std::size_t{256} * 1024; ///< bytes; a longer one ends the connection
  egress reach = egress::public_only;
  /// Null: the system's roots.
  std::shared_ptr<const tls_context> tls;
};

struct socket_opened {};
struct socket_said {
  std::string text; ///< one whole message, text or binary
};
struct socket_ponged {};
struct socket_ended {
  client_error why;
  unsigned status = 0; ///< of the HTTP answer, where there was one in place of a WebSocket
};
using socket_event = std::variant<socket_opened, socket_said, socket_ponged, socket_ended>;

/// One WebSocket (RFC 6455), client's side, without extensions. Any thread.
class web_socket {
public:
  /// On an I/O thread, one at a time; must not block. The last one is socket_ended, unless it is
  /// closed from here, after which little or nothing comes.
  using callback = std::function<void(socket_event)>;

  web_socket() = default;
  virtual ~web_socket() = default;
  web_socket(const web_socket&) = delete;
  web_socket& operator=(const web_socket&) = delete;

  /// Asks for the next message. What was not asked for waits at the peer, so that nobody is
  /// flooded; pings, pongs and the end are seen only while one is waited for.
  virtual void read() = 0;
  virtual void say(std::string text) = 0;
  virtual void ping() = 0;
  virtual void close() = 0;
};

class socket_core;

/// Opens WebSockets: certificates and host names verified, redirects never followed.
class socket_client {
public:
  /// `io` must outlive this.
  explicit socket_client(boost::asio::io_context& io);
  /// What is open is not closed by that: whoever holds it closes it.
  ~socket_client();
  socket_client(const socket_client&) = delete;
  socket_client& operator=(const socket_client&) = delete;

  /// Any thread. Close it before the last handle goes.
  std::shared_ptr<web_socket> open(socket_request r, web_socket::callback done);

private:
  std::shared_ptr<socket_core> core_;
};

} // namespace tidemark::net
