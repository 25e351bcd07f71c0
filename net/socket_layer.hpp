// SPDX-License-Identifier: MIT
#pragma once

#include "net/client_connection.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace tidemark::net {

/// A connection as Beast's WebSocket wants its next layer. Handlers are erased, so that Asio's
/// operations are those of net::stream, compiled once. Everything on the connection's strand.
class socket_layer {
public:
  using executor_type = boost::asio::any_io_executor;

  explicit socket_layer(std::shared_ptr<client_connection> on) : on_(std::move(on)) {}

  executor_type get_executor() { return on_->raw().socket().get_executor(); }
  void close() { on_->abandon(); }

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return boost::asio::async_initiate<Handler, signature>(
        [this](auto&& h, boost::asio::mutable_buffer into) {
          on_->raw().read_some(into, erased(std::forward<decltype(h)>(h)));
        },
        handler, first<boost::asio::mutable_buffer>(buffers));
  }

  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    write_parts parts;
    std::size_t n = 0;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers) && n < parts.size(); ++at)
      if (const boost::asio::const_buffer b = *at; b.size() > 0) parts[n++] = b;
    return boost::asio::async_initiate<Handler, signature>(
        [this](auto&& h, const write_parts& what) {
          on_->raw().write(what, erased(std::forward<decltype(h)>(h)));
        },
        handler, parts);
  }

private:
  using signature = void(boost::system::error_code, std::size_t);

  /// Beast's handlers can be moved only, a std::function wants copies.
  template <class Handler> static io_done erased(Handler&& h) {
    auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(h));
    return [kept](const boost::system::error_code& ec, std::size_t n) {
      // What the handler keeps must be free for the next operation, which it begins.
      auto one = std::move(*kept);
      one(ec, n);
    };
  }
  template <class Buffer, class Buffers> static Buffer first(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers); ++at)
      if (const Buffer b = *at; b.size() > 0) return b;
    return {};
  }

  std::shared_ptr<client_connection> on_;
};

// Beast's customisation points. An orderly end of TLS is not waited for: the WebSocket has said
// its own farewell by then, or is broken.
inline void teardown(boost::beast::role_type, socket_layer& l, boost::system::error_code& ec) {
  l.close();
  ec = {};
}
template <class Handler>
void async_teardown(boost::beast::role_type, socket_layer& l, Handler&& handler) {
  l.close();
  boost::asio::post(l.get_executor(), [h = std::forward<Handler>(handler)]() mutable {
    h(boost::system::error_code{});
  });
}
inline void beast_close_socket(socket_layer& l) { l.close(); }

} // namespace tidemark::net
