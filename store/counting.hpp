// SPDX-License-Identifier: MIT
#pragma once

#include "store/ledger.hpp"
#include "store/lists.hpp"
#include "tide/write_set.hpp"

#include <cstdint>

namespace tidemark::store {

/// From where the subscriptions count. The rules are tide/counting.hpp's.
class count_book {
public:
  count_book(ledger& l, list_book& lists);

  /// Makes the chain's row if there is none. What the config does not have any more is forgotten.
  void adopt(const counting_in& config);
  /// The chain's own start is resolved.
  void started(std::int64_t chain, std::uint64_t start);
  /// What lies above is of another fork; true: something counts from elsewhere now.
  bool forked(std::int64_t chain, std::uint64_t ancestor);
  tide::counting read(std::int64_t chain);
  void advance(std::int64_t chain, const tide::backfilled& v, std::uint64_t forms);
  /// These blocks were read without what came after `forms`.
  bool cover(std::int64_t chain, std::uint64_t forms, const tide::block_span& blocks);

private:
  struct stored {
    std::int64_t subscription = 0;
    tide::counted is;
    std::uint64_t base = 0; ///< tide::list_gate's
  };
  void put(std::int64_t chain, std::int64_t subscription, const tide::counted& is,
           std::optional<std::uint64_t> forms, std::optional<std::uint64_t> base);
  std::vector<stored> rows_of(std::int64_t chain);
  tide::chain_place place_of(std::int64_t chain);
  void forget(std::int64_t chain, std::int64_t subscription);

  ledger& ledger_;
  list_book& lists_;
  statement rows_, put_, delete_, set_from_, since_;
  statement place_, forms_;
  statement backfills_, unfinished_, insert_backfill_, delete_backfills_, advance_, finish_;
};

} // namespace tidemark::store
