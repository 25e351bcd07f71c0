// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "config/config.hpp"
#include "net/http_client.hpp"
#include "net/url.hpp"
#include "tide/pool.hpp"
#include "tide/reading.hpp"
#include "tide/rpc_wire.hpp"

#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::actors {

struct rpc_params {
  std::shared_ptr<const config::chain> chain;
  std::function<void(net::client_request, net::http_client::callback)> send;
  std::function<std::int64_t()> now; ///< ms since 1970
  std::function<void(std::vector<tide::endpoint_status>)> publish;
  std::function<void(std::string_view)>
      warn;               ///< a line for the log; no secret, no URL beyond scheme and host
  std::uint64_t seed = 0; ///< of the jitter
};

/// A chain's endpoints. Reads one ask at a time (a Tide has one open), on one endpoint from its
/// first call to its last.
struct rpc_state {
  static inline const char* name = "rpc";

  struct part_state {
    std::size_t first = 0, count = 0;
    boxed<net::client_result> how;
  };

  explicit rpc_state(rpc_actor::pointer self_) : self(self_) {}

  void begin(const tide::ask& a, chain_actor from);
  void choose();
  void next_stage();
  void send_stage();
  void send_calls(std::size_t first, std::size_t count);
  void came(const net::client_result& how);
  void stage_complete();
  void nothing_said(const tide::rpc_reply& r, const part_state& p);
  void checked_chain(const net::client_result& how);
  void endpoint_failed(tide::rpc_failure f, const std::string& text,
                       std::optional<std::int64_t> retry_after);
  bool ask_for_less(const tide::rpc_error& e);
  void give_up();
  void answer_with(tide::answer_what what);
  void wake_in(std::int64_t ms);
  void post(std::string body, std::size_t part);

  rpc_actor::pointer self;
  rpc_params with;
  std::vector<net::url> urls;
  std::optional<tide::pool> pool;
  std::minstd_rand random;
  std::string last_warning;

  // the ask in progress
  struct job_state {
    tide::ask ask;
    chain_actor from;
    std::vector<bool> tried;
    std::size_t endpoint = 0;
    std::optional<tide::reading> reading;
    bool checking = false; ///< the call under way asks for the chain id
    bool checked = false;  ///< it was asked for in this job
    int rounds = 0;
    std::string trouble; ///< of every endpoint that failed, for a person
  };
  std::optional<job_state> now_reading;
  std::uint64_t exchange = 0; ///< what comes back to an older one is void
  std::int64_t sent_at = 0;
  std::vector<part_state>
      parts; ///< of the present stage: a batch is one, calls sent alone are many
  std::size_t parts_sent = 0, parts_come = 0;
  std::uint64_t timer = 0;
};

rpc_actor::behavior_type make_rpc(rpc_actor::stateful_pointer<rpc_state> self, rpc_params params);

} // namespace tidemark::actors
