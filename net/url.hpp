// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::net {

/// An absolute http, https, ws or wss URL.
struct url {
  std::string scheme; ///< lower case
  std::string host;   ///< lower case; an IPv6 literal without its brackets
  std::uint16_t port = 0;
  std::string target; ///< path and query, at least `/`; may hold secrets (keys in paths): never to
                      ///< be logged

  bool secure() const { return scheme == "https" || scheme == "wss"; }
  /// host[:port] as a Host header has it: the scheme's own port is left out.
  std::string authority() const;
  /// scheme://host[:port], the only part that a log or an error may show.
  std::string origin() const;
};

/// No user and password, no fragment, ASCII only (an international name is written as punycode).
/// The error's text holds nothing of the input.
evm::result<url> parse_url(std::string_view text);

} // namespace tidemark::net
