// SPDX-License-Identifier: MIT
#pragma once

#include "net/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace tidemark::net {

class server_session;

/// What the connections of one server share. Lives as long as the last of them.
class server_core : public std::enable_shared_from_this<server_core> {
public:
  server_core(boost::asio::io_context& io, const server_limits& limits,
              http_server::head_check on_head, http_server::handler on_request,
              std::shared_ptr<const tls_context> tls, http_server::refusal on_refused);

  evm::result<std::uint16_t> listen(const std::string& address, std::uint16_t port);
  evm::result<std::uint16_t> adopt(int socket);
  /// What the next connection shows; null: it is not TLS.
  std::shared_ptr<const tls_context> tls() const;
  void set_tls(std::shared_ptr<const tls_context> certificates);
  void stop_accepting();
  void close_all();
  std::size_t connections() const;
  bool draining() const { return draining_; }

  /// A session calls these from its start and its destructor; in between it may be interrupted from
  /// here.
  void add(server_session* s);
  void remove(server_session* s);

  boost::asio::io_context& io;
  const server_limits limits;
  const http_server::head_check on_head;
  const http_server::handler on_request;
  const http_server::refusal on_refused; ///< or none
  const std::shared_ptr<byte_budget> budget;
  std::atomic<std::size_t> open_requests{0};

private:
  void accept();
  void accepted(const boost::system::error_code& ec, boost::asio::ip::tcp::socket socket);
  void wait_and_sweep();
  void sweep();
  /// Kept alive while they are dealt with, outside of the lock: the last reference may go there,
  /// and takes the lock.
  std::vector<std::shared_ptr<server_session>> sessions() const;

  boost::asio::strand<boost::asio::io_context::executor_type> strand_; ///< of acceptor and timers
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  boost::asio::steady_timer sweep_;
  const std::chrono::milliseconds sweep_every_;
  bool sweeping_ = false;
  std::atomic<bool> draining_{false};
  mutable std::mutex mutex_;
  std::unordered_set<server_session*> sessions_;
  std::shared_ptr<const tls_context> tls_;
};

} // namespace tidemark::net
