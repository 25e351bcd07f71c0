// SPDX-License-Identifier: MIT
#pragma once

#include "net/tls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace tidemark::net {

using io_done = std::function<void(const boost::system::error_code&, std::size_t)>;
using write_parts = std::array<boost::asio::const_buffer, 2>;

/// A socket, TLS if asked: the one stream of this folder. Its templates are instantiated in its
/// .cpp alone, because an Asio operation over TLS takes long to compile.
///
/// At most one read and one write at a time, and with TLS neither beside the other outside of a
/// strand. A handler runs on the socket's executor and keeps the stream's owner alive.
class stream {
public:
  /// Plain until a handshake is asked for.
  explicit stream(boost::asio::ip::tcp::socket socket);
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  boost::asio::ip::tcp::socket& socket() { return socket_; }

  void accept_tls(std::shared_ptr<const tls_context> context, io_done done);
  /// Verifies the certificate and that it is `host`'s (a name or an IP literal); a name is sent as
  /// SNI.
  void connect_tls(std::shared_ptr<const tls_context> context, const std::string& host,
                   io_done done);
  /// Why the peer's certificate was not taken; empty where that was not the trouble.
  std::string verify_error() const;

  void read_some(boost::asio::mutable_buffer into, io_done done);
  /// All of both parts.
  void write(const write_parts& parts, io_done done);

  /// Says that nothing more will be written (TLS: close_notify, waiting for the peer's).
  void finish_writing(io_done done);

  /// After that: what the peer still sends, below TLS, to be thrown away.
  void read_raw(boost::asio::mutable_buffer into, io_done done);

  /// True if a connection that should be silent is not: closed by the peer, or bytes that nobody
  /// asked for.
  bool stale();

  /// From any thread, beside whatever is pending: reads end as at the peer's end, `both`: writes
  /// fail too.
  void interrupt(bool both);
  /// On the executor only.
  void close();

private:
  struct tls_part;

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<tls_part> tls_;
  std::mutex
      closing_; ///< interrupt() must not touch a descriptor that close() gave back to the system
};

} // namespace tidemark::net
