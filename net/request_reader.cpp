// SPDX-License-Identifier: MIT
#include "net/request_reader.hpp"

#include <boost/beast/http/basic_parser.hpp>

namespace tidemark::net {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

class request_reader::parser final : public http::basic_parser<true> {
public:
  parser(request& into, std::size_t max_body) : into_(into), max_body_(max_body) {
    body_limit(boost::none); // counted here, over all chunks and against the budget
  }

  int version = 0;
  std::string target;
  unsigned hosts = 0;
  bool other_coding = false;
  bool too_large = false;
  bool no_room = false;

private:
  void on_request_impl(http::verb, string_view method, string_view t, int v, error_code&) override {
    into_.method.assign(method.data(), method.size());
    target.assign(t.data(), t.size());
    version = v;
  }
  void on_field_impl(http::field name, string_view text, string_view value, error_code&) override {
    if (is_header_done()) return; // a trailer: must not pass for a header that was checked
    if (name == http::field::host) ++hosts;
    if (name == http::field::transfer_encoding &&
        !same_name({value.data(), value.size()}, "chunked"))
      other_coding = true;
    into_.headers.emplace_back(std::string(text.data(), text.size()),
                               std::string(value.data(), value.size()));
  }
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code& ec) override {
    too_large = size > max_body_ - into_.body.size();
    no_room = !too_large && !into_.held.grow(size);
    if (too_large || no_room) ec = http::error::body_limit;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view part, error_code&) override {
    into_.body.append(part.data(), part.size());
    return part.size();
  }
  std::size_t on_body_impl(string_view part, error_code&) override { return part.size(); }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  request& into_;
  const std::size_t max_body_;
};

namespace {

/// Old clients end a body with a line break that belongs to nothing (RFC 9112 §2.2).
std::size_t empty_lines(const char* data, std::size_t n) {
  std::size_t at = 0;
  while (n - at >= 2 && data[at] == '\r' && data[at + 1] == '\n')
    at += 2;
  return at;
}

/// Path and query from an origin-form or absolute-form target (RFC 9112 §3.2).
bool split_target(std::string_view target, request& into) {
  if (const auto colon = target.find("://");
      colon != std::string_view::npos && target.front() != '/') {
    const auto path = target.find_first_of("/?", colon + 3);
    target = path == std::string_view::npos ? std::string_view("/") : target.substr(path);
  }
  const auto mark = target.find('?');
  into.target = target.substr(0, mark);
  if (mark != std::string_view::npos) into.query = target.substr(mark + 1);
  return into.target == "*" || (!into.target.empty() && into.target.front() == '/');
}

} // namespace

request_reader::request_reader(std::size_t max_header, std::size_t max_body)
    : max_header_(max_header), max_body_(max_body) {}
request_reader::~request_reader() = default;

void request_reader::start(request& into) {
  parser_ = std::make_unique<parser>(into, max_body_);
  into_ = &into;
  head_bytes_ = 0;
}

request_reader::step request_reader::fail(unsigned status, std::string_view detail) {
  failure_ = status == 503 ? busy(detail) : problem(status, detail);
  return step::failed;
}

request_reader::step request_reader::feed(const char* data, std::size_t n, std::size_t& used) {
  const bool in_head = !parser_->is_header_done();
  const std::size_t skipped = parser_->got_some() ? 0 : empty_lines(data, n);
  error_code ec = http::error::need_more;
  used = skipped;
  if (!(n == skipped || (!parser_->got_some() && n - skipped == 1 && data[skipped] == '\r')))
    used += parser_->put(boost::asio::const_buffer(data + skipped, n - skipped), ec);
  if (in_head) {
    // Beast's own limit starts anew with each piece.
    head_bytes_ += used;
    const std::size_t seen = parser_->is_header_done() ? head_bytes_ : head_bytes_ + (n - used);
    if (seen > max_header_ || ec == http::error::header_limit)
      return fail(431, "the request's headers are too large");
  }
  if (parser_->too_large) return fail(413, "the body is too large");
  if (parser_->no_room) return fail(503, "too many bodies are in flight");
  if (ec == http::error::need_more) return step::need_more;
  if (ec) return fail(400, "malformed HTTP: " + ec.message());
  if (!in_head) return parser_->is_done() ? step::complete : step::need_more;
  return parser_->is_header_done() ? head_done() : step::need_more;
}

request_reader::step request_reader::head_done() {
  parser_->eager(true);
  if (parser_->other_coding) return fail(501, "a transfer coding other than chunked");
  if (parser_->version == 10 && parser_->chunked()) return fail(400, "HTTP/1.0 has no chunks");
  if (parser_->hosts > 1 || (parser_->hosts == 0 && parser_->version != 10))
    return fail(400, "a request has one Host header");
  if (!split_target(parser_->target, *into_)) return fail(400, "the request target is no path");
  return step::head;
}

bool request_reader::keep_alive() const { return parser_->keep_alive(); }
bool request_reader::chunked() const { return parser_->chunked(); }
bool request_reader::is_http_1_0() const { return parser_ && parser_->version == 10; }

std::optional<std::uint64_t> request_reader::length() const {
  const auto n = parser_->content_length();
  return n ? std::optional<std::uint64_t>(*n) : std::nullopt;
}

} // namespace tidemark::net
