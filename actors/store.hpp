// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "store/store.hpp"

#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace tidemark::actors {

struct store_params {
  std::shared_ptr<store::store> file; ///< this actor's alone from now on
  std::function<std::int64_t()> now;  ///< ms since 1970
  std::function<void(const store::bells&)> ring;
  /// Reading or syncing failed: what the page cache says proves nothing any more. Ends the process;
  /// does not return.
  std::function<void(std::string_view)> fatal;
  /// What keeps the store from committing, for /readyz; empty: it commits again.
  std::function<void(std::string_view)> trouble;
  /// So many writes were committed together.
  std::function<void(std::size_t)> committed = {};
};

/// The one writer, and the queue behind it. What waits is committed as one group: all small writes
/// first, then one chain's set. Runs detached, since SQLite blocks.
struct store_state {
  static inline const char* name = "store";

  explicit store_state(store_actor::pointer self_) : self(self_) {}
  ~store_state();

  /// A write that waits for its group: `write` runs inside it and returns false if the store
  /// failed; `done` answers whoever asked, with the failure or, where it is null, with what `write`
  /// found.
  struct waiting {
    std::function<store::result<void>()> write;
    std::function<void(const store::store_failure*)> done;
    std::size_t bytes = 0;
  };
  void enqueue(waiting w, bool chain_set = false);
  void commit_group();

  store_actor::pointer self;
  store_params with;
  std::deque<waiting> small,
      sets; ///< sets in the order in which their chains came, so chains take turns
  bool tick_sent = false, in_trouble = false;
  bool others_wait = false; ///< in the group, or for the next: more than a chain
};

store_actor::behavior_type make_store(store_actor::stateful_pointer<store_state> self,
                                      store_params params);

} // namespace tidemark::actors
