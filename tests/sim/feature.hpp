// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::sim {

/// What can go wrong in a run, or just be odd: each can be switched off by itself, and how often
/// each was met is counted.
enum class feature : std::uint8_t {
  // the chain
  fork,
  deep_fork, ///< beyond max_depth below the mark
  back,      ///< A, B and A again
  shorter,   ///< the new branch is shorter than the old one for a while
  later,     ///< a transaction is mined again in a later block
  shifted,   ///< … behind a new one
  replaced,  ///< another took its nonce
  dropped,
  reverted,
  changed, ///< it logs other values in its new place
  reordered,
  void_height,
  index_by_transaction,

  // endpoints: honest ones, with the troubles of the honest
  lag,
  flap, ///< the head goes up and down
  range_cap,
  result_cap,
  cut,
  missing_item,
  shuffled_items,
  no_batches,
  silent,
  rate_limit,
  server_error,
  html,
  slow,
  careless_logs, ///< unordered, and some of them twice
  no_receipts,   ///< the method is missing
  unknown_block, ///< null for what it has
  tags_null,
  tags_error,
  tags_back,
  // endpoints: those that are wrong about what is
  tags_at_head,
  wrong_chain,
  old_fork,    ///< stays on the branch that was left
  mixed_forks, ///< some heights from the branch that was left
  hidden_in_ranges,
  hidden_by_hash,
  hidden_in_receipts,
  silent_cap, ///< the logs behind the first few are left out
  invented,
  changed_data,
  wrong_transaction,
  changed_value, ///< of a whole transaction

  // webhooks
  webhook,
  doubled,
  delayed,
  forged,

  // handlers
  fails,
  refuses,
  gone,
  told_to_wait,
  hangs,
  unreachable,
  late_answer,

  // the process
  dies_writing,
  killed,
  downtime,
  count
};

constexpr std::size_t features = static_cast<std::size_t>(feature::count);
static_assert(features <= 64);

std::string_view name_of(feature f);
std::optional<feature> feature_named(std::string_view name);
/// It says of the chain what is not: whoever has it is no honest endpoint.
constexpr bool is_lie(feature f) {
  return f >= feature::tags_at_head && f <= feature::changed_value;
}
constexpr bool of_endpoints(feature f) { return f >= feature::lag && f <= feature::changed_value; }
constexpr bool of_handlers(feature f) { return f >= feature::fails && f <= feature::late_answer; }

class feature_set {
public:
  bool has(feature f) const { return bits_ >> static_cast<unsigned>(f) & 1; }
  void add(feature f) { bits_ |= std::uint64_t{1} << static_cast<unsigned>(f); }
  void remove(feature f) { bits_ &= ~(std::uint64_t{1} << static_cast<unsigned>(f)); }
  static feature_set all() {
    feature_set s;
    s.bits_ = (std::uint64_t{1} << features) - 1;
    return s;
  }

private:
  std::uint64_t bits_ = 0;
};

/// How often each was met: where it made a difference, not where it was merely switched on.
struct tally {
  std::array<std::uint64_t, features> met{};
  void count(feature f) { ++met[static_cast<std::size_t>(f)]; }
  std::uint64_t of(feature f) const { return met[static_cast<std::size_t>(f)]; }
  void add(const tally& other) {
    for (std::size_t i = 0; i < features; ++i)
      met[i] += other.met[i];
  }
};

} // namespace tidemark::sim
