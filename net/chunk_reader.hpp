// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tidemark::net {

/// Takes a body out of its chunks (RFC 9112 §7.1), in whatever pieces it comes. Extensions and
/// trailers are passed over. Beast has this too, but its own assertions end the process when an
/// empty body comes byte by byte.
class chunk_reader {
public:
  enum class step { need_more, complete, malformed, unwanted };
  /// False: the body is not wanted any more.
  using on_size = std::function<bool(std::uint64_t size)>;
  using on_data = std::function<bool(const char* data, std::size_t n)>;

  /// Takes the first `used` of `n` bytes: all, unless the body is complete. `size` is told of each
  /// chunk before its bytes.
  step feed(const char* data, std::size_t n, std::size_t& used, const on_size& size,
            const on_data& out);

private:
  enum class at {
    size,
    extension,
    size_end,
    data,
    data_cr,
    data_lf,
    line_start,
    trailer,
    trailer_end,
    end
  };
  /// Extensions of one chunk, or all trailers.
  static constexpr std::size_t max_passed_over = std::size_t{8} * 1024;

  bool take(char c);
  bool take_size(char c);
  bool pass_over(char c, at then);

  at at_ = at::size;
  std::uint64_t size_ = 0; ///< of the chunk, then what is left of it
  bool any_digit_ = false;
  bool complete_ = false;
  std::size_t passed_over_ = 0;
};

} // namespace tidemark::net
