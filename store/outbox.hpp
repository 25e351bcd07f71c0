// SPDX-License-Identifier: MIT
#pragma once

#include "store/ledger.hpp"

#include <cstdint>

namespace tidemark::store {

/// The rows of `outbox`, as messages.
class outbox {
public:
  explicit outbox(ledger& l);

  struct loaded {
    message what;           ///< without its attempt; `since` is its lane's
    std::int64_t event = 0; ///< 0: a notice alone
    std::int64_t feed = 0, subscription = 0;
    bool alone = false; ///< in no batch
  };
  /// The message at a lane's place; throws where there is none.
  loaded load(std::int64_t handler, std::int64_t lane, std::uint64_t seq);
  /// A notice goes in its place; whom it was told stays known.
  void replace(std::int64_t handler, std::int64_t lane, std::uint64_t seq, const tide::notice& n);
  /// The same, for a message that is too old to be sent. It counts as told only where a try of it
  /// had no answer, so that somebody may have heard it.
  void expire(std::int64_t handler, loaded& m, std::int64_t now);
  /// What says that this message is left out, with its chain and block.
  tide::gap gap_for(const message& m, tide::gap_reason why, std::string_view by) const;

private:
  ledger& ledger_;
  statement row_, fact_, undoes_, replace_, expire_;
};

} // namespace tidemark::store
