// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "tide/codes.hpp"

#include <cstdint>
#include <optional>
#include <string>

// A fact and the bytes that are told of it (contract §4.1). Pure: the same fact gives the same
// bytes for ever.

namespace tidemark::tide {

struct fact {
  std::uint64_t seq = 0; ///< of the feed
  std::uint64_t chain_id = 0;
  evm::hash32 tx;
  std::int32_t log_index = 0; ///< −1: the transaction itself
  std::uint32_t version = 0;
  tide::status status = status::pending;
  tide::why why = why::none;
  std::uint32_t n =
      0; ///< how often this event has reached this state in this block, this time included
  evm::block_id block;
  std::uint64_t time = 0; ///< the block's, seconds since 1970
  std::uint64_t head = 0; ///< the head that decided
  std::int64_t at = 0;    ///< when we concluded it, ms since 1970
  std::string first_seen;
  std::optional<std::string> replaces; ///< an event_id
  std::optional<std::string>
      undoes;       ///< of a rolled_back: the id of the last message (in the feed: fact) about it
  std::string data; ///< the inclusion's JSON object, as sighting.data
};

/// chainId:txHash:logIndex, or chainId:txHash:tx.
std::string event_id(std::uint64_t chain_id, const evm::hash32& tx, std::int32_t log_index);

/// What an event_id names; nothing if the text is none.
struct event_key {
  std::uint64_t chain_id = 0;
  evm::hash32 tx;
  std::int32_t log_index = 0;
};
std::optional<event_key> parse_event_id(std::string_view text);

/// <event_id>_<first 16 hex digits of the block hash>_<p|c|r><n>, ':' as '_'.
std::string message_id(const fact& f);

/// The `data` member: the inclusion's JSON with version, status, first_seen, replaces, head (and
/// undoes, why) in front.
std::string compose_data(const fact& f);

/// What a message says around its data, fixed when the message is made.
struct envelope {
  std::string instance, handler, subscription, key;
  std::uint64_t sequence = 0;
  std::uint32_t epoch = 1;
  bool late = false;
  std::string renamed = {}; ///< a replay's new id; empty: the message's own
  std::size_t max_bytes =
      0; ///< of the message; 0: no limit. A longer one leaves out `data`, then `args`, `input`
};
/// The whole body of a message to a handler.
std::string compose_message(const fact& f, const envelope& e);
/// An item of /v1/feed: the CloudEvent without what belongs to one handler, with `seq` in front.
std::string compose_feed_item(const fact& f, std::string_view instance);

/// RFC 3339, UTC, whole seconds.
std::string to_rfc3339(std::uint64_t seconds);

} // namespace tidemark::tide
