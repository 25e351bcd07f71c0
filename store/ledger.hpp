// SPDX-License-Identifier: MIT
#pragma once

#include "store/names.hpp"
#include "store/types.hpp"

#include <cstdint>
#include <map>
#include <string>

// What the writer's parts share, and what an undone transaction takes back.

namespace tidemark::store {

/// The highest ids given so far, and intake's cursor. Copied to be put back.
struct last_ids {
  std::int64_t event = 0, inclusion = 0, feed = 0, lane = 0, webhook = 0, attempt = 0;
  std::int64_t taken = 0; ///< intake's cursor
};

struct handler_entry {
  std::uint32_t epoch = 1;
  bool paused = false;
};

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

  connection& db;
  name_table names;
  chain_list chains;
  std::map<std::int64_t, handler_entry> handlers;
  last_ids last;
  ringer bells;
  std::string instance;
  /// The group holds facts or messages: synced at its commit whatever the durability.
  bool must_sync = false;

  const handler_entry& handler(std::int64_t id) const;
};

} // namespace tidemark::store
