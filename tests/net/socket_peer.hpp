// SPDX-License-Identifier: MIT
#pragma once

#include "net/io_threads.hpp"
#include "net/web_socket.hpp"
#include "tests/net/peers.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <sys/socket.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace tidemark::tests {

/// A WebSocket server that does what a test says to each connection, a thread each.
template <class Layer> class socket_peer {
public:
  using stream = boost::beast::websocket::stream<Layer>;
  using request = boost::beast::http::request<boost::beast::http::string_body>;
  using script = std::function<void(stream&, const request&)>;
  using layer_of = std::function<Layer(boost::asio::ip::tcp::socket)>;

  socket_peer(layer_of layer, script s)
      : layer_(std::move(layer)), script_(std::move(s)),
        acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
        accepting_([this] { run(); }) {}
  ~socket_peer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR); // wakes the accept
    accepting_.join();
    for (auto& t : talks_)
      t.join();
  }
  socket_peer(const socket_peer&) = delete;
  socket_peer& operator=(const socket_peer&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
  void run() {
    for (;;) {
      boost::system::error_code ec;
      boost::asio::ip::tcp::socket peer(io_);
      acceptor_.accept(peer, ec);
      if (ec) return;
      talks_.emplace_back([this, p = std::make_shared<boost::asio::ip::tcp::socket>(
                                     std::move(peer))] { talk(std::move(*p)); });
    }
  }
  void talk(boost::asio::ip::tcp::socket peer) {
    try { // what the client does to it is seen at the client
      stream s(layer_(std::move(peer)));
      boost::beast::flat_buffer buffer;
      request head;
      boost::beast::http::read(s.next_layer(), buffer, head);
      s.accept(head);
      script_(s, head);
    } catch (const boost::system::system_error&) {
    }
  }

  boost::asio::io_context io_;
  layer_of layer_;
  script script_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::vector<std::thread> talks_;
  std::thread accepting_;
};

using plain_layer = boost::asio::ip::tcp::socket;
using tls_layer = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;

/// A client's socket whose events are waited for.
class listening {
public:
  explicit listening(net::socket_client& client, net::socket_request r) {
    socket = client.open(std::move(r), [all = all_](net::socket_event e) {
      const std::lock_guard lock(all->mutex);
      all->events.push_back(std::move(e));
      all->came.notify_all();
    });
  }
  ~listening() { socket->close(); }
  listening(const listening&) = delete;
  listening& operator=(const listening&) = delete;

  /// The next: "opened", "ponged", "said TEXT", "ended KIND STATUS TEXT"; "nothing" after so long.
  std::string next(std::chrono::milliseconds most = 5s) {
    std::unique_lock lock(all_->mutex);
    if (!all_->came.wait_for(lock, most, [this] { return !all_->events.empty(); }))
      return "nothing";
    const auto e = std::move(all_->events.front());
    all_->events.pop_front();
    if (const auto* s = std::get_if<net::socket_said>(&e)) return "said " + s->text;
    if (const auto* x = std::get_if<net::socket_ended>(&e))
      return std::string("ended ") + net::to_string(x->why.kind) + " " + std::to_string(x->status) +
             " " + x->why.text;
    return std::holds_alternative<net::socket_opened>(e) ? "opened" : "ponged";
  }
  std::string read() {
    socket->read();
    return next();
  }

  std::shared_ptr<net::web_socket> socket;

private:
  struct events {
    std::mutex mutex;
    std::condition_variable came;
    std::deque<net::socket_event> events;
  };
  std::shared_ptr<events> all_ = std::make_shared<events>();
};

} // namespace tidemark::tests
