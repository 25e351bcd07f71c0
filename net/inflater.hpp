// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

struct z_stream_s;

namespace tidemark::net {

/// gzip, piece by piece, members one behind the other included (RFC 1952 §2.2).
class inflater {
public:
  /// Takes inflated bytes; false: no more are wanted.
  using sink = std::function<bool(const char* data, std::size_t n)>;

  inflater();
  ~inflater();
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;

  /// False: this is no gzip, or the sink wants no more.
  bool feed(const char* data, std::size_t n, const sink& out);
  /// True between members: the input may end here.
  bool at_end() const { return between_; }

private:
  std::unique_ptr<z_stream_s> stream_;
  bool ready_ = false;
  bool between_ = true;
};

} // namespace tidemark::net
