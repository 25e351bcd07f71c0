// SPDX-License-Identifier: MIT
#include "net/chunk_reader.hpp"

#include <algorithm>

namespace tidemark::net {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

chunk_reader::step chunk_reader::feed(const char* data, std::size_t n, std::size_t& used,
                                      const on_size& size, const on_data& out) {
  used = 0;
  while (used < n) {
    if (at_ == at::data) {
      const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>(size_, n - used));
      if (!out(data + used, here)) return step::unwanted;
      used += here;
      size_ -= here;
      if (size_ == 0) at_ = at::data_cr;
      continue;
    }
    const bool told = at_ == at::size_end;
    if (!take(data[used++])) return step::malformed;
    if (complete_) return step::complete;
    if (told && at_ == at::data && !size(size_)) return step::unwanted;
  }
  return step::need_more;
}

bool chunk_reader::take(char c) {
  const auto expect = [&](char wanted, at then) {
    at_ = then;
    return c == wanted;
  };
  switch (at_) {
  case at::size:
    return take_size(c);
  case at::extension:
    return pass_over(c, at::size_end);
  case at::size_end:
    passed_over_ = 0;
    return expect('\n', size_ == 0 ? at::line_start : at::data);
  case at::data_cr:
    return expect('\r', at::data_lf);
  case at::data_lf:
    any_digit_ = false;
    return expect('\n', at::size);
  case at::line_start:
    at_ = c == '\r' ? at::end : at::trailer;
    return c == '\r' || pass_over(c, at::trailer_end);
  case at::trailer:
    return pass_over(c, at::trailer_end);
  case at::trailer_end:
    return expect('\n', at::line_start);
  case at::end:
    complete_ = true;
    return c == '\n';
  case at::data:
    break;
  }
  return false;
}

bool chunk_reader::take_size(char c) {
  if (const int digit = hex_digit(c); digit >= 0) {
    if (size_ > (UINT64_MAX >> 4)) return false;
    size_ = size_ << 4 | static_cast<unsigned>(digit);
    any_digit_ = true;
    return true;
  }
  if (c == '\r')
    at_ = at::size_end;
  else if (c == ';' || c == ' ' || c == '\t')
    at_ = at::extension;
  else
    return false;
  return any_digit_;
}

/// A bare line feed would be an end of line to others.
bool chunk_reader::pass_over(char c, at then) {
  if (c == '\r') at_ = then;
  return c != '\n' && ++passed_over_ <= max_passed_over;
}

} // namespace tidemark::net
