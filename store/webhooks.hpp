// SPDX-License-Identifier: MIT
#pragma once

#include "store/keys.hpp"
#include "store/ledger.hpp"

#include <map>

namespace tidemark::store {

/// What came, append-only, each body of a source once.
class webhook_log {
public:
  webhook_log(ledger& l, key_runs& keys);
  webhook_receipt append(const webhook_in& w);
  void count();  ///< before a commit: what the group added to each source
  void forget(); ///< the group is undone, or committed

private:
  struct tally {
    std::uint64_t received = 0, duplicate = 0;
    std::int64_t last_at = 0;
  };
  std::optional<std::int64_t> same(std::int64_t source, std::uint64_t key, std::string_view body);

  ledger& ledger_;
  key_runs& keys_;
  std::map<std::int64_t, tally> group_;
  statement stored_, insert_, seen_again_, count_;
};

} // namespace tidemark::store
