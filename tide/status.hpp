// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "tide/counting.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a chain and a handler say of themselves: immutable snapshots, published after each change,
// read by the admin API.

namespace tidemark::tide {

enum class chain_state : std::uint8_t { starting, following, catching_up, degraded, halted };
enum class endpoint_state : std::uint8_t { ok, lagging, failing, refused, rate_limited, lying };
enum class handler_state : std::uint8_t { active, paused, broken };

struct endpoint_status {
  std::string name;
  endpoint_state state = endpoint_state::ok;
  std::optional<std::uint64_t> head;
  double latency_ms = 0; ///< moving average of successful calls
  std::uint64_t errors = 0, lies = 0;
  double error_rate = 0; ///< moving average of asks that failed, 0 to 1
};

struct reconcile_report {
  std::int64_t at = 0; ///< ms since 1970
  std::uint64_t from = 0, to = 0;
  std::uint64_t missing = 0, extra = 0; ///< events that a scan found first · that a proof denied
  std::uint64_t equal = 0;              ///< that were there already, as they are
};

struct chain_status {
  std::string name;
  std::uint64_t id = 0;
  chain_state state = chain_state::starting;
  std::string reason; ///< for a person; empty when all is well
  std::optional<evm::block_id> head, mark;
  std::uint64_t head_time = 0;  ///< of the head's block, s since 1970
  std::uint64_t lag_blocks = 0; ///< from the mark to where the policy would let it be
  std::optional<std::uint64_t> safe, finalized;
  std::vector<endpoint_status> endpoints;
  std::optional<reconcile_report> last_reconcile;
  std::vector<backfill> backfills; ///< below the mark, still to be scanned
  // Since this Tide began
  std::uint64_t failed_scans = 0; ///< ranges that could not be read or concluded
  std::uint64_t undecodable = 0;  ///< logs that fit by topics alone and do not decode
};

struct handler_status {
  std::string name;
  handler_state state = handler_state::active;
  std::string reason;
  std::int64_t since = 0; ///< ms since 1970; 0: it was never otherwise
  std::uint32_t in_flight = 0;
  std::optional<std::int64_t> next_probe_at; ///< while broken, or asked to wait
};

std::string_view to_text(chain_state s);
std::string_view to_text(endpoint_state s);
std::string_view to_text(handler_state s);

/// The answer to `chain resume`.
struct resume_report {
  bool resumed = false;
  std::string text;                      ///< why not
  std::optional<evm::block_id> ancestor; ///< what accept_reorg would go back to
  std::uint64_t depth = 0,
                rolled_back = 0; ///< blocks of ours that left the chain · confirmed events in them
};

/// `chain skip`: the mark is to pass [from, to], which no endpoint serves.
struct skip_order {
  std::uint64_t from = 0, to = 0;
  std::string who, reason;
};
struct skip_answered {
  bool skipped = false;
  std::string text; ///< why not
};

/// `reconcile`: a range is read again, and compared with what is stored.
struct reconcile_order {
  std::int64_t job = 0;
  std::uint64_t from = 0, to = 0;
  bool apply = false; ///< store and tell what differs, not only count it
  std::uint64_t missing = 0, extra = 0, equal = 0; ///< so far
  std::string left_out; ///< for a person: what of it is not read, and why; empty: nothing
};
struct reconcile_progress {
  reconcile_order at; ///< `from`: what is read next
  bool ended = false;
  std::string trouble; ///< why it ended before its time; empty: all is read
};

} // namespace tidemark::tide
