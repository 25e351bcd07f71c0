// SPDX-License-Identifier: MIT
#include "net/web_socket.hpp"

#include "net/name_lookup.hpp"
#include "net/request_head.hpp"
#include "net/socket_layer.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <algorithm>
#include <deque>
#include <optional>

namespace tidemark::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds connect_limit{3'000}; // per address
constexpr std::size_t most_waiting = 16;                  // messages to be sent
constexpr std::size_t longest_reason = 100;

/// For a log: a peer chose these bytes.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, longest_reason));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return out;
}

std::string why_not_openable(const socket_request& r) {
  if (r.target.scheme != "ws" && r.target.scheme != "wss")
    return "the URL's scheme is neither ws nor wss";
  client_request like_http; // has the same rules but for its scheme
  like_http.target = r.target;
  like_http.target.scheme = r.target.secure() ? "https" : "http";
  like_http.headers = r.headers;
  return why_not_sendable(like_http);
}

} // namespace

/// What all sockets share: one strand, since they say little.
class socket_core {
public:
  explicit socket_core(asio::io_context& io)
      : strand(asio::make_strand(io)), names(std::make_shared<name_lookup>(strand)) {}

  std::shared_ptr<const tls_context> system_roots() {
    if (!roots_)
      if (auto made = tls_context::client()) roots_ = std::move(*made);
    return roots_;
  }

  const name_lookup::strand strand;
  const std::shared_ptr<name_lookup> names;

private:
  std::shared_ptr<const tls_context> roots_;
};

namespace {

/// Everything on the core's strand but the four of the interface.
class client_socket final : public web_socket, public std::enable_shared_from_this<client_socket> {
public:
  client_socket(std::shared_ptr<socket_core> core, socket_request r, callback done)
      : core_(std::move(core)), request_(std::move(r)), done_(std::move(done)),
        deadline_(core_->strand) {}

  void begin() {
    on_strand([](client_socket& s) { s.look_up(); });
  }
  void read() override {
    on_strand([](client_socket& s) { s.read_next(); });
  }
  void ping() override {
    on_strand([](client_socket& s) { s.ping_now(); });
  }
  void close() override {
    on_strand([](client_socket& s) { s.shut(); });
  }
  void say(std::string text) override {
    on_strand([t = std::move(text)](client_socket& s) mutable { s.say_next(std::move(t)); });
  }

private:
  template <class F> void on_strand(F f) {
    asio::post(core_->strand,
               [self = shared_from_this(), f = std::move(f)]() mutable { f(*self); });
  }

  void look_up() {
    if (const auto wrong = why_not_openable(request_); !wrong.empty())
      return fail(failure::malformed, wrong);
    deadline_.expires_after(request_.timeout);
    deadline_.async_wait([weak = weak_from_this()](const error_code& ec) {
      if (const auto self = weak.lock(); self && !ec)
        self->fail(failure::timeout, "no answer in time");
    });
    // The look-up may outlast the io_context: it must not keep this alive.
    core_->names->ask(request_.target.host, [weak = weak_from_this()](const name_lookup::found& f) {
      if (const auto self = weak.lock(); self && self->done_) self->connect(f);
    });
  }

  void connect(const name_lookup::found& f) {
    if (f.addresses.empty()) return fail(failure::dns, "the host name has no address: " + f.error);
    client_connection::peer to{{}, nullptr, request_.target.host, connect_limit};
    for (const auto& address : f.addresses)
      if (may_connect(address, request_.reach))
        to.endpoints.emplace_back(address, request_.target.port);
    if (to.endpoints.empty())
      return fail(failure::refused_address, "the host's address is private or reserved");
    if (request_.target.secure()) {
      to.tls = request_.tls ? request_.tls : core_->system_roots();
      if (!to.tls) return fail(failure::tls, "the system's roots cannot be read");
    }
    connection_ = std::make_shared<client_connection>(core_->strand);
    // Kept by the connection, which is kept here: it must not keep this alive in turn.
    connection_->open(std::move(to), [weak = weak_from_this()](const client_error* e) {
      const auto self = weak.lock();
      if (!self || !self->done_) return;
      if (e != nullptr)
        self->fail(e->kind, e->text);
      else
        self->shake_hands();
    });
  }

