// SPDX-License-Identifier: MIT
#pragma once

#include "tide/write_set.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// What a fact does to a handler's key (contract §4.2). Pure: the store asks, and writes what it
// says.

namespace tidemark::tide {

struct dispatch {
  bool send = false; ///< a message at the end of the lane
  bool hold = false; ///< a place among what waits, from where it is released in the chain's order
  friend bool operator==(const dispatch&, const dispatch&) = default;
};

/// A pending or confirmed fact of an event that has no place in the lane yet. `late`: it was found
/// at or below the mark, goes when found and holds nothing. `lane_waits`: something waits in the
/// lane.
dispatch dispatch_fact(status s, const route& r, bool late, bool lane_waits);

/// What waits in a lane, in the chain's order: is it confirmed?
struct held_message {
  bool confirmed = false;
};
/// How many from the front go now: an unconfirmed one holds all behind it.
std::size_t released(std::span<const held_message> front);

/// A message about an inclusion, sent or queued.
struct told_message {
  std::int64_t handler = 0, lane = 0, subscription = 0; ///< the store's numbers
  friend bool operator==(const told_message&, const told_message&) = default;
};
/// Which get a rolled_back behind them once the inclusion is undone: each handler's last.
/// `latest_first`: all of the inclusion. What was only held is closed, and nothing is sent for it.
std::vector<told_message> taken_back(std::span<const told_message> latest_first);

} // namespace tidemark::tide
