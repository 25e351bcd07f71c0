// SPDX-License-Identifier: MIT
#include "providers/content_encoding.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

namespace tidemark::providers {

namespace {

// zlib's windowBits: 15 is the largest window, + 16 asks for a gzip header, negative for none.
constexpr int gzip_window = 15 + 16;
constexpr int zlib_window = 15;
constexpr int bare_window = -15;

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// RFC 1950 §2.2: the method is 8 and the first two bytes divide by 31.
bool has_zlib_header(std::string_view body) {
  if (body.size() < 2) return false;
  const unsigned first = static_cast<unsigned char>(body[0]);
  const unsigned second = static_cast<unsigned char>(body[1]);
  return (first & 0x0f) == 8 && (first << 8 | second) % 31 == 0;
}

std::optional<int> window_of(std::string_view encoding, std::string_view body) {
  const auto name = lower(encoding);
  if (name == "gzip" || name == "x-gzip") return gzip_window;
  if (name == "deflate") return has_zlib_header(body) ? zlib_window : bare_window;
  return std::nullopt;
}

struct end_inflate {
  void operator()(z_stream* s) const { inflateEnd(s); }
};

using outcome = boost::system::result<std::string, inflate_refusal>;

outcome run(z_stream& stream, bool many_members, std::size_t limit) {
  std::string out;
  std::array<char, 32768> chunk;
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int rc = ::inflate(&stream, Z_NO_FLUSH);
    if (rc != Z_OK && rc != Z_STREAM_END) return inflate_refusal::damaged;
    const std::size_t made = chunk.size() - stream.avail_out;
    if (made > limit - out.size()) return inflate_refusal::too_large;
    out.append(chunk.data(), made);
    if (rc != Z_STREAM_END) continue;
    if (stream.avail_in == 0) return out;
    // A gzip file may be several (RFC 1952 §2.2), one behind the other.
    if (!many_members || inflateReset(&stream) != Z_OK) return inflate_refusal::damaged;
  }
}

} // namespace

std::string_view to_text(inflate_refusal r) {
  switch (r) {
  case inflate_refusal::unknown_encoding:
    return "the content encoding is not supported";
  case inflate_refusal::damaged:
    return "the body does not inflate";
  case inflate_refusal::too_large:
    return "the body inflates to more than the limit";
  }
  return "";
}

void throw_exception_from_error(inflate_refusal r, const boost::source_location&) {
  throw std::logic_error(std::string{to_text(r)});
}

bool is_identity(std::string_view encoding) {
  return encoding.empty() || lower(encoding) == "identity";
}

outcome inflate(std::string_view encoding, std::string_view body, std::size_t limit) {
  if (is_identity(encoding)) {
    if (body.size() > limit) return inflate_refusal::too_large;
    return std::string{body};
  }
  const auto window = window_of(encoding, body);
  if (!window) return inflate_refusal::unknown_encoding;
  if (body.size() > std::numeric_limits<uInt>::max()) return inflate_refusal::too_large;

  z_stream stream{};
  if (inflateInit2(&stream, *window) != Z_OK) return inflate_refusal::damaged;
  const std::unique_ptr<z_stream, end_inflate> guard{&stream};
  // zlib only reads it; its type is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  return run(stream, *window == gzip_window, limit);
}

} // namespace tidemark::providers
