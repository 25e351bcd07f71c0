// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"
#include "tide/interest.hpp"
#include "tide/nursery.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Reading a stored event again from its own topics and data, after a subscription was mended
// (contract §4.4). Pure: the store gives the events, and writes what this says.

namespace tidemark::tide {

/// A pending or confirmed event of kind log, as the store has it.
struct kept_event {
  std::string_view data; ///< its inclusion's JSON
  std::optional<std::uint32_t> ordinal;
  std::vector<std::string> subscriptions; ///< that it was found for
};

enum class reread : std::uint8_t {
  untouched, ///< it says what it said, or what it was found for is not in the config any more
  changed,   ///< another event or other arguments, or one of its subscriptions does not fit now
  gone       ///< it is in the config, and does not fit
};
struct read_again {
  reread how = reread::untouched;
  std::optional<sighting> now; ///< where it changed
};
/// `wants` is the config's as it is now. An error: the stored event cannot be read.
evm::result<read_again> read_event_again(const interest& wants, const nursery& children,
                                         const kept_event& e);

/// For a person, as JSON: `{"event_id","before":{"event","args"},"after":{…}|null}`.
std::string difference(std::string_view before, const std::optional<sighting>& now);

/// What the new reading is at once: confirmed only if what confirmed the old one is enough for it.
/// `before` has no rolled_back.
status reopened_as(status before, const needs& had, const needs& asks);

} // namespace tidemark::tide
