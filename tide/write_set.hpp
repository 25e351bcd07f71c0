// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "tide/chain_ways.hpp"
#include "tide/counting.hpp"
#include "tide/policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What a chain's Tide concludes: verdicts, not rows.  The store turns them into rows in one
// transaction (tide/fold.hpp, tide/release.hpp say how), so whatever depends on a row (version,
// sequence, replaces) is given there and nowhere else.

namespace tidemark::tide {

/// One handler that gets the event.
struct route {
  std::string handler;
  std::string key;          ///< the lane: contract §4.2
  std::string subscription; ///< the first of the handler's own that fits
  bool pending = false, confirmed = true;
};

/// A log or a transaction that is an event of ours, seen in a block: all that the store needs to
/// make its row.
struct sighting {
  evm::block_id block;
  std::uint64_t time = 0; ///< the block's, seconds since 1970
  evm::hash32 tx;
  std::uint32_t tx_index = 0;
  std::int32_t log_index = 0; ///< −1: the transaction itself
  std::optional<std::uint32_t>
      ordinal; ///< the log's place in its transaction, where the block was read whole
  evm::address20 address;
  std::uint64_t digest =
      0; ///< of address, topics and data: two readings of one inclusion must agree
  /// The JSON of contract §4.1's `data` without what only the store knows, or what settings::pack
  /// made of it.
  std::string data;
  needs asks; ///< every policy that applies, added up
  std::vector<std::string> subscriptions;
  std::vector<route> routes;
  std::string origin; ///< first_seen: webhook:NAME, head or reconcile
};

/// The place of a log in a block (−1: of the transaction itself), without what it says.
struct log_place {
  evm::hash32 tx;
  std::int32_t log_index = 0;
  friend auto operator<=>(const log_place&, const log_place&) = default;
};

/// A contract that a factory of that subscription has made, by the log that named it.
struct child {
  std::string subscription;
  evm::address20 address;
  evm::block_id block;
  std::uint32_t tx_index = 0, log_index = 0;
  std::uint64_t made_by = 0; ///< digest_of that contract as a factory; below 2^63
  friend bool operator==(const child&, const child&) = default;
};
/// All that factories made in the block of that height.
struct born {
  std::uint64_t block = 0;
  std::vector<child> children;
};
/// What these factories made up to the mark is known: a text that names them.
struct raised {
  std::string factories;
};
/// The first set of a new chain: from where it counts. `mark` is the block before, absent when
/// start_block is 0.
struct started {
  std::uint64_t start_block = 0;
  std::optional<evm::block_id> mark;
};
/// The block left the chain: its events are rolled back, by transaction and log index down.
struct orphaned {
  evm::block_id block;
};
/// Seen at the head (or by a hint): stored as pending, if not there already.
struct saw {
  std::vector<sighting> logs;
};
/// The second reading, by number: `blocks` are the canonical ids of a whole range, ascending, and
/// `logs` all that it has of ours, ascending. A row of the range is confirmed if it is in `logs`
/// and its needs hold. `settles`: deeper than max_depth, where a log that we do not hold is stored
/// and confirmed from this answer; otherwise a difference is a dispute.
struct shown {
  std::vector<evm::block_id> blocks;
  std::vector<sighting> logs;
  bool settles = false;
  /// The heights from here to its first block are void: rows there are in blocks that left.
  std::optional<std::uint64_t> void_from = std::nullopt;
  /// Read for one subscription: what the range lacks of other rows says nothing against them.
  bool only_adds = false;
};
/// A block read whole, proved by itself: `places` is every log and every transaction in it (ours or
/// not), `logs` ours. Rows that it denies are rolled back
/// (`corrected`), missing ones stored, and those whose needs hold confirmed. Also how rows at or
/// below the mark ripen.
struct proved {
  evm::block_id block;
  std::vector<log_place> places;
  std::vector<sighting> logs;
  std::optional<std::uint64_t> void_from = std::nullopt; ///< as of `shown`
  /// As of `places`: a row of another digest is denied too. 0, or none at all: not known.
  std::vector<std::uint64_t> digests = {};
};
/// The mark is here now. Comes last, in the set that makes it true; it only ever goes back in a set
/// that holds `reorg`.
struct mark_moved {
  evm::block_id to;
};
/// The chain's own final block as we believe it; never goes down except by an accepted reorg.
struct final_moved {
  evm::block_id to;
};
/// The row for /v1/reorgs. Headers above `ancestor` are not canonical any more. Below the start:
/// ancestor.number may be start − 1.
struct reorg {
  std::uint32_t depth = 0;
  evm::block_id ancestor, old_head, new_head;
  bool accepted = false;
};
/// Where the mark stands after a fork. Below the start all agree: the mark is whatever block the
/// new branch has there, at the mark's height or, where that was void before, above it.
inline evm::block_id mark_after(const evm::block_id& mark, const evm::block_id& ancestor,
                                std::uint64_t start) {
  return ancestor.number <= mark.number || ancestor.number < start ? ancestor : mark;
}
/// Nothing more is concluded or sent for this chain until `chain resume`.
struct halted {
  std::string reason;
};
/// `chain resume`: goes on.
struct resumed {};
/// What the chain was seen to do, from now on for good.
struct learned {
  chain_ways ways;
};
/// `chain skip`: the mark passes these blocks unread, on somebody's order. A row says so for ever.
struct skipped {
  std::uint64_t from = 0, to = 0;
  std::string who, reason;
};
/// These blocks, below the mark, were read for a subscription that counts from there.
struct backfilled {
  std::string subscription;
  std::uint64_t from = 0, to = 0;
};
/// What became of a hint; `due`: look again then (ms since 1970), absent: settled.
struct hint_verdict {
  std::int64_t webhook = 0;
  std::uint32_t n = 0;
  hint_state state = hint_state::received;
  std::optional<std::int64_t> due;
  std::uint32_t looks_ms =
      0; ///< time in which an endpoint past the claimed block said no; 1 h of it makes not_found
  std::optional<log_place> event; ///< verified: which event it is
};

using verdict =
    std::variant<started, orphaned, saw, shown, proved, mark_moved, final_moved, reorg, halted,
                 resumed, learned, skipped, backfilled, hint_verdict, born, raised>;

/// A header that we hold: what links blocks, no more.
struct held_header {
  evm::block_id id;
  evm::hash32 parent;
  std::uint64_t time = 0;
  bool whole = false; ///< read whole and proved (or proved empty by its bloom)
};

/// One conclusion: one transaction.
struct write_set {
  std::uint64_t chain_id = 0;
  std::uint64_t turn = 0;  ///< must be the chain's stored turn, which the store then raises: an
                           ///< older Tide's set is refused
  std::uint64_t forms = 0; ///< counting::forms that it was drawn with
  chain_view view;         ///< what decided; `head` goes into the facts
  std::vector<held_header> headers; ///< become the canonical ones at their heights
  std::vector<verdict> verdicts;    ///< in order
  std::uint64_t keep_from = 0;      ///< headers below may be dropped
  bool dry = false;                 ///< answered as if it were applied, and undone; the turn stays
};

/// A pending event's wish to be looked at again when its block is deep enough.
struct ripening {
  evm::block_id block;
  needs asks;
  friend bool operator==(const ripening&, const ripening&) = default;
};

/// The store's answer. Exactly one of: applied · disputed (undone; what differs) · refused (undone;
/// boot again from the store).
struct applied {
  std::uint64_t turn = 0; ///< the next set's
  std::vector<ripening>
      waiting; ///< rows at or below the mark that stay pending (of the blocks in this set)
  std::uint32_t confirmed = 0, rolled_back = 0, added = 0;
  std::uint32_t equal = 0;  ///< logs that were there already, as they are
  bool recounted = false;   ///< subscriptions count from elsewhere now: a Tide has to begin anew
  bool others_wait = false; ///< webhooks, messages: what else the store has to do
};
struct disputed {
  std::vector<evm::block_id> read_whole; ///< blocks in which the answer and the rows differ
  std::vector<evm::block_id>
      left; ///< blocks of rows at heights where another hash is canonical now
};
struct refused {
  std::string text;
};
using store_answer = std::variant<applied, disputed, refused>;

/// What a Tide begins from.
struct boot_state {
  std::uint64_t chain_id = 0;
  std::uint64_t turn = 0;
  std::optional<std::uint64_t> start_block; ///< absent: the chain is new, nothing is resolved
  std::optional<evm::block_id> mark;        ///< absent: start_block is 0 and nothing is below it
  std::optional<evm::block_id> final_block;
  std::optional<std::string> halted;
  chain_ways ways;
  std::vector<held_header> headers; ///< canonical, ascending, may have a hole
  std::vector<ripening> waiting;    ///< pending rows at or below the mark
  tide::counting counting;          ///< from where the subscriptions count
  std::string factories;            ///< as of the last `raised`
  std::vector<child> children;      ///< what they made
};

/// A block in which we hold events that are pending or confirmed.
struct event_block {
  evm::block_id id;
  std::uint32_t confirmed = 0;
};

/// A hint as a chain takes it from the store.
struct chain_hint {
  std::int64_t webhook = 0;
  std::uint32_t n = 0;
  std::string source;
  std::optional<evm::hash32> tx;
  std::optional<std::uint64_t> block;
  std::optional<evm::hash32> block_hash;
  std::optional<std::uint32_t> log_index;
  std::uint32_t tries = 0;
  std::uint32_t looks_ms = 0;
};

} // namespace tidemark::tide
