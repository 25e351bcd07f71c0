// SPDX-License-Identifier: MIT
#pragma once

#include "store/events.hpp"

#include <optional>
#include <span>
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

private:
  ledger& ledger_;
  statement put_source_, put_chain_, webhook_, named_before_, event_, highest_;
  statement count_, put_highest_, put_delay_, unheard_, missed_;
};

} // namespace tidemark::store
