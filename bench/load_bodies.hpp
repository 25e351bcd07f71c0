// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

// What bench_load posts: bodies as a provider sends them, each of another event, with its
// signature.

namespace tidemark::bench {

struct signed_body {
  std::string headers; ///< each with its line break
  std::string body;
};

class body_maker {
public:
  virtual ~body_maker() = default;
  /// The same number gives the same bytes.
  virtual signed_body make(std::uint64_t number) const = 0;
};

/// `kind`: alchemy (1 KB of ADDRESS_ACTIVITY), moralis (1.3 KB), quicknode (a block of `size` bytes
/// of logs, gzip) or event (1.3 KB as Tidemark itself sends to a handler, with a signature that is
/// made once: the ceiling of delivery). Nothing for another.
std::unique_ptr<body_maker> maker_of(const std::string& kind, const std::string& secret,
                                     std::size_t size);

} // namespace tidemark::bench
