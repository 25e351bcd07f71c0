// SPDX-License-Identifier: MIT
// The half of a session that reads: from the first byte of a request to its hand-over.
#include "net/server_session.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemark::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t body_piece = std::size_t{64} * 1024;

bool needs_length(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

} // namespace

void server_session::next_request() {
  if (refuse_) {
    answer(busy("too many connections"));
    return;
  }
  request_ = std::make_shared<request>(core_->budget);
  request_->remote = remote_;
  reader_.start(*request_);
  if (buffered() != 0) {
    enter(phase::head, core_->limits.header);
    feed();
    return;
  }
  begin_ = end_ = 0;
  enter(phase::idle, fresh_ ? core_->limits.header : core_->limits.idle);
  // The drain sets its flag, then looks at phases; this sets its phase, then looks at the flag.
  if (core_->draining())
    close();
  else
    read_more();
}

/// False if the buffer is as large as it may get, and full.
bool server_session::make_room() {
  if (end_ < buffer_.size()) return true;
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
    end_ -= begin_;
    begin_ = 0;
    return true;
  }
  const std::size_t most = std::max(first_buffer, core_->limits.max_header + 1);
  if (buffer_.size() >= most) return false;
  buffer_.resize(std::min(buffer_.size() * 4, most));
  return true;
}

void server_session::read_more() {
  stream_.read_some(
      asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
      [self = shared_from_this()](const error_code& ec, std::size_t n) { self->on_read(ec, n); });
}

void server_session::on_read(const error_code& ec, std::size_t n) {
  if (ec) {
    input_ended();
    return;
  }
  end_ += n;
  if (phase_ == phase::idle) enter(phase::head, core_->limits.header);
  feed();
}

void server_session::input_ended() {
  const bool in_body = phase_ == phase::body;
  if (phase_ == phase::idle)
    close();
  else if (late_)
    give_up(problem(408, in_body ? "the body took too long" : "the headers took too long"));
  else
    give_up(problem(400, in_body ? "the body ended early" : "the headers ended early"));
}

void server_session::feed() {
  std::size_t used = 0;
  const auto step = reader_.feed(buffer_.data() + begin_, buffered(), used);
  begin_ += used;
  switch (step) {
  case request_reader::step::head:
    on_head();
    return;
  case request_reader::step::complete:
    hand_over();
    return;
  case request_reader::step::failed:
    give_up(reader_.failure());
    return;
  case request_reader::step::need_more:
    break;
  }
  if (make_room())
    read_more();
  else
    give_up(problem(400, "malformed HTTP: a line without an end"));
}

void server_session::on_head() {
  fresh_ = false;
  counted_ = true;
  ++core_->open_requests;
  keep_ = reader_.keep_alive();
  if (auto refusal = core_->on_head(*request_))
    refuse(std::move(*refusal));
  else
    begin_body();
}

void server_session::note_refusal(const response& r) {
  if (counted_ && core_->on_refused) core_->on_refused(*request_, r);
}

/// Where the next request would begin is not known any more.
void server_session::give_up(response r) {
  note_refusal(r);
  keep_ = false;
  answer(std::move(r));
}

/// Before the body is read. A body that is here already is skipped; for any other the connection
/// ends.
void server_session::refuse(response r) {
  note_refusal(r);
  const std::uint64_t length = reader_.length().value_or(0);
  if (reader_.chunked() || length > buffered())
    keep_ = false;
  else
    begin_ += length;
  answer(std::move(r));
}

void server_session::begin_body() {
  const auto& limits = core_->limits;
  const auto expect = request_->header("Expect");
  if (expect && !same_name(*expect, "100-continue"))
    return refuse(problem(417, "an Expect other than 100-continue"));
  const auto length = reader_.length();
  if (!length && !reader_.chunked()) {
    if (!limits.require_length || !needs_length(request_->method)) return hand_over();
    keep_ = false;
    return refuse(problem(411, "a length or chunks are needed"));
  }
  if (length && *length > limits.max_body) return refuse(problem(413, "the body is too large"));
  if (length && !request_->hold(*length)) return refuse(busy("too many bodies are in flight"));
  enter(phase::body, limits.body);
  if (reader_.chunked() && buffer_.size() <= limits.max_header)
    buffer_.resize(limits.max_header + 1);
  if (expect && buffered() == 0 && length != 0U && !reader_.is_http_1_0())
    send_continue();
  else
    read_body();
}

void server_session::send_continue() {
  static constexpr std::string_view line = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_.write({asio::buffer(line), {}},
                [self = shared_from_this()](const error_code& ec, std::size_t) {
                  if (ec)
                    self->close();
                  else
                    self->read_body();
                });
}

void server_session::read_body() {
  if (reader_.chunked()) {
    feed();
    return;
  }
  const std::size_t length = *reader_.length();
  request_->body.reserve(length);
  const std::size_t here = std::min(buffered(), length);
  request_->body.assign(buffer_, begin_, here);
  begin_ += here;
  read_rest(length);
}

/// Straight into the body. Its memory is reserved, but touched only as the bytes come.
void server_session::read_rest(std::size_t length) {
  const std::size_t have = request_->body.size();
  if (have == length) {
    hand_over();
    return;
  }
  const std::size_t piece = std::min(length - have, body_piece);
  request_->body.resize(have + piece);
  stream_.read_some(asio::buffer(request_->body.data() + have, piece),
                    [self = shared_from_this(), have, length](const error_code& ec, std::size_t n) {
                      self->request_->body.resize(have + n);
                      if (ec)
                        self->input_ended();
                      else
                        self->read_rest(length);
                    });
}

} // namespace tidemark::net
