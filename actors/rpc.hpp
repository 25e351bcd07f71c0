// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "config/config.hpp"
#include "net/http_client.hpp"
#include "net/redaction.hpp"
#include "net/url.hpp"
#include "tide/inquirer.hpp"

#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::actors {

struct rpc_params {
  std::shared_ptr<const config::chain> chain;
  std::function<void(net::client_request, net::http_client::callback)> send;
  std::function<std::int64_t()> now; ///< ms since 1970; any thread
  std::function<void(std::vector<tide::endpoint_status>)> publish;
  std::function<void(std::string_view)>
      warn;               ///< a line for the log; no secret, no URL beyond scheme and host
  std::uint64_t seed = 0; ///< of the jitter
  /// A post ended: the method of its first call, a word for how, and how long it took.
  std::function<void(std::size_t endpoint, std::string_view method, std::string_view result,
                     double seconds)>
      posted = {};
  std::function<void(std::size_t endpoint, std::string_view kind)> lied = {};
};

/// A chain's endpoints: the sockets, the clock and the timer of a tide::inquirer, which decides.
struct rpc_state {
  static inline const char* name = "rpc";

  explicit rpc_state(rpc_actor::pointer self_) : self(self_) {}

  void carry_out(tide::inquirer::effects effects);
  void post(tide::inquirer::post p);
  void redact(tide::answer& a) const;

  rpc_actor::pointer self;
  rpc_params with;
  std::vector<net::url> urls;
  net::redaction hides; ///< what any of them is asked by
  std::optional<tide::inquirer> inquirer;
  chain_actor asker; ///< of the ask that is open
  struct flight {
    std::size_t endpoint = 0;
    std::string method;
    std::int64_t sent_at = 0; ///< of `with.now`
  };
  void count(std::uint64_t n, const tide::inquirer::arrival& a);
  std::map<std::uint64_t, flight> flights; ///< by post
  std::uint64_t timer = 0;
};

rpc_actor::behavior_type make_rpc(rpc_actor::stateful_pointer<rpc_state> self, rpc_params params);

} // namespace tidemark::actors
