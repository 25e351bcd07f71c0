// SPDX-License-Identifier: MIT
#pragma once

#include "store/apply.hpp"
#include "store/checkpoint.hpp"
#include "store/counting.hpp"
#include "store/delivery.hpp"
#include "store/handlers.hpp"
#include "store/hints.hpp"
#include "store/jobs.hpp"
#include "store/lists.hpp"
#include "store/parking.hpp"
#include "store/prune.hpp"
#include "store/redecodes.hpp"
#include "store/replays.hpp"
#include "store/store.hpp"
#include "store/webhooks.hpp"

namespace tidemark::store {

/// Keeps every other process out for as long as it lives.
class file_lock {
public:
  enum class taken : std::uint8_t { yes, by_another, no };
  file_lock() = default;
  ~file_lock();
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  taken take(const std::string& path, std::string& why);

private:
  int fd_ = -1;
};

/// Without links: two names of one store are to have one lock, and one log.
std::string real_path(const std::string& path);

/// Everything that writes, with its prepared statements. Made on a file that is ours and up to
/// date; throws.
struct tables {
  explicit tables(connection& db)
      : book(db), webhook_keys(db, webhook_key_table), event_keys(db, event_key_table),
        webhooks(book, webhook_keys), events(book, event_keys), quality(book),
        hints(book, events, quality), lanes(book), lists(book), counts(book, lists),
        chains(book, event_keys, events, lanes, hints, quality, counts), jobs(book), messages(book),
        handlers(book, lanes), dead(book, messages, lanes),
        replays(book, events, messages, lanes, jobs), redecodes(book, events, lanes, jobs),
        deliveries(book, messages, replays) {}

  ledger book;
  key_runs webhook_keys, event_keys;
  webhook_log webhooks;
  event_table events;
  source_quality quality;
  hint_queue hints;
  lane_book lanes;
  list_book lists;
  count_book counts;
  chain_writer chains;
  job_table jobs;
  outbox messages;
  handler_table handlers;
  parking dead;
  replay_table replays;
  redecode_table redecodes;
  delivery_queue deliveries;
  std::unique_ptr<pruner> old = {}; ///< from the first order on
};

struct parts {
  static constexpr std::uint64_t first_restart = 64ULL << 20;

  options how;
  std::unique_ptr<file_lock> lock;
  std::unique_ptr<file_lock> body; ///< the file itself, which may have two names
  std::unique_ptr<connection> db;
  std::unique_ptr<tables> all;
  std::unique_ptr<checkpointer> helper; ///< none for ":memory:"
  std::uint64_t log_bytes = 0; ///< not copied into the file yet, or no room for the next group
  std::uint64_t restart_above = first_restart;
  std::string log_set_aside;

  bool in_group = false;
  std::optional<store_failure> failed; ///< in this group
  last_ids before;                     ///< the group
  std::size_t webhooks_before = 0, events_before = 0;

  bool in_memory() const { return how.path == ":memory:"; }
};

} // namespace tidemark::store
