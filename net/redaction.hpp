// SPDX-License-Identifier: MIT
#pragma once

#include "net/response.hpp"
#include "net/url.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::net {

/// A peer's own words may repeat what it was asked by: the key in its URL's path or query, the
/// value of a header. Before such words reach a log, an answer or the store, they go through this.
class redaction {
public:
  redaction() = default;
  redaction(const url& to, const header_list& headers) { add(to, headers); }

  /// Path and query, whole and in pieces of 8 characters or more; headers' values, and what stands
  /// in them behind a scheme's name (`Bearer …`).
  void add(const url& to, const header_list& headers);

  /// `…` in place of each, and scheme and host alone of each URL in the text.
  std::string of(std::string text) const;

private:
  void keep(std::string_view secret, std::size_t least);

  std::vector<std::string> secrets_; ///< the longest first
};

} // namespace tidemark::net
