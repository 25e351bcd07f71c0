// SPDX-License-Identifier: MIT
#pragma once

#include "store/insert_batch.hpp"
#include "store/keys.hpp"
#include "store/ledger.hpp"
#include "tide/fold.hpp"

#include <optional>
#include <vector>

namespace tidemark::store {

/// An event's row with its current inclusion.
struct stored_event {
  std::int64_t id = 0, chain = 0, inclusion = 0;
  evm::hash32 tx;
  std::uint32_t tx_index = 0;
  std::int32_t log_index = 0;
  std::uint32_t version = 0;
  tide::event_row row;
};

/// What decided, for the facts of one set.
struct decision {
  std::uint64_t head = 0;
  std::int64_t at = 0;
};

/// Events, their inclusions, and the facts about them. Writes what it is told; the rules are
/// tide/fold.hpp's.
///
/// The rows of events that are new wait for `write_new`. Whatever is read or changed here writes
/// them first; who reads these tables by a statement of its own has to, while a set is written.
class event_table {
public:
  event_table(ledger& l, key_runs& keys);

  void write_new();
  void forget_new(); ///< with the transaction, or the part of it, that they were added in

  std::optional<stored_event> find(std::int64_t chain, const evm::hash32& tx,
                                   std::int32_t log_index);
  /// Pending and confirmed rows of these heights, in the chain's order.
  std::vector<stored_event> active(std::int64_t chain, std::uint64_t from, std::uint64_t to);
  /// Pending rows above `above` (absent: all) up to `to`, each block and need once.
  std::vector<tide::ripening> pending(std::int64_t chain, std::optional<std::uint64_t> above,
                                      std::uint64_t to);
  /// Pending and confirmed events from a block on, behind `after`, with what is told of them.
  std::vector<backlog_event> backlog(std::int64_t chain, std::uint64_t from_block,
                                     const std::optional<backlog_place>& after, std::size_t limit,
                                     backlog_of what);
  std::vector<tide::event_block> blocks_from_the_top(std::int64_t chain, std::size_t limit);

  /// The row that held the same log of the transaction, at another index, in a block that was
  /// undone.
  std::optional<std::int64_t> replaced(std::int64_t chain, const tide::sighting& log);

  // Each of these makes one fact; its feed seq is last.feed then.
  /// A new inclusion, of a new event or of `prior`, which is rolled back; pending or confirmed.
  stored_event open(std::int64_t chain, const std::optional<stored_event>& prior,
                    const tide::sighting& log, tide::status to,
                    std::optional<std::int64_t> replaces, const decision& d);
  void confirm(stored_event& e, const tide::needs& asks, const decision& d);
  /// What this later reading of the same inclusion says more is its data from this version on.
  void amend(const stored_event& e, const std::string& read);
  void roll_back(stored_event& e, tide::why why, const decision& d);
  /// What a pending row needs has grown.
  void ask_more(stored_event& e, const tide::needs& asks);
  /// Subscriptions that it fits; those that are new to it.
  std::vector<std::string> note(const stored_event& e,
                                const std::vector<std::string>& subscriptions);
  /// Those that were noted, in no order.
  std::vector<std::string> subscriptions_of(std::int64_t event);

private:
  stored_event add_event(std::int64_t chain, const tide::sighting& log, tide::status to);
  void update_event(stored_event& e, const tide::sighting& log, tide::status to);
  void add_fact(const stored_event& e, tide::why why, const decision& d);
  bool named(const stored_event& e);

  ledger& ledger_;
  key_runs& keys_;
  statement by_id_, why_, active_, pending_, blocks_, backlog_, waiting_, having_;
  statement update_event_, set_status_, set_asks_, data_, amend_;
  statement insert_subscription_, clear_subscriptions_, replaced_, count_, named_;
  // As the columns of the tables.
  insert_batch<std::int64_t, std::int64_t, evm::hash32, std::uint32_t, std::int32_t,
               std::optional<std::uint32_t>, std::uint64_t, std::int64_t, tide::status,
               std::uint32_t, std::uint64_t, tide::tag, std::int64_t, evm::address20>
      new_events_;
  insert_batch<std::int64_t, std::int64_t> new_subscriptions_;
  insert_batch<std::int64_t, std::int64_t, std::uint64_t, evm::hash32, std::uint64_t,
               std::optional<std::uint32_t>, std::uint64_t, std::optional<std::int64_t>, owned_blob>
      new_inclusions_;
  insert_batch<std::int64_t, std::int64_t, std::int64_t, std::uint32_t, tide::status, tide::why,
               std::uint32_t, std::uint64_t, std::int64_t>
      new_facts_;
};

} // namespace tidemark::store
