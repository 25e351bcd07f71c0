// SPDX-License-Identifier: MIT
#pragma once

#include "store/ledger.hpp"

#include <optional>
#include <string_view>

namespace tidemark::store {

/// What goes on for longer than one request, so that somebody can look at it and end it. The rows
/// say how it went; the work is its owner's, which asks `running` before each step.
class job_table {
public:
  explicit job_table(ledger& l);

  /// What no process works at any more has failed. A replay lives in its lanes, and a
  /// redecode in its place, so they go on.
  void start();
  std::int64_t begin(std::string_view kind, std::int64_t now);
  bool running(std::int64_t id);
  /// Counts of a job that runs; one that was cancelled keeps its state.
  void note(std::int64_t id, const job_counts& c);
  void end(std::int64_t id, tide::job_state how, std::string_view reason, std::int64_t now);
  /// False: there is none of that id that runs.
  bool cancel(std::int64_t id, std::int64_t now);

private:
  statement orphan_, insert_, running_, note_, end_;
};

} // namespace tidemark::store
