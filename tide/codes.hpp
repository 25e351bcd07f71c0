// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

// The codes that the store holds.  Never renumbered: an old file must mean the same for ever.

namespace tidemark::tide {

/// The status of an event, and of a fact about it.
enum class status : std::uint8_t { pending = 0, confirmed = 1, rolled_back = 2 };

/// Why a fact came to be, where a person would ask.
enum class why : std::uint8_t { none = 0, reorg = 1, corrected = 2 };

/// What became of one hint of a webhook, or of a webhook as a whole.
enum class hint_state : std::uint8_t {
  received = 0, ///< still looking
  verified = 1,
  not_found = 2,
  irrelevant = 3,
  unroutable = 4,
  unparsed = 5
};

/// The state of a message for one handler, and of a lane.
enum class message_state : std::uint8_t {
  held = 0,
  queued = 1,
  sending = 2,
  delivered = 3,
  blocked = 4,
  parked = 5,
  skipped = 6
};

/// How an attempt ended.  `unknown`: the process ended while it was open.
enum class outcome : std::uint8_t {
  open = 0,
  ok = 1,
  later = 2,       ///< 429, or 503 with Retry-After: counts for nothing
  failed = 3,      ///< an answer, or none, that counts against the message
  handler_bad = 4, ///< the handler is broken, not the message
  gone = 5,        ///< 410
  unknown = 6
};

/// Of a job. The numbers are the store's.
enum class job_state : std::uint8_t { running = 0, done = 1, failed = 2, cancelled = 3 };

/// A finality tag, or none; a higher one is a stronger one.
enum class tag : std::uint8_t { none = 0, safe = 1, finalized = 2 };

/// What a chain's handlers' words in `names` are about.
enum class name_kind : std::uint8_t {
  source = 1,
  handler = 2,
  subscription = 3,
  origin = 4,
  instance = 5,
  list = 6
};

std::string_view to_text(status s);
std::string_view to_text(why w);
std::string_view to_text(hint_state s);
std::string_view to_text(message_state s);
std::string_view to_text(outcome o);
std::string_view to_text(tag t);
std::string_view to_text(job_state s);

} // namespace tidemark::tide
