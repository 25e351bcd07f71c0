// SPDX-License-Identifier: MIT
#include "net/client_connection.hpp"

#include <boost/asio/ssl/error.hpp>

#include <cstring>
#include <utility>

namespace tidemark::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t first_buffer = std::size_t{16} * 1024;
constexpr std::chrono::milliseconds settle_time{20};
constexpr std::size_t most_buffer = answer_reader::max_header + 1;

} // namespace

client_connection::client_connection(const asio::any_io_executor& executor)
    : stream_(tcp::socket(executor)), connect_timer_(executor) {}

void client_connection::open(peer to, opened done) {
  peer_ = std::move(to);
  opened_ = std::move(done);
  try_next(0);
}

void client_connection::try_next(std::size_t at) {
  stream_.close();
  connect_late_ = false;
  attempt_ = at;
  connect_timer_.expires_after(peer_.connect);
  connect_timer_.async_wait([self = shared_from_this(), at](const error_code& ec) {
    if (ec || self->attempt_ != at) return; // the timer may have gone off beside the connection
    self->connect_late_ = true;
    self->stream_.close();
  });
  stream_.socket().async_connect(
      peer_.endpoints[at],
      [self = shared_from_this(), at](const error_code& ec) { self->on_connected(ec, at); });
}

void client_connection::on_connected(const error_code& ec, std::size_t at) {
  attempt_ = none;
  connect_timer_.cancel();
  if (!opened_) return;
  if (ec || connect_late_) {
    if (at + 1 < peer_.endpoints.size()) {
      try_next(at + 1);
      return;
    }
    const client_error e{connect_late_ ? failure::timeout : failure::refused,
                         connect_late_ ? "no connection in time" : ec.message(), false};
    opened_with(&e);
    return;
  }
  error_code ignored;
  stream_.socket().set_option(tcp::no_delay(true), ignored);
  if (!peer_.tls) {
    opened_with(nullptr);
    return;
  }
  stream_.connect_tls(
      peer_.tls, peer_.host, [self = shared_from_this()](const error_code& e, std::size_t) {
        const std::string why = e ? self->stream_.verify_error() : std::string();
        const client_error failed{failure::tls, "TLS: " + (why.empty() ? e.message() : why), false};
        self->opened_with(e ? &failed : nullptr);
      });
}

void client_connection::opened_with(const client_error* e) {
  if (const auto done = std::exchange(opened_, nullptr)) done(e);
}

void client_connection::exchange(outgoing what, finished done) {
  outgoing_ = std::move(what);
  finished_ = std::move(done);
  reader_ = std::make_unique<answer_reader>(outgoing_.limits);
  reusable_ = false;
  buffer_.resize(first_buffer);
  begin_ = end_ = 0;
  writing_ = true;
  stream_.write(
      {asio::buffer(outgoing_.head),
       outgoing_.body ? asio::buffer(*outgoing_.body) : asio::const_buffer()},
      [self = shared_from_this()](const error_code& ec, std::size_t) { self->on_written(ec); });
  // At once: a peer may refuse a large body by its answer, and not read the rest.
  read_more();
}

bool client_connection::make_room() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ < buffer_.size()) return true;
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    return true;
  }
  if (buffer_.size() >= most_buffer) return false;
  buffer_.resize(most_buffer);
  return true;
}

void client_connection::read_more() {
  if (!make_room()) {
    finish(client_error{failure::malformed, "the answer has a line without an end", true});
    return;
  }
  stream_.read_some(
      asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
      [self = shared_from_this()](const error_code& ec, std::size_t n) { self->on_read(ec, n); });
}

void client_connection::on_read(const error_code& ec, std::size_t n) {
  if (!finished_) return;
  end_ += n;
  std::size_t used = 0;
  // A TLS peer that ends without close_notify could be somebody who cuts: then only what has a
  // length is whole.
  const bool whole_end = ec == asio::error::eof;
  auto step = answer_reader::step::need_more;
  if (!ec)
    step = reader_->feed(buffer_.data() + begin_, end_ - begin_, used);
  else if (whole_end)
    step = reader_->ended();
  begin_ += used;
  if (step == answer_reader::step::complete) {
    answered(!ec && begin_ == end_ && reader_->keep_alive());
  } else if (step == answer_reader::step::failed) {
    finish(reader_->failure());
  } else if (ec) {
    const bool tls = ec.category() == asio::error::get_ssl_category() && !reader_->begun();
    finish(client_error{tls ? failure::tls : failure::cut, "the connection ended: " + ec.message(),
                        true});
  } else {
    read_more();
  }
}

void client_connection::on_written(const error_code& ec) {
  writing_ = static_cast<bool>(
      ec); // a failure shows in the read too, where there may be an answer that says why
  if (overtaken_) answered(true);
}

void client_connection::answered(bool fit) {
  if (fit && writing_ && !overtaken_) {
    // Mostly the answer has just overtaken the news that the request is written: no reason to lose
    // the connection.
    overtaken_ = true;
    connect_timer_.expires_after(settle_time);
    connect_timer_.async_wait([self = shared_from_this()](const error_code& ec) {
      if (!ec && self->overtaken_) self->answered(true);
    });
    return;
  }
  if (std::exchange(overtaken_, false)) connect_timer_.cancel();
  if (!finished_) return;
  reusable_ = fit && !writing_;
  finish(reader_->take());
}

void client_connection::finish(client_result r) {
  const bool begun = reader_->begun();
  const auto done = std::exchange(finished_, nullptr);
  if (reusable_) {
    buffer_ = {};
    outgoing_ = {};
    reader_.reset();
  } else {
    stream_.close();
  }
  if (done) done({std::move(r), begun});
}

void client_connection::abandon() {
  opened_ = nullptr;
  finished_ = nullptr;
  connect_timer_.cancel();
  stream_.close();
}

} // namespace tidemark::net
