// SPDX-License-Identifier: MIT
#pragma once

#include "store/events.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::store {

/// Delays are counted in steps, four to a doubling, from 0.1 s to beyond two days: step 0 is all
/// below, step n is up to 0.1 s × 2^(n/4).
std::uint32_t delay_step(std::int64_t ms);
struct delay_count {
  std::uint32_t step = 0;
  std::uint64_t count = 0;
};
/// The upper end, in ms, of the step in which that percent of all lie; `ascending` by step.
std::optional<std::int64_t> delay_quantile(std::span<const delay_count> ascending,
                                           unsigned percent);

/// What a team needs to know of its providers: how what they sent compares with the chain. Counted
/// where the fact is written, so that it survives a restart and costs a few statements an event.
class source_quality {
public:
  explicit source_quality(ledger& l);

  void put_sources(std::span<const source_in> sources, std::int64_t now);
  /// That hint of that webhook turned out to be the event; counts if it is the source's first.
  void named(std::int64_t event, std::int64_t webhook, std::uint32_t n);
  void confirmed(const stored_event& e);
  /// The same for one that is confirmed as it is found: no hint can have named it yet.
  /// `time`: of its block, seconds since 1970.
  void confirmed_new(std::int64_t chain, std::uint64_t time, std::string_view origin);
  void forget() { speakers_.clear(); } ///< what an undone transaction may have said

private:
  struct speaker {
    std::int64_t source = 0, since = 0; ///< ms since 1970
    std::string origin;                 ///< of an event that it was the first to name
    /// Of an event in a block of that time (seconds) it was to speak, and did not as the first.
    bool was_to_name(std::uint64_t time, std::string_view first_seen) const;
  };
  const std::vector<speaker>& speakers(std::int64_t chain);
  void put_chain(std::int64_t source, std::int64_t chain, std::int64_t since);

  ledger& ledger_;
  std::map<std::int64_t, std::vector<speaker>> speakers_; ///< chain → as in `source_chains`
  statement put_source_, put_chain_, webhook_, named_before_, event_, highest_;
  statement count_, put_highest_, put_delay_, speakers_of_, missed_;
};

} // namespace tidemark::store
