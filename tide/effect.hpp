// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"
#include "tide/status.hpp"
#include "tide/write_set.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// What a Tide is told once, and what it wants done.

namespace tidemark::tide {

using millis = std::int64_t; ///< ms since 1970, or a span of them

struct settings {
  std::uint64_t chain_id = 0;
  std::string name;
  needs confirmations;                      ///< the chain's own policy: what the mark means
  std::optional<std::uint64_t> start_block; ///< absent: the head at the first start
  bool follow = true, instant = false;
  tag strongest_tag = tag::none; ///< of every policy that can apply here: which tags are asked for
  proof integrity = proof::bloom, backfill = proof::bloom; ///< within max_depth · deeper
  std::size_t endpoints = 1, quorum = 1; ///< how many there are · have to agree on a hash
  millis poll = 4'000, reorg_interval = 15'000, reconcile_interval = 60'000;
  std::uint64_t max_depth = 256, max_range = 2'000, overlap = 256;
  /// How the store keeps `data` of an event, for what is ready before the store is; absent: it does
  /// that itself. Any thread.
  std::function<std::string(std::string_view)> pack = {};
};

// What a Tide wants done.
struct want_hints {
  std::size_t limit = 0;
};                           ///< the chain's due hints → hinted()
struct want_event_blocks {}; ///< blocks in which we hold events, from the top → event_blocks()
struct conclude {
  write_set set;
}; ///< one at a time → stored()
struct said {
  bool warning = false;
  std::string text;
}; ///< a line for the log
struct caught_lying {
  std::size_t endpoint = 0;
  std::string kind;     ///< block · logs · fork
  std::string evidence; ///< block, what was said, what was proved
};
struct resume_answered {
  resume_report report;
};
using effect = std::variant<ask, conclude, want_hints, want_event_blocks, said, caught_lying,
                            resume_answered, skip_answered, reconcile_progress>;

} // namespace tidemark::tide
