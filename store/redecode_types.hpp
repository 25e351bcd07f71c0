// SPDX-License-Identifier: MIT
#pragma once

#include "store/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What goes into the store and comes out of it where stored events are read again.

namespace tidemark::store {

struct redecode_order {
  std::optional<std::string> subscription; ///< absent: all
  bool dry = true;                         ///< says what would change, changes nothing
  std::string who;
};

/// How far such a job is. It goes by chains in the order of their ids, and each in its own order.
struct redecode_state {
  std::optional<std::string> subscription;
  bool dry = true;
  std::int64_t newest = 0;                 ///< the highest inclusion that was there when it began
  std::uint64_t chain_id = 0;              ///< at this one, or the next that there is
  std::optional<backlog_place> after = {}; ///< absent: at that chain's beginning
  job_counts counts = {}; ///< missing: read otherwise · extra: fit no more · equal
  std::vector<std::string> examples = {}; ///< tide::difference of the first that change
};

/// A pending or confirmed event of kind log, to be read again.
struct kept_row {
  std::int64_t event = 0;
  std::optional<std::uint32_t> ordinal;
  std::string data;
  std::vector<std::string> subscriptions;
};
struct kept_page {
  std::vector<kept_row> events;
  std::optional<backlog_place> last; ///< where the next page begins behind
  bool more = false;                 ///< of this chain
};

/// What such an event is now; nothing: no event any more.
struct reread_row {
  std::int64_t event = 0;
  std::optional<tide::sighting> now;
};

} // namespace tidemark::store
