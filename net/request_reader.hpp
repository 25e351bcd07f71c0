// SPDX-License-Identifier: MIT
#pragma once

#include "net/chunk_reader.hpp"
#include "net/http_server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tidemark::net {

/// Bytes → one request after the other. No socket, no clock. RFC 9112, strictly: what two readers
/// could understand in two ways (two lengths, a length beside chunks, a doubled Host) is refused.
class request_reader {
public:
  enum class step { need_more, head, complete, failed };

  request_reader(std::size_t max_header, std::size_t max_body);
  ~request_reader();
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;

  /// The next request goes into `into`, which must live until the next start().
  void start(request& into);
  /// Takes the first `used` of `n` bytes. After `head` a body in chunks is fed on until `complete`;
  /// one with a length is the caller's to take from the bytes, since it needs no reading. need_more
  /// with nothing used: give it a longer run.
  step feed(const char* data, std::size_t n, std::size_t& used);

  /// After `failed`: what to answer.
  const response& failure() const { return failure_; }

  /// After `head`:
  bool keep_alive() const;
  bool chunked() const;
  std::optional<std::uint64_t> length() const;
  bool is_http_1_0() const; ///< false before any request, too

private:
  class parser;
  step fail(unsigned status, std::string_view detail);
  step feed_head(const char* data, std::size_t n, std::size_t& used);
  step feed_chunks(const char* data, std::size_t n, std::size_t& used);
  step head_done();

  const std::size_t max_header_;
  const std::size_t max_body_;
  std::size_t head_bytes_ = 0;
  std::unique_ptr<parser> parser_;
  chunk_reader chunks_;
  request* into_ = nullptr;
  response failure_;
};

} // namespace tidemark::net
