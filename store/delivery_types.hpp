// SPDX-License-Identifier: MIT
#pragma once

#include "tide/fact.hpp"
#include "tide/notice.hpp"
#include "tide/write_set.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What goes into the store and comes out of it about handlers and their messages.  Times are ms
// since 1970, UTC.

namespace tidemark::store {

/// A handler as the config says it.
struct handler_in {
  std::string name;
  bool pending = false, confirmed = true;
  std::string order_by; ///< as the config writes it
  std::vector<std::string> subscriptions = {};
  std::int64_t pending_max_age = 0;                 ///< ms; 0: no end
  std::uint64_t max_message = 0;                    ///< bytes; 0: no limit
  std::uint32_t batch = 1;                          ///< messages at most
  std::int64_t linger = 0;                          ///< ms for a batch to fill
  std::vector<std::uint64_t> chains = {};           ///< that it may get events of
  std::map<std::uint64_t, std::uint64_t> from = {}; ///< chain id → the first block that it gets
};

/// One message to send now.  Its bytes are message_body's, the same on every attempt.
struct message {
  std::int64_t lane = 0;
  std::uint64_t seq = 0;       ///< of the lane: the message's `sequence`
  std::uint32_t attempt = 1;   ///< counted before sending
  std::int64_t attempt_id = 0; ///< give it back with `finished`
  std::int64_t since = 0;      ///< when it became the one to send in its lane
  tide::fact fact;             ///< `undoes` is this handler's own
  tide::envelope envelope;
  std::optional<tide::notice> notice; ///< in place of the fact
  std::int64_t age = 0;               ///< ms of the budget that are used up
  std::int64_t job = 0;               ///< the replay that it belongs to; 0: none
  bool replayed = false;              ///< by it, as it was sent before
  bool batch = false;                 ///< goes as a batch, with `more` behind it
  std::vector<message> more;          ///< of the same lane; their attempts' ids follow attempt_id
  std::size_t count() const { return 1 + more.size(); }
};
/// `webhook-id`, and the body.
std::string message_id(const message& m);
std::string message_body(const message& m);
struct message_batch {
  std::vector<message> messages;
  std::optional<std::int64_t> next_due; ///< of what was not taken; absent: nothing waits for a time
  /// Nothing is given before: the handler asked for it, perhaps of a sender that is gone.
  std::optional<std::int64_t> wait_until = {};
};

/// How an exchange ended.
struct finished {
  std::string handler;
  std::int64_t lane = 0;
  std::uint64_t seq = 0;
  std::int64_t attempt_id = 0;
  tide::outcome outcome = tide::outcome::failed;
  std::optional<std::uint16_t> http_status;
  std::uint32_t ms = 0;
  std::string answer;      ///< at most 4 KiB are kept
  std::uint32_t count = 1; ///< messages in it; their attempts' ids follow attempt_id
  bool done = false;       ///< the key goes on behind `taken` messages
  std::uint32_t taken = 1;
  std::optional<std::int64_t> retry_at; ///< of one that is not done; absent: at once
  bool split = false;                   ///< the batch goes message by message from now on
  std::optional<tide::on_exhausted> parks;
  std::int64_t aged = 0; ///< ms more of the budget
};

/// What an operator does with parked messages.
struct dead_order {
  std::vector<std::int64_t> ids;
  bool all = false; ///< whatever is parked, of `handler` if it is not empty
  std::string handler;
  bool skip = false; ///< a gap takes the message's place; else it is tried again
  std::string who, reason;
};
enum class dead_fault : std::uint8_t {
  none,   ///< there is no such row
  undone, ///< its event was undone, or a later message about it went: it can only be skipped
  behind  ///< an earlier message of its key is parked
};
struct dead_done {
  std::uint64_t count = 0;
  std::vector<std::pair<std::int64_t, dead_fault>> refused;
};
/// A parked message.
struct dead_row {
  std::int64_t id = 0;
  std::string message_id, handler, key, event_id;
  std::uint64_t sequence = 0;
  std::int64_t parked_at = 0;
  std::uint32_t attempts = 0;
  std::optional<tide::outcome> outcome; ///< of its last attempt
  std::optional<std::uint16_t> http_status;
  std::string answer;
};

/// Which messages of a handler go once more; what is absent does not matter.
struct replay_order {
  std::string handler;
  std::optional<std::int64_t> since, until;      ///< when the fact was concluded
  std::optional<std::uint64_t> from_seq, to_seq; ///< of the feed
  std::optional<tide::event_key> event;
  std::optional<std::uint64_t> chain_id, from_block, to_block;
  bool as_new = false;
  double rate = 0; ///< messages a second; 0: no limit of its own
  bool dry_run = false;
  std::string who, reason;
};
struct replay_started {
  std::uint64_t count = 0; ///< messages
  std::optional<std::int64_t>
      job; ///< none where there is nothing to send, or only the count was asked
};

/// An event that the store has, for a handler that comes later.
struct backlog_place {
  std::uint64_t block = 0;
  std::uint32_t tx_index = 0;
  std::int32_t log_index = 0;
};
/// What of it: one that wants no past has what waits, all the same.
enum class backlog_of : std::uint8_t { all, pending };
struct backlog_event {
  backlog_place place;
  evm::hash32 tx;
  std::optional<std::uint32_t> ordinal;
  std::string data;                            ///< the inclusion's JSON
  std::vector<std::string> subscriptions = {}; ///< which have it
  tide::status status = tide::status::pending; ///< or confirmed
};
struct backlog_route {
  evm::hash32 tx;
  std::int32_t log_index = 0;
  tide::route to;
};

} // namespace tidemark::store
