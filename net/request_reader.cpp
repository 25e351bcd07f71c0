// SPDX-License-Identifier: MIT
#include "net/request_reader.hpp"

#include <boost/beast/http/basic_parser.hpp>

namespace tidemark::net {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

class request_reader::parser final : public http::basic_parser<true> {
public:
  explicit parser(request& into) : into_(into) {
    body_limit(boost::none); // counted by whoever takes the body
  }

  int version = 0;
  std::string target;
  unsigned hosts = 0, lengths = 0;
  bool other_coding = false, odd_length = false;

private:
  void on_request_impl(http::verb, string_view method, string_view t, int v, error_code&) override {
    into_.method.assign(method.data(), method.size());
    target.assign(t.data(), t.size());
    version = v;
  }
  void on_field_impl(http::field name, string_view text, string_view value, error_code&) override {
    if (is_header_done()) return; // a trailer: must not pass for a header that was checked
    if (name == http::field::host) ++hosts;
    if (name == http::field::content_length) {
      ++lengths;
      odd_length = odd_length || value.find_first_not_of("0123456789") != string_view::npos;
    }
    if (name == http::field::transfer_encoding &&
        !same_name({value.data(), value.size()}, "chunked"))
      other_coding = true;
    into_.headers.emplace_back(std::string(text.data(), text.size()),
                               std::string(value.data(), value.size()));
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view part, error_code&) override {
    return part.size();
  }
  std::size_t on_body_impl(string_view part, error_code&) override { return part.size(); }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  request& into_;
};

namespace {

/// Old clients end a body with a line break that belongs to nothing (RFC 9112 §2.2).
std::size_t empty_lines(const char* data, std::size_t n) {
  std::size_t at = 0;
  while (n - at >= 2 && data[at] == '\r' && data[at + 1] == '\n')
    at += 2;
  return at;
}

/// The host of an absolute-form target takes the place of the header's (RFC 9112 §3.2.2).
void set_host(std::string_view host, request& into) {
  for (auto& [name, value] : into.headers)
    if (same_name(name, "host")) value = host;
}

/// Path and query from an origin-form or absolute-form target (RFC 9112 §3.2).
bool split_target(std::string_view target, request& into) {
  if (const auto colon = target.find("://");
      colon != std::string_view::npos && target.front() != '/') {
    const auto path = target.find_first_of("/?", colon + 3);
    set_host(target.substr(colon + 3, path - colon - 3), into);
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
  parser_ = std::make_unique<parser>(into);
  chunks_ = {};
  into_ = &into;
  head_bytes_ = 0;
}

request_reader::step request_reader::fail(unsigned status, std::string_view detail) {
  failure_ = status == 503 ? busy(detail) : problem(status, detail);
  return step::failed;
}

request_reader::step request_reader::feed(const char* data, std::size_t n, std::size_t& used) {
  return parser_->is_header_done() ? feed_chunks(data, n, used) : feed_head(data, n, used);
}

request_reader::step request_reader::feed_head(const char* data, std::size_t n, std::size_t& used) {
  error_code ec = http::error::need_more;
  used = parser_->got_some() ? 0 : empty_lines(data, n);
  const bool half_an_empty_line = !parser_->got_some() && n - used == 1 && data[used] == '\r';
  if (n != used && !half_an_empty_line)
    used += parser_->put(boost::asio::const_buffer(data + used, n - used), ec);
  // Beast's own limit starts anew with each piece.
  head_bytes_ += used;
  const std::size_t seen = parser_->is_header_done() ? head_bytes_ : head_bytes_ + (n - used);
  if (seen > max_header_ || ec == http::error::header_limit)
    return fail(431, "the request's headers are too large");
  if (ec == http::error::need_more) return step::need_more;
  // Beast joins what is folded, and another reader may not.
  const std::string_view head(data, used);
  if (!ec && (head.find("\n ") != head.npos || head.find("\n\t") != head.npos))
    return fail(400, "malformed HTTP: a folded header line");
  if (ec) return fail(400, "malformed HTTP: " + ec.message());
  return parser_->is_header_done() ? head_done() : step::need_more;
}

request_reader::step request_reader::feed_chunks(const char* data, std::size_t n,
                                                 std::size_t& used) {
  bool too_large = false;
  const auto size = [&](std::uint64_t bytes) {
    too_large = bytes > max_body_ - into_->body.size();
    return !too_large && into_->hold(bytes);
  };
  const auto out = [this](const char* part, std::size_t bytes) {
    into_->body.append(part, bytes);
    return true;
  };
  switch (chunks_.feed(data, n, used, size, out)) {
  case chunk_reader::step::need_more:
    return step::need_more;
  case chunk_reader::step::complete:
    return step::complete;
  case chunk_reader::step::malformed:
    return fail(400, "malformed HTTP: bad chunk");
  case chunk_reader::step::unwanted:
    break;
  }
  return too_large ? fail(413, "the body is too large")
                   : fail(503, "too many bodies are in flight");
}

request_reader::step request_reader::head_done() {
  if (parser_->other_coding) return fail(501, "a transfer coding other than chunked");
  if (parser_->version == 10 && parser_->chunked()) return fail(400, "HTTP/1.0 has no chunks");
  // Beast takes a list of lengths that agree.
  if (parser_->lengths > 1 || parser_->odd_length)
    return fail(400, "malformed HTTP: one length is needed, not a list of them");
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
