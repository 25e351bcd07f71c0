// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::tide {

/// What an endpoint's error means for what we do next (rpc.md §1.3). No table of providers: words,
/// numbers and the status decide.
enum class rpc_failure : std::uint8_t {
  too_big,      ///< ask for less
  long_list,    ///< ask for fewer addresses or topics at once
  ahead,        ///< that endpoint is not there yet
  transient,    ///< again later, or another endpoint
  rate_limited, ///< as transient, and it wants less of us
  pruned,       ///< it has dropped that history
  unsupported,  ///< it has no such method
  auth,         ///< it does not want us
  ours          ///< the call itself is wrong
};

struct rpc_error {
  int http_status = 200;
  std::int64_t code = 0;
  std::string message; ///< as the endpoint wrote it, `data` behind it
};

rpc_failure classify(const rpc_error& e);
/// The number of blocks that the text says would work; only ever an upper bound on a size, never a
/// place to go on from.
std::optional<std::uint64_t> span_hint(const rpc_error& e, std::uint64_t asked);

/// What there was too much of where a range is too big: blocks, whatever is in them, or what the
/// answer would hold.
enum class excess : std::uint8_t { blocks, volume };
excess excess_of(const rpc_error& e);

std::string_view to_text(rpc_failure f);

} // namespace tidemark::tide
