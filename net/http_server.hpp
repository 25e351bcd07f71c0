// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "net/byte_budget.hpp"
#include "net/reply_slot.hpp"
#include "net/response.hpp"
#include "net/tls.hpp"

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace boost::asio {
class io_context;
}

namespace tidemark::net {

class server_core;

/// All times are looked at every quarter of the shortest one, at least every 250 ms.
struct server_limits {
  /// Request line and headers together; beyond: 431.
  std::size_t max_header = std::size_t{16} * 1024;
  /// As sent; beyond: 413.
  std::size_t max_body = std::size_t{4} * 1024 * 1024;
  /// Beyond: 503, and the connection ends.
  std::size_t max_connections = 1024;
  /// Bytes of bodies read and not answered; beyond: 503, before the body is read.
  std::size_t max_in_flight_bytes = std::size_t{64} * 1024 * 1024;
  /// From a request's first byte (or the accept) to its last header.
  std::chrono::milliseconds header{5'000};
  /// For the whole body.
  std::chrono::milliseconds body{10'000};
  /// Between requests, and for writing an answer.
  std::chrono::milliseconds idle{60'000};
  /// How long a slot may stay unanswered before it is 503; 0: for ever.
  std::chrono::milliseconds answer{30'000};
  /// POST, PUT and PATCH without a length are 411; false: they have no body.
  bool require_length = true;
};

/// One request. The body may be moved out; hold() only before the slot is answered.
struct request {
  std::string method;
  /// The path, as sent (percent-encoded), beginning with `/`, or `*`.
  std::string target;
  /// What follows the first `?`, without it.
  std::string query;
  /// Original names, in order.
  header_list headers;
  /// As sent, without the framing of chunks.
  std::string body;
  boost::asio::ip::address remote;
  /// The server's in-flight bytes that this request counts for, until it is answered.
  byte_lease held;

  request() = default;
  explicit request(std::shared_ptr<byte_budget> budget) : held(std::move(budget)) {}

  /// The first of that name, whatever its case.
  std::optional<std::string_view> header(std::string_view name) const;
  /// Counts further bytes (an inflated body) as in flight; false: there is no room, answer 503.
  bool hold(std::size_t more) { return held.grow(more); }
};

/// HTTP/1.1 and 1.0 for ingest and admin. What the caller does not decide is answered here, as
/// problem(): 400 malformed · 408 too slow · 411 · 413 · 417 · 431 · 503 with Retry-After where
/// there is no room.
///
/// A connection is served by one I/O thread at a time and its next request is read only after the
/// answer to the last one is written, so what is in flight is bounded by the connections.
class http_server {
public:
  /// After the head, before the body: an answer ends the request there (404, 405, 415 …). On an I/O
  /// thread, not to block.
  using head_check = std::function<std::optional<response>(const request&)>;
  /// The whole request. On an I/O thread, not to block. HEAD comes here as HEAD; the answer's body
  /// is left out then.
  using handler = std::function<void(std::shared_ptr<request>, reply_slot)>;

  /// A request whose head was read and which never came to the handler, with what it is told: by
  /// the head check, a limit or a malformed body. On an I/O thread, not to block.
  using refusal = std::function<void(const request&, const response&)>;

  /// `io` must outlive this and every slot (so: the actors too). With `tls` every connection is
  /// TLS.
  http_server(boost::asio::io_context& io, const server_limits& limits, head_check on_head,
              handler on_request, std::shared_ptr<const tls_context> tls = nullptr,
              refusal on_refused = {});
  /// Closes everything. The callbacks may still run on other threads until `io` is stopped or
  /// open_connections() is 0: what they refer to must live so long.
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// Binds and accepts; `address` is an IP literal without brackets. The bound port (`port` 0 picks
  /// one).
  evm::result<std::uint16_t> listen(const std::string& address, std::uint16_t port);

  /// The same on a socket that listens already (systemd's); takes it over.
  evm::result<std::uint16_t> adopt(int socket);
  /// What later connections show; only where there were certificates before. Any thread.
  void set_tls(std::shared_ptr<const tls_context> tls);

  /// For a drain: no new connections, idle ones end, each answer from now on ends its connection.
  /// Any thread.
  void stop_accepting();
  /// Requests whose head was read and whose answer is not written yet. Any thread.
  std::size_t open_requests() const;
  std::size_t open_connections() const;
  /// Bytes of bodies read and not answered yet. Any thread.
  std::size_t in_flight_bytes() const;
  /// Cuts every connection, answered or not. Any thread.
  void close_all();

private:
  std::shared_ptr<server_core> core_;
};

} // namespace tidemark::net
