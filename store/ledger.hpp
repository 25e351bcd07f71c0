// SPDX-License-Identifier: MIT
#pragma once

#include "store/names.hpp"
#include "store/types.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What the writer's parts share, and what an undone transaction takes back.

namespace tidemark::store {

/// The highest ids given so far, and intake's cursor. Copied to be put back.
struct last_ids {
  std::int64_t event = 0, inclusion = 0, feed = 0, lane = 0, webhook = 0, attempt = 0;
  std::int64_t taken = 0; ///< intake's cursor
};

struct handler_entry {
  std::uint32_t epoch = 1;     ///< of what is queued now
  std::uint32_t announced = 1; ///< of what is sent now
  bool paused = false;
  std::int64_t wait_until = 0; ///< nothing is sent to it before
};
/// What the config says. Only what is queued by while the handler is away is in the tables too.
struct handler_settings {
  std::int64_t pending_max_age = 0, linger = 0;
  std::uint32_t batch = 1;
  std::uint64_t max_message = 0;
  std::vector<std::uint64_t> chains = {};
  std::map<std::uint64_t, std::uint64_t> from = {}; ///< as it was said when the chain was new to it
  std::string chains_text() const, from_text() const;
};

/// Of a row of `lanes`: it may be sent if its chain is not halted. A parked one may not, nor what
/// is queued for an epoch that is not announced (the announcement itself has no key).
#define TIDEMARK_LANE_READY                                                                        \
  "state NOT IN (2, 5) AND head < next AND (key = '' OR epoch <="                                  \
  " (SELECT announced FROM handlers WHERE handlers.handler = lanes.handler))"
/// The age of a lane's head at ?1. What a failed message is to wait is part of it from the failure
/// on: what of that is not waited is taken back. Only a failure (state 4) has such a wait.
#define TIDEMARK_AGE_NOW                                                                           \
  "CASE WHEN state = 4 AND due > ?1 THEN max(age - (due - ?1), 0) ELSE age END"
/// Sets of an UPDATE of `lanes`: from ?1 on its head may go, but what a replay's rate keeps back.
#define TIDEMARK_WAKE                                                                              \
  "age = " TIDEMARK_AGE_NOW ", due = max(?1, CASE job WHEN 0 THEN 0 ELSE coalesce("                \
  "(SELECT r.due FROM replays r WHERE r.lane = lanes.id AND r.seq = lanes.head), 0) END)"
/// It may be sent.
#define TIDEMARK_LANE_GOES                                                                         \
  TIDEMARK_LANE_READY " AND chain NOT IN (SELECT chain FROM chains WHERE halted IS NOT NULL)"

/// The bells of one group, each once.
class ringer {
public:
  void webhooks() { now_.webhooks = true; }
  void feed() { now_.feed = true; }
  void hints(std::uint64_t chain_id) { chains_.try_emplace(chain_id); }
  void handler(std::int64_t id) { handlers_.try_emplace(id); }
  bells take(name_table& words);
  void clear();

private:
  struct nothing {};
  bells now_;
  std::map<std::uint64_t, nothing> chains_;
  std::map<std::int64_t, nothing> handlers_;
};

/// In memory, and as the tables say it again after `reload`.
struct ledger {
  explicit ledger(connection& c);
  void reload();
  void count_replays();

  connection& db;
  name_table names;
  chain_list chains;
  std::map<std::int64_t, handler_entry> handlers;
  std::map<std::int64_t, handler_settings> settings;
  std::map<std::uint64_t, std::string> chain_names; ///< as the config calls them
  std::uint64_t replays = 0;                        ///< that have something to send, or in flight
  last_ids last;
  ringer bells;
  std::string instance;
  std::int64_t now = 0; ///< of the last write that has a time
  tally did;            ///< in this group
  /// The group holds facts or messages: synced at its commit whatever the durability.
  bool must_sync = false;

  const handler_entry& handler(std::int64_t id) const;
  const handler_settings& settings_of(std::int64_t handler) const;
  /// `start: {CHAIN: BLOCK}` lets nothing through that lies below.
  bool before_start(std::int64_t handler, std::uint64_t chain_id, std::uint64_t block) const;
  /// For the metrics: a notice took its place in what a handler is told.
  void count_gap(std::int64_t handler, const tide::notice& n);
  /// Its number, where the config has no name for it.
  std::string chain_name(std::uint64_t chain_id) const;
};

} // namespace tidemark::store
