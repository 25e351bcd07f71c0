// SPDX-License-Identifier: MIT
#include "net/answer_reader.hpp"

#include "net/inflater.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <optional>

namespace tidemark::net {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

class answer_reader::parser final : public http::basic_parser<false> {
public:
  explicit parser(const answer_limits& limits) : limits_(limits) {
    body_limit(boost::none); // counted here, inflated
    skip(limits.to_head);
  }

  client_response answer;
  bool too_large = false;
  bool enough = false;
  bool no_gzip = false;
  bool other_coding = false;

  bool inflated_whole() const { return !inflater_ || inflater_->at_end(); }

  /// Bytes of the body, out of their chunks; false: no more of them.
  bool take(const char* data, std::size_t n) {
    const bool good =
        inflater_ ? inflater_->feed(
                        data, n, [this](const char* part, std::size_t m) { return store(part, m); })
                  : store(data, n);
    no_gzip = !good && !too_large && !enough;
    return good;
  }

private:
  void on_response_impl(int code, string_view, int, error_code&) override {
    answer.status = static_cast<unsigned>(code);
  }
  void on_field_impl(http::field name, string_view text, string_view value, error_code&) override {
    if (is_header_done()) return; // a trailer
    if (name == http::field::transfer_encoding &&
        !same_name({value.data(), value.size()}, "chunked"))
      other_coding = true;
    answer.headers.emplace_back(std::string(text.data(), text.size()),
                                std::string(value.data(), value.size()));
  }
  void on_header_impl(error_code& ec) override {
    if (other_coding) ec = http::error::bad_transfer_encoding;
    const std::string* const coding = find_header(answer.headers, "Content-Encoding");
    if (limits_.accept_gzip && coding != nullptr &&
        (same_name(*coding, "gzip") || same_name(*coding, "x-gzip")))
      inflater_.emplace();
  }
  std::size_t on_body_impl(string_view part, error_code& ec) override {
    if (!take(part.data(), part.size())) ec = http::error::body_limit;
    return part.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view part, error_code&) override {
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  bool store(const char* data, std::size_t n) {
    const std::size_t fits = std::min(n, limits_.max_answer - seen_);
    const std::size_t wanted =
        limits_.keep == 0 ? fits : std::min(fits, limits_.keep - std::min(limits_.keep, seen_));
    answer.body.append(data, wanted);
    answer.cut_short = answer.cut_short || wanted < n;
    seen_ += fits;
    if (fits == n) return true;
    (limits_.keep == 0 ? too_large : enough) = true;
    return false;
  }

  const answer_limits& limits_;
  std::optional<inflater> inflater_;
  std::size_t seen_ = 0;
};

answer_reader::answer_reader(const answer_limits& limits)
    : limits_(limits), parser_(std::make_unique<parser>(limits_)) {}
answer_reader::~answer_reader() = default;

answer_reader::step answer_reader::fail(net::failure kind, std::string text) {
  failure_ = {kind, std::move(text), true};
  return step::failed;
}

answer_reader::step answer_reader::feed(const char* data, std::size_t n, std::size_t& used) {
  begun_ = begun_ || n != 0;
  used = 0;
  while (used < n) {
    std::size_t taken = 0;
    const bool in_head = !parser_->is_header_done();
    const step s =
        in_head ? feed_head(data + used, n - used, taken) : feed_body(data + used, n - used, taken);
    used += taken;
    if (s == step::complete && parser_->answer.status / 100 == 1) {
      if (parser_->answer.status == 101)
        return fail(failure::malformed, "the peer changed the protocol unasked");
      parser_ = std::make_unique<parser>(limits_);
      head_bytes_ = 0;
    } else if (s != step::need_more || taken == 0) {
      return s;
    }
  }
  return step::need_more;
}

answer_reader::step answer_reader::feed_head(const char* data, std::size_t n, std::size_t& used) {
  error_code ec;
  used = parser_->put(boost::asio::const_buffer(data, n), ec);
  // Beast's own limit starts anew with each piece.
  head_bytes_ += used;
  const std::size_t seen = parser_->is_header_done() ? head_bytes_ : head_bytes_ + (n - used);
  if (seen > max_header || ec == http::error::header_limit)
    return fail(failure::too_large, "the answer's headers are too large");
  if (ec == http::error::need_more) return step::need_more;
  if (ec) return fail(failure::malformed, "the answer is not HTTP: " + ec.message());
  return parser_->is_done() ? message_done() : step::need_more;
}

answer_reader::step answer_reader::feed_body(const char* data, std::size_t n, std::size_t& used) {
  bool whole = false;
  bool broken = false;
  if (parser_->chunked()) {
    const auto got = chunks_.feed(
        data, n, used, [](std::uint64_t) { return true; },
        [this](const char* part, std::size_t m) { return parser_->take(part, m); });
    whole = got == chunk_reader::step::complete;
    broken = got == chunk_reader::step::malformed;
  } else {
    error_code ec;
    used = parser_->put(boost::asio::const_buffer(data, n), ec);
    whole = parser_->is_done();
  }
  if (parser_->enough) return step::complete;
  if (parser_->too_large) return fail(failure::too_large, "the answer is too large");
  if (parser_->no_gzip) return fail(failure::malformed, "the answer does not inflate");
  if (broken) return fail(failure::malformed, "the answer is not HTTP: bad chunk");
  return whole ? message_done() : step::need_more;
}

answer_reader::step answer_reader::message_done() {
  if (!parser_->inflated_whole()) return fail(failure::malformed, "the answer's gzip ends early");
  return step::complete;
}

answer_reader::step answer_reader::ended() {
  if (!parser_->is_header_done())
    return fail(failure::cut, begun_ ? "the connection ended in the answer's headers"
                                     : "the connection ended without an answer");
  error_code ec;
  parser_->put_eof(ec);
  if (ec) return fail(failure::cut, "the connection ended in the answer's body");
  return message_done();
}

bool answer_reader::keep_alive() const { return !parser_->enough && parser_->keep_alive(); }

client_response answer_reader::take() { return std::move(parser_->answer); }

} // namespace tidemark::net
