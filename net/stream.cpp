// SPDX-License-Identifier: MIT
#include "net/stream.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <openssl/x509_vfy.h>
#include <sys/socket.h>

namespace tidemark::net {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

struct stream::tls_part {
  tls_part(asio::ip::tcp::socket& socket, std::shared_ptr<const tls_context> with)
      : context(std::move(with)), layer(socket, context->native()) {}

  std::shared_ptr<const tls_context> context;
  ssl::stream<asio::ip::tcp::socket&> layer;
  std::string joined;
};

stream::stream(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}
stream::~stream() = default;

void stream::accept_tls(std::shared_ptr<const tls_context> context, io_done done) {
  tls_ = std::make_unique<tls_part>(socket_, std::move(context));
  tls_->layer.async_handshake(ssl::stream_base::server,
                              [done = std::move(done)](const error_code& ec) { done(ec, 0); });
}

void stream::connect_tls(std::shared_ptr<const tls_context> context, const std::string& host,
                         io_done done) {
  tls_ = std::make_unique<tls_part>(socket_, std::move(context));
  SSL* const native = tls_->layer.native_handle();
  X509_VERIFY_PARAM* const check = SSL_get0_param(native);
  error_code ec;
  asio::ip::make_address(host, ec);
  const bool is_name = static_cast<bool>(ec);
  X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool set = is_name ? X509_VERIFY_PARAM_set1_host(check, host.data(), host.size()) == 1 &&
                                 SSL_set_tlsext_host_name(native, host.c_str()) == 1
                           : X509_VERIFY_PARAM_set1_ip_asc(check, host.c_str()) == 1;
  if (!set) {
    asio::post(socket_.get_executor(),
               [done = std::move(done)] { done(asio::error::invalid_argument, 0); });
    return;
  }
  tls_->layer.async_handshake(ssl::stream_base::client,
                              [done = std::move(done)](const error_code& e) { done(e, 0); });
}

std::string stream::verify_error() const {
  if (!tls_) return {};
  const long code = SSL_get_verify_result(tls_->layer.native_handle());
  return code == X509_V_OK ? std::string() : X509_verify_cert_error_string(code);
}

void stream::read_some(asio::mutable_buffer into, io_done done) {
  if (tls_)
    tls_->layer.async_read_some(into, std::move(done));
  else
    socket_.async_read_some(into, std::move(done));
}

void stream::write(const write_parts& parts, io_done done) {
  if (!tls_) {
    asio::async_write(socket_, parts, std::move(done));
    return;
  }
  // Each part would be a record and a segment of its own.
  auto& joined = tls_->joined;
  joined.assign(static_cast<const char*>(parts[0].data()), parts[0].size());
  joined.append(static_cast<const char*>(parts[1].data()), parts[1].size());
  asio::async_write(tls_->layer, asio::buffer(joined), std::move(done));
}

void stream::finish_writing(io_done done) {
  if (tls_) {
    tls_->layer.async_shutdown([this, done = std::move(done)](const error_code& ec) {
      error_code ignored;
      socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      done(ec, 0);
    });
    return;
  }
  error_code ec;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  asio::post(socket_.get_executor(), [done = std::move(done), ec] { done(ec, 0); });
}

void stream::read_raw(asio::mutable_buffer into, io_done done) {
  socket_.async_read_some(into, std::move(done));
}

bool stream::stale() {
  char byte = 0;
  const auto n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

void stream::interrupt(bool both) {
  const std::lock_guard lock(closing_);
  if (socket_.is_open()) ::shutdown(socket_.native_handle(), both ? SHUT_RDWR : SHUT_RD);
}

void stream::close() {
  const std::lock_guard lock(closing_);
  error_code ignored;
  socket_.close(ignored);
}

} // namespace tidemark::net
