// SPDX-License-Identifier: MIT
#pragma once

#include "store/events.hpp"
#include "store/jobs.hpp"
#include "store/lanes.hpp"
#include "store/redecode_types.hpp"

#include <optional>
#include <span>
#include <vector>

namespace tidemark::store {

/// Jobs that read stored events again, a page at a time. Which reading is right is
/// tide/redecode.hpp's to say; this gives the events and writes the answers.
class redecode_table {
public:
  redecode_table(ledger& l, event_table& events, lane_book& lanes, job_table& jobs);

  std::int64_t begin(const redecode_order& o, std::int64_t now);
  std::vector<std::int64_t> running();
  /// Nothing: it does not run any more.
  std::optional<redecode_state> at(std::int64_t job);
  void note(std::int64_t job, const redecode_state& s);
  /// At most so many events of the chain that `s` is at; a page without any may have `more`.
  kept_page page(std::int64_t chain, const redecode_state& s, std::size_t limit);
  /// The old readings are rolled back, and the new ones stand in their places. True: one of them
  /// waits at or below the mark now, which the chain has to hear of.
  bool write(std::int64_t chain, std::span<const reread_row> all, std::int64_t now);

private:
  std::optional<std::uint64_t> mark_of(std::int64_t chain);
  std::optional<stored_event> load(std::int64_t chain, std::int64_t event);

  ledger& ledger_;
  event_table& events_;
  lane_book& lanes_;
  job_table& jobs_;
  statement insert_, running_, at_, note_, walk_, data_, place_, head_, replaces_, mark_;
};

} // namespace tidemark::store
