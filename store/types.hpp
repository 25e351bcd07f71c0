// SPDX-License-Identifier: MIT
#pragma once

#include "store/config_types.hpp"
#include "store/delivery_types.hpp"
#include "tide/delivery_codes.hpp"
#include "tide/fact.hpp"
#include "tide/write_set.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What goes into the store and comes out of it.  Times are ms since 1970, UTC.

namespace tidemark::store {

/// Why the store did not do what was asked.
struct store_failure {
  /// Reading or syncing failed, or the file is damaged: what the page cache says proves nothing any
  /// more, so the process must end.  Otherwise (disk full, busy, no memory, a read that took too
  /// long) only this group or this read failed.
  bool fatal = false;
  std::string text;
};

/// Called by result<T>::value() on a failure: a fault of ours, since callers look first.
[[noreturn]] inline void throw_exception_from_error(const store_failure& f,
                                                    const boost::source_location&) {
  throw std::logic_error(f.text);
}

template <class T> using result = boost::system::result<T, store_failure>;

/// What a group did, for the metrics.
struct tally {
  std::map<std::pair<std::uint64_t, tide::status>, std::uint64_t> facts; ///< by chain id
  std::map<std::uint64_t, std::uint64_t> unnamed; ///< confirmed, and no webhook had named them
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reorgs;             ///< chain id, depth
  std::map<std::pair<std::string, tide::hint_state>, std::uint64_t> hints; ///< settled, by source
  /// By source: how many ms a webhook came before the fact that it named; 0: behind it.
  std::vector<std::pair<std::string, std::int64_t>> leads;
  std::map<std::string, std::uint64_t> gaps; ///< `tidemark.gap` messages, by handler
};

/// What to wake after a commit.  A bell says nothing but "look".
struct bells {
  bool webhooks = false;                        ///< intake
  bool feed = false;                            ///< followers of the feed
  std::vector<std::uint64_t> chains_with_hints; ///< chain ids
  std::vector<std::string> handlers_due;
  tally did;
};

// Webhooks and hints

struct webhook_in {
  std::string_view source;
  std::int64_t at = 0;
  std::string_view headers; ///< JSON, without the header whose value is the secret
  std::string_view body;    ///< the bytes as they came
};
struct webhook_receipt {
  std::int64_t id = 0;
  bool duplicate = false; ///< the same body came from this source before: `id` is the first one's
};
struct raw_webhook {
  std::int64_t id = 0;
  std::string source;
  std::int64_t at = 0;
  std::string headers, body;
};

/// A hint as the intake found it in a body.
struct hint_in {
  std::optional<std::uint64_t> chain_id; ///< absent: no such chain, the hint is unroutable
  std::optional<evm::hash32> tx;
  std::optional<std::uint64_t> block;
  std::optional<evm::hash32> block_hash;
  std::optional<std::uint32_t> log_index;
  bool takes_back = false; ///< what is held is not taken for granted
};
struct extracted {
  std::int64_t webhook = 0;
  tide::hint_state state_if_no_hints = tide::hint_state::irrelevant; ///< or unparsed
  std::vector<hint_in> hints;
};

struct hint_batch {
  std::vector<tide::chain_hint> hints;
  /// When the next one is due, leases that run out included; absent: nothing waits.
  std::optional<std::int64_t> next_due;
};

// What the readers return

struct chain_row {
  std::uint64_t chain_id = 0;
  std::optional<std::uint64_t> start_block;
  std::optional<evm::block_id> mark, final_block;
  std::optional<std::string> halted;
};

struct event_item {
  tide::fact fact; ///< the last one; `undoes` as the feed has it
  std::vector<std::pair<std::string, tide::message_state>>
      processing; ///< handler → state of its last message
};
struct attempt_row {
  std::string handler;
  std::string message_id;
  std::int64_t at = 0;
  tide::outcome outcome = tide::outcome::open;
  std::optional<std::uint16_t> http_status;
  std::optional<std::uint32_t> ms;
  std::string answer;
};
struct event_life {
  event_item item;
  std::vector<tide::fact> history; ///< every fact in order, without `data`
  std::vector<std::int64_t> webhooks;
  std::vector<attempt_row> attempts; ///< oldest first
};

/// What /v1/events filters by; absent: any.
struct event_filter {
  std::optional<std::uint64_t> chain_id;
  std::optional<tide::status> status;
  std::optional<std::string> subscription;
  std::optional<evm::address20> address;
  std::optional<evm::hash32> tx;
  std::optional<std::uint64_t> from_block, to_block; ///< counted only with chain_id
  std::optional<std::string> first_seen;
  std::optional<std::string> handler;
  std::optional<tide::message_state> delivery; ///< of `handler`, which must be there too
};

/// A page of a list, newest first.  `after` and `next` mean nothing outside this folder.
template <class T> struct page {
  std::vector<T> items;
  std::optional<std::string>
      next; ///< absent: the end. A page may be short, even empty, while it is there
};
struct page_request {
  std::uint32_t limit = 100; ///< 1 to 1000
  std::optional<std::string> after;
};

/// A block that we hold, or held before it left the chain.
struct block_row {
  evm::block_id block;
  evm::hash32 parent;
  std::uint64_t time = 0; ///< its own, seconds since 1970
  bool canonical = true;
};

struct reorg_row {
  std::uint64_t chain_id = 0;
  std::int64_t at = 0;
  std::uint32_t depth = 0, rolled_back = 0;
  evm::block_id ancestor, old_head, new_head;
};

struct hint_row {
  std::optional<std::uint64_t> chain_id;
  std::optional<evm::hash32> tx;
  std::optional<std::uint64_t> block;
  std::optional<std::uint32_t> log_index;
  tide::hint_state state = tide::hint_state::received;
  std::optional<std::string> event_id;
  std::uint32_t tries = 0;
  std::optional<std::int64_t> due;
};
struct webhook_row {
  std::int64_t id = 0;
  std::string source;
  std::int64_t at = 0;
  tide::hint_state state = tide::hint_state::received;
  std::uint32_t hints = 0;
  std::uint64_t seen = 1; ///< how often this body came
  std::int64_t last_at = 0;
  std::uint64_t bytes = 0;
};
struct webhook_detail {
  webhook_row row;
  std::string headers; ///< JSON
  std::vector<hint_row> hints;
};

struct source_row {
  std::string name;
  std::int64_t last_at = 0;
  std::uint64_t received = 0; ///< duplicates not counted
  std::uint64_t duplicate = 0;
  std::uint64_t not_found = 0; ///< webhooks that settled so: what the API calls false
  /// Events that a scan had found before it named them, as the first naming of each.
  std::uint64_t late = 0;
  std::uint64_t out_of_order = 0; ///< the same, of a block below one that it had named already
  /// Confirmed events of its chains that it had not named by then, of blocks since it is known.
  std::uint64_t missed = 0;
  /// From the block's time to the webhook, ms, of the same namings; absent: none yet.
  std::optional<std::int64_t> delay_p50 = {}, delay_p99 = {};
};

struct handler_row {
  std::string name;
  bool paused = false;
  std::string reason;     ///< of the pause
  std::int64_t since = 0; ///< of the pause, or when the handler was first known
  std::uint32_t epoch = 1;
  std::uint64_t due = 0; ///< released and not delivered, in flight included
  std::uint64_t in_flight = 0, held = 0, blocked_keys = 0, parked = 0;
  std::optional<std::int64_t> oldest_at; ///< since when the oldest undelivered head waits
};

struct key_head {
  std::string id, event_id;
  std::uint64_t sequence = 0;
  std::uint32_t attempts = 0;
  std::optional<std::int64_t> next_at;
  std::optional<tide::outcome> outcome; ///< of the last attempt
  std::optional<std::uint16_t> http_status;
  std::string answer;
};
struct key_row {
  std::string key;
  tide::message_state state = tide::message_state::queued;
  std::int64_t since = 0;
  std::uint64_t waiting = 0; ///< released and not delivered
  std::uint64_t held = 0;    ///< not released: an earlier event waits for its confirmations
  std::optional<key_head> head;
};

struct gap_row {
  std::int64_t id = 0, at = 0;
  std::string who;
  std::optional<std::uint64_t> chain_id, from_block, to_block;
  std::string reason;
};
struct audit_row {
  std::int64_t id = 0, at = 0;
  std::string who, what, detail;
};

/// Of a job: events that were missing, too many, as they should be. What else a kind counts is in
/// `equal`.
struct job_counts {
  std::uint64_t missing = 0, extra = 0, equal = 0;
};
struct job_row {
  std::int64_t id = 0;
  std::string kind;
  tide::job_state state = tide::job_state::running;
  job_counts counts;
  std::int64_t at = 0; ///< of its last change
  std::string reason;  ///< of one that failed
  std::string examples = {}; ///< of a redecode: JSON objects, one a line
};

struct sizes {
  std::uint64_t bytes = 0, wal_bytes = 0;
};

} // namespace tidemark::store
