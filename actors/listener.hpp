// SPDX-License-Identifier: MIT
#pragma once

#include "actors/ingest_rules.hpp"
#include "actors/interfaces.hpp"
#include "net/http_server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace tidemark::actors {

struct listener_params {
  store_actor store;
  std::shared_ptr<ingest_counters> counters;
  std::function<std::int64_t()> now; ///< ms since 1970
  /// How long a commit took that an answer waited for; on the actor's thread.
  std::function<void(double seconds)> committed = {};
  std::function<void(const webhook_note&)> note = {}; ///< on the actor's thread
};

struct listener_state {
  static inline const char* name = "listener";
  listener_params with;
};

/// Verified webhooks → the store, and its answer → the slot. What is unanswered when it dies is
/// told 503 by the slots themselves.
listener_actor::behavior_type make_listener(listener_actor::stateful_pointer<listener_state> self,
                                            listener_params params);

/// Where the I/O threads find the listener of the moment, since a restarted one has another handle.
/// The supervisor sets it at every start, and clears it before the end. Any thread.
class listener_door {
public:
  void set(listener_actor l);
  void clear();
  /// False: nobody is there; the slot in `in` then answers by itself.
  bool hand_over(incoming in) const;

private:
  mutable std::mutex mutex_;
  listener_actor listener_;
};

struct ingest_door_params {
  std::shared_ptr<const ingest_rules> rules;
  std::shared_ptr<ingest_counters> counters;
  std::shared_ptr<const listener_door> door;
  std::function<std::int64_t()> now; ///< ms since 1970; any thread
  /// Runs it on a thread that neither accepts nor reads: a body of some MiB takes its time to
  /// verify, inflate and read. What waits there counts as in flight.
  std::function<void(std::function<void()>)> work;
  std::function<void(const webhook_note&)> note = {}; ///< of what is refused; any thread
  std::function<std::string()> unable = {};           ///< why nothing can be stored now; or empty
};

/// The callbacks of the ingest server.
struct ingest_callbacks {
  net::http_server::head_check on_head;
  net::http_server::handler on_request;
  net::http_server::refusal on_refused; ///< counts what the other two never see, or refuse early
};
ingest_callbacks make_ingest_callbacks(ingest_door_params params);

} // namespace tidemark::actors
