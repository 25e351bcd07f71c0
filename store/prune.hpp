// SPDX-License-Identifier: MIT
#pragma once

#include "store/ledger.hpp"
#include "store/upkeep.hpp"

namespace tidemark::store {

/// Lets go of what is old enough, a step at a time, in the order in which it came. The newest row
/// of a table always stays, since its id is where the next one goes on.
class pruner {
public:
  explicit pruner(ledger& l);
  /// Looks at so many rows of each table.
  void step(const retention& keep, std::int64_t now, std::size_t rows, pruning& at);

private:
  bool webhooks(std::int64_t before, std::size_t count, pruning& at);
  bool attempts(std::int64_t before, std::size_t count, pruning& at);
  bool forget(std::int64_t inclusion);
  bool events(const retention& keep, std::int64_t before, std::size_t count, pruning& at);

  ledger& ledger_;
  statement old_webhooks_, drop_webhook_, drop_key_, drop_intake_, drop_hints_;
  statement old_attempts_, drop_attempt_;
  statement old_inclusions_, data_, set_data_, amended_, set_amended_;
};

} // namespace tidemark::store
