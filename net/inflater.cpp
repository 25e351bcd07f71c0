// SPDX-License-Identifier: MIT
#include "net/inflater.hpp"

#include <array>

#include <zlib.h>

namespace tidemark::net {

inflater::inflater() : stream_(std::make_unique<z_stream_s>()) {
  constexpr int gzip_only = 16;
  ready_ = inflateInit2(stream_.get(), MAX_WBITS + gzip_only) == Z_OK;
}

inflater::~inflater() {
  if (ready_) inflateEnd(stream_.get());
}

bool inflater::feed(const char* data, std::size_t n, const sink& out) {
  if (!ready_) return false;
  std::array<char, std::size_t{16} * 1024> piece;
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data)); // zlib does not write there
  stream_->avail_in = static_cast<uInt>(n);
  do {
    if (stream_->avail_in == 0 && between_) return true;
    stream_->next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_->avail_out = static_cast<uInt>(piece.size());
    const int state = inflate(stream_.get(), Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return false;
    const std::size_t made = piece.size() - stream_->avail_out;
    if (made != 0 && !out(piece.data(), made)) return false;
    between_ = state == Z_STREAM_END;
    if (between_ && inflateReset(stream_.get()) != Z_OK) return false;
  } while (stream_->avail_in != 0 || stream_->avail_out == 0);
  return true;
}

} // namespace tidemark::net
