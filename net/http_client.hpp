// SPDX-License-Identifier: MIT
#pragma once

#include "net/egress.hpp"
#include "net/response.hpp"
#include "net/tls.hpp"
#include "net/url.hpp"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace tidemark::net {

class client_core;

struct client_request {
  url target;
  std::string method = "POST";
  /// Not Host, Content-Length, Transfer-Encoding, Connection and Accept-Encoding, which are the
  /// client's.
  header_list headers;
  /// Null: none.
  std::shared_ptr<const std::string> body;
  /// From the call to the last byte of the answer, waiting for a connection included.
  std::chrono::milliseconds timeout{10'000};
  /// Bytes of the answer's body, inflated.
  std::size_t max_answer = std::size_t{16} * 1024 * 1024;
  /// 0: the whole body, and one over max_answer is too_large. Else: its first so many bytes are
  /// kept, reading stops at max_answer, and the answer counts all the same (`cut_short`).
  std::size_t keep = 0;
  egress reach = egress::public_only;
  /// A request that a kept connection lost before any byte of an answer is sent once more, on a
  /// fresh one, if the connection had rested for so long. 0: always. Where attempts are counted,
  /// not sooner than a peer may have ended it unseen: it may have taken the request.
  std::chrono::milliseconds resend_lost{0};
  bool accept_gzip = false;
  /// Own roots or a client certificate; null: the system's roots.
  std::shared_ptr<const tls_context> tls;
  std::string sender; ///< whose it is, for cut()
};

struct client_response {
  unsigned status = 0;
  header_list headers;
  std::string body;       ///< inflated
  bool cut_short = false; ///< the answer's body is longer than `body`
  bool fresh = false;     ///< over a connection opened for it: another machine may be behind it now
};

enum class failure {
  dns,             ///< the name has no address, or nobody could say
  refused,         ///< no connection: refused, unreachable
  refused_address, ///< resolved, and not allowed to go there
  tls,             ///< handshake, certificate or host name
  timeout,
  cut,       ///< the connection ended before the answer did
  too_large, ///< the answer's head or body
  malformed, ///< not HTTP, or a body that does not inflate; or a request that may not be sent
};
const char* to_string(failure f);

struct client_error {
  failure kind = failure::cut;
  std::string text;  ///< for a person; of the URL it has scheme and host alone
  bool sent = false; ///< bytes of the request may have reached the peer
};

[[noreturn]] void throw_exception_from_error(const client_error& e, const boost::source_location&);

using client_result = boost::system::result<client_response, client_error>;

struct client_limits {
  std::size_t max_per_origin = 64; ///< connections; requests beyond wait their turn
  std::chrono::milliseconds idle{60'000}; ///< an unused one is kept for so long
  std::chrono::milliseconds connect{3'000}; ///< per address
};

/// One client for every outgoing request: keep-alive, certificates and host names verified,
/// redirects never followed. A request that a kept connection lost before any byte of an answer is
/// sent once more, on a fresh one (`resend_lost` says when).
class http_client {
public:
  /// On an I/O thread, exactly once, at the latest at the timeout; must not block.
  using callback = std::function<void(client_result)>;

  /// `io` must outlive this.
  explicit http_client(boost::asio::io_context& io, const client_limits& limits = {});
  /// What is still open fails with `cut`, if `io` still runs.
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// Any thread.
  void send(client_request r, callback done);
  /// What this sender sent before and is still open fails with `cut`. Its connections are closed
  /// before anything that is sent later begins. Any thread.
  void cut(std::string sender);

private:
  std::shared_ptr<client_core> core_;
};

} // namespace tidemark::net