  void shake_hands() {
    talk_.emplace(connection_);
    talk_->read_message_max(request_.max_message);
    talk_->set_option(websocket::stream_base::timeout{
        websocket::stream_base::none(), websocket::stream_base::none(), false}); // deadline_'s job
    talk_->set_option(
        websocket::stream_base::decorator([headers = request_.headers](websocket::request_type& r) {
          for (const auto& h : headers)
            r.set(h.first, h.second);
        }));
    talk_->control_callback(
        [weak = weak_from_this()](websocket::frame_type kind, beast::string_view) {
          const auto self = weak.lock();
          if (self && kind == websocket::frame_type::pong) self->tell(socket_ponged{});
        });
    talk_->async_handshake(
        answer_, request_.target.authority(), request_.target.target,
        [self = shared_from_this()](const error_code& ec) { self->on_hands_shaken(ec); });
  }

  void on_hands_shaken(const error_code& ec) {
    if (!done_) return;
    deadline_.cancel();
    if (ec == websocket::error::upgrade_declined) {
      status_ = answer_.result_int();
      return fail(failure::malformed,
                  "HTTP " + std::to_string(status_) + " in place of a WebSocket");
    }
    if (ec) return fail(failure::cut, "no WebSocket: " + ec.message());
    open_ = true;
    tell(socket_opened{});
  }

  void read_next() {
    if (!open_ || std::exchange(reading_, true)) return;
    talk_->async_read(buffer_, [self = shared_from_this()](const error_code& ec, std::size_t) {
      self->on_read(ec);
    });
  }

  void on_read(const error_code& ec) {
    reading_ = false;
    if (!open_) return;
    if (ec == websocket::error::message_too_big || ec == websocket::error::buffer_overflow)
      return fail(failure::too_large,
                  "a message of more than " + std::to_string(request_.max_message) + " bytes");
    if (ec == websocket::error::closed) {
      const auto& why = talk_->reason();
      return fail(failure::cut, "it closed the connection: " + std::to_string(why.code) + " " +
                                    printable({why.reason.data(), why.reason.size()}));
    }
    if (ec) return fail(failure::cut, "the connection ended: " + ec.message());
    socket_said m{beast::buffers_to_string(buffer_.data())};
    buffer_.consume(buffer_.size());
    tell(std::move(m));
  }

  void say_next(std::string text) {
    if (!open_) return;
    if (waiting_.size() >= most_waiting)
      return fail(failure::cut, "it does not read what it is sent");
    waiting_.push_back(std::move(text));
    if (waiting_.size() == 1) write_first();
  }

  void write_first() {
    talk_->text(true);
    talk_->async_write(asio::buffer(waiting_.front()),
                       [self = shared_from_this()](const error_code& ec, std::size_t) {
                         if (!self->open_) return;
                         if (ec)
                           return self->fail(failure::cut, "the connection ended: " + ec.message());
                         self->waiting_.pop_front();
                         if (!self->waiting_.empty()) self->write_first();
                       });
  }

  void ping_now() {
    if (!open_ || std::exchange(pinging_, true)) return;
    talk_->async_ping({}, [self = shared_from_this()](const error_code&) {
      self->pinging_ = false; // a failure shows in the read
    });
  }

  void tell(socket_event e) {
    if (const auto done = done_) done(std::move(e));
  }

  void fail(failure kind, const std::string& text) {
    if (!done_) return;
    const auto done = done_;
    shut();
    done(socket_ended{{kind, request_.target.origin() + ": " + text, false}, status_});
  }

  /// Without a farewell: a peer that keeps to it may be dead, and one that breaks it deserves none.
  void shut() {
    done_ = nullptr;
    open_ = false;
    deadline_.cancel();
    if (connection_) connection_->abandon();
  }

  const std::shared_ptr<socket_core> core_;
  const socket_request request_;
  callback done_; ///< null once it is over
  asio::steady_timer deadline_;
  std::shared_ptr<client_connection> connection_;
  std::optional<websocket::stream<socket_layer, false>> talk_;
  websocket::response_type answer_;
  beast::flat_buffer buffer_;
  std::deque<std::string> waiting_; ///< the first is being written
  unsigned status_ = 0;
  bool open_ = false, reading_ = false, pinging_ = false;
};

} // namespace

socket_client::socket_client(asio::io_context& io) : core_(std::make_shared<socket_core>(io)) {}
socket_client::~socket_client() { core_->names->stop(); }

std::shared_ptr<web_socket> socket_client::open(socket_request r, web_socket::callback done) {
  auto socket = std::make_shared<client_socket>(core_, std::move(r), std::move(done));
  socket->begin();
  return socket;
}

} // namespace tidemark::net
