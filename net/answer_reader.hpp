// SPDX-License-Identifier: MIT
#pragma once

#include "net/chunk_reader.hpp"
#include "net/http_client.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tidemark::net {

/// What one answer may be (client_request says what each means).
struct answer_limits {
  std::size_t max_answer = 0;
  std::size_t keep = 0;
  bool accept_gzip = false;
  bool to_head = false; ///< the request was a HEAD, so that no body follows
};

/// Bytes → one answer, inflated. No socket, no clock. Interim answers (1xx) are passed over.
class answer_reader {
public:
  static constexpr std::size_t max_header = std::size_t{32} * 1024;

  enum class step { need_more, complete, failed };

  explicit answer_reader(const answer_limits& limits);
  ~answer_reader();
  answer_reader(const answer_reader&) = delete;
  answer_reader& operator=(const answer_reader&) = delete;

  /// Takes the first `used` of `n` bytes. need_more with nothing used: give it a longer run.
  step feed(const char* data, std::size_t n, std::size_t& used);
  /// The peer sends nothing more.
  step ended();

  /// True once any byte has come.
  bool begun() const { return begun_; }
  /// After `complete`: whether another request may go the same way.
  bool keep_alive() const;
  /// After `complete`.
  client_response take();
  /// After `failed`: too_large, malformed or cut, without the origin in the text.
  const client_error& failure() const { return failure_; }

private:
  class parser;
  step fail(net::failure kind, std::string text);
  step feed_head(const char* data, std::size_t n, std::size_t& used);
  step feed_body(const char* data, std::size_t n, std::size_t& used);
  step message_done();

  const answer_limits limits_;
  std::unique_ptr<parser> parser_;
  chunk_reader chunks_;
  std::size_t head_bytes_ = 0;
  bool begun_ = false;
  client_error failure_;
};

} // namespace tidemark::net
