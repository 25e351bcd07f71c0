// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The series of contract §7. Whoever does the work counts it here; a scrape only prints.

namespace tidemark::api {

/// The families, in the order in which they are printed.
enum class meter : std::uint8_t {
  build_info,
  ingest_requests,
  ingest_commit,
  source_last_received,
  hints,
  webhook_lead,
  events,
  events_compensated,
  logs_undecodable,
  chain_head_block,
  chain_head_timestamp,
  chain_mark_block,
  chain_state,
  reorgs,
  reorg_depth,
  reconcile_runs,
  reconcile_last_success,
  rpc_requests,
  rpc_seconds,
  rpc_lies,
  delivery_attempts,
  delivery_seconds,
  event_latency,
  outbox_messages,
  outbox_oldest,
  blocked_keys,
  gaps,
  handler_state,
  store_commit_batch,
  store_bytes,
  store_free_bytes,
  backup_last_success,
  config_reload_success,
  config_reload_timestamp
};
inline constexpr std::size_t meter_count = 34;

/// Counters, gauges and histograms with their labels. Any thread; each call takes one short lock.
///
/// A label set that `know` has not made is made by its first use, so that nothing is lost of an
/// endpoint's method that nobody foresaw.
class meters {
public:
  using labels = std::initializer_list<std::string_view>; ///< values, in the family's order

  /// Makes every label set that a config leads to, with 0. May be called again after a reload: what
  /// was counted stays, and series of what is gone stay too, since a counter must not fall.
  void know(const config::config& c, std::string_view version);

  void count(meter m, labels of, std::uint64_t n = 1);
  /// The count as somebody else keeps it; never a lower one than before.
  void count_is(meter m, labels of, std::uint64_t total);
  void set(meter m, labels of, double value);
  void observe(meter m, labels of, double value);
  /// One gauge per word is 1 where it is `now`, 0 elsewhere: states. `words` are the last label's
  /// values.
  void set_state(meter m, std::string_view name, std::string_view now,
                 std::span<const std::string_view> words);

  /// Prometheus' text format 0.0.4.
  std::string text() const;

private:
  struct series {
    double value = 0;                   ///< a counter's or a gauge's; a histogram's sum
    std::vector<std::uint64_t> buckets; ///< of a histogram, each by itself, the last one open
    std::uint64_t observed = 0;
  };
  using family = std::map<std::vector<std::string>, series>;

  series& at(meter m, labels of);
  void know_chain(const config::chain& c);
  void know_handler(const std::string& name);

  mutable std::mutex mutex_;
  std::map<meter, family> families_;
};

/// The words of the labels that are not names of the config.
inline constexpr std::array<std::string_view, 7> ingest_words{
    "accepted",  "duplicate",   "unauthorized", "too_large",
    "malformed", "unsupported", "unavailable"};
inline constexpr std::array<std::string_view, 5> chain_state_words{
    "starting", "following", "catching_up", "degraded", "halted"};
inline constexpr std::array<std::string_view, 3> handler_state_words{"active", "paused", "broken"};
inline constexpr std::array<std::string_view, 5> outbox_words{"held", "queued", "sending",
                                                              "blocked", "parked"};
/// How an RPC call came back: answered · an HTTP status that is none of success · a JSON-RPC error
/// · nothing in time · no connection, or one that broke · more than is read.
inline constexpr std::array<std::string_view, 6> rpc_result_words{
    "ok", "http_error", "rpc_error", "timeout", "unreachable", "too_large"};

} // namespace tidemark::api
