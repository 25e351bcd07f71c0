// SPDX-License-Identifier: MIT
#include "net/server_session.hpp"

#include "net/response_head.hpp"
#include "net/stream_body.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace tidemark::net {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

/// After an answer that ends the connection: what the peer still sends is read, so that the system
/// does not throw the answer away with a reset (RFC 9112 §9.6).
constexpr milliseconds linger_time{1'000};
constexpr std::size_t linger_bytes = std::size_t{256} * 1024;

} // namespace

server_session::server_session(std::shared_ptr<server_core> core, asio::ip::tcp::socket socket)
    : core_(std::move(core)), stream_(std::move(socket)),
      reader_(core_->limits.max_header, core_->limits.max_body), buffer_(first_buffer, '\0') {}

server_session::~server_session() {
  request_ended();
  core_->remove(this);
}

void server_session::start(bool refuse) {
  core_->add(this); // not in the constructor: until that is over nobody can hold this
  refuse_ = refuse;
  error_code ec;
  remote_ = stream_.socket().remote_endpoint(ec).address();
  if (ec) return; // gone already
  if (remote_.is_v6() && remote_.to_v6().is_v4_mapped())
    remote_ = asio::ip::make_address_v4(asio::ip::v4_mapped, remote_.to_v6());
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ec);
  auto certificates = core_->tls();
  if (!certificates) {
    next_request();
    return;
  }
  enter(phase::handshake, core_->limits.header);
  stream_.accept_tls(std::move(certificates),
                     [self = shared_from_this()](const error_code& e, std::size_t) {
                       if (e)
                         self->close();
                       else
                         self->next_request();
                     });
}

void server_session::enter(phase p, milliseconds limit) {
  const auto until = clock::now() + limit;
  deadline_ = limit == milliseconds::zero() ? 0 : until.time_since_epoch().count();
  phase_ = p;
}

void server_session::check_time(clock::time_point now) {
  const auto deadline = deadline_.load();
  if (deadline == 0 || now.time_since_epoch().count() < deadline) return;
  switch (phase_.load()) {
  case phase::working:
    deliver(open_, busy("the request was not answered in time"));
    break;
  case phase::head:
  case phase::body:
    late_ = true; // told so once the read has ended
    stream_.interrupt(false);
    break;
  default:
    stream_.interrupt(true);
  }
}

void server_session::end_if_idle() {
  if (phase_ == phase::idle) stream_.interrupt(false);
}

void server_session::hand_over() {
  enter(phase::working, core_->limits.answer);
  const std::uint64_t number = ++number_;
  auto request = request_; // before the slot opens: from then on the answer may let go of ours
  open_ = number;
  core_->on_request(std::move(request), reply_slot([self = shared_from_this(), number](response r) {
                      self->deliver(number, std::move(r));
                    }));
  // Nothing of this session may be touched here: the answer may be on its way on another thread.
}

void server_session::deliver(std::uint64_t number, response r) {
  if (number == 0 || !open_.compare_exchange_strong(number, 0)) return;
  asio::post(core_->io, [self = shared_from_this(), r = std::move(r)]() mutable {
    self->answer(std::move(r));
  });
}

void server_session::answer(response r) {
  keep_ = keep_ && !r.close && !r.stream && !late_ && !core_->draining();
  answer_ = std::move(r);
  const bool bodiless = !may_have_body(answer_.status) || (request_ && request_->method == "HEAD");
  bodiless_ = bodiless;
  write_head(answer_, {keep_, reader_.is_http_1_0()}, out_);
  if (request_) request_->held.release();
  request_.reset();
  enter(phase::writing, core_->limits.idle);
  stream_.write(
      {asio::buffer(out_), bodiless ? asio::const_buffer() : asio::buffer(answer_.body)},
      [self = shared_from_this()](const error_code& ec, std::size_t) { self->on_written(ec); });
}

void server_session::on_written(const error_code& ec) {
  request_ended();
  const bool bodiless = std::exchange(bodiless_, false);
  if (!ec && answer_.stream && !bodiless) return begin_stream();
  if (answer_.stream) answer_.stream->gone();
  answer_ = {};
  if (ec)
    close();
  else if (keep_)
    next_request();
  else
    linger();
}

/// From here on the stream's own pieces are the one operation that is pending, and between them
/// there is none.
void server_session::begin_stream() {
  sent_on_ = std::move(answer_.stream);
  answer_ = {};
  buffer_.clear();
  buffer_.shrink_to_fit();
  enter(phase::streaming, milliseconds::zero());
  const auto weak = weak_from_this();
  following_ = shared_from_this(); // until the stream ends: nothing else holds a silent connection
  sent_on_->attach([weak, core = core_] {
    const auto self = weak.lock();
    if (!self || self->stream_busy_.exchange(true)) return;
    asio::post(core->io, [self] { self->stream_on(); });
  });
}

/// With stream_busy_ set.
void server_session::stream_on() {
  out_ = sent_on_->take();
  if (!out_.empty()) {
    enter(phase::writing, core_->limits.idle);
    return stream_.write({asio::buffer(out_), {}},
                         [self = shared_from_this()](const error_code& ec, std::size_t) {
                           if (ec) self->sent_on_->gone();
                           self->enter(phase::streaming, milliseconds::zero());
                           self->stream_on();
                         });
  }
  if (sent_on_->ended()) {
    sent_on_->gone();
    const auto last = std::move(following_);
    return close();
  }
  out_.shrink_to_fit();
  stream_busy_ = false;
  // What was pushed between the two looks woke nobody.
  if (sent_on_->wants_taking() && !stream_busy_.exchange(true)) stream_on();
}

void server_session::linger() {
  enter(phase::lingering, linger_time);
  stream_.finish_writing(
      [self = shared_from_this()](const error_code&, std::size_t) { self->discard(); });
}

void server_session::discard() {
  stream_.read_raw(asio::buffer(buffer_),
                   [self = shared_from_this()](const error_code& ec, std::size_t n) {
                     self->lingered_ += n;
                     if (ec || self->lingered_ > linger_bytes)
                       self->close();
                     else
                       self->discard();
                   });
}

void server_session::request_ended() {
  if (std::exchange(counted_, false)) --core_->open_requests;
}

void server_session::close() {
  request_ended();
  stream_.close();
}

} // namespace tidemark::net
