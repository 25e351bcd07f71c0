// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "config/config.hpp"
#include "net/redaction.hpp"
#include "net/web_socket.hpp"
#include "tide/head_watch.hpp"

#include <caf/stateful_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace tidemark::actors {

/// What is opened for an endpoint of a config, and what came of it in a head_watch's words.
net::socket_request socket_request_of(const config::endpoint& e);
tide::head_watch::arrival arrival_of(net::socket_event e);

struct heads_params {
  config::endpoint endpoint;
  std::uint64_t chain_id = 0;
  std::function<std::shared_ptr<net::web_socket>(net::socket_request, net::web_socket::callback)>
      open;
  std::function<std::int64_t()> now; ///< ms since 1970; any thread
  std::function<void(tide::endpoint_status)> publish;
  std::function<void()> ring; ///< wakes the chain
  std::function<void(bool warning, std::string_view)> log;
  std::uint64_t seed = 0; ///< of the jitter
  /// A call ended, or a head came; `seconds` of a call alone.
  std::function<void(std::string_view method, std::string_view result,
                     std::optional<double> seconds)>
      counted = {};
};

/// The socket, the clock and the timer of a tide::head_watch, which decides.
struct heads_state {
  static inline const char* name = "heads";

  explicit heads_state(heads_actor::pointer self_) : self(self_) {}
  ~heads_state() { close(); }

  void carry_out(const tide::head_watch::effects& effects);
  void act(const tide::head_watch::open& o);
  void act(const tide::head_watch::say& s) const;
  void act(const tide::head_watch::ping&) const;
  void act(const tide::head_watch::close&) { close(); }
  void act(const tide::head_watch::ring&) const { with.ring(); }
  void act(const tide::head_watch::told& t) const { with.log(t.warning, hides.of(t.text)); }
  void act(const tide::head_watch::counted& c) const;
  void close();

  heads_actor::pointer self;
  heads_params with;
  net::redaction hides;
  std::optional<tide::head_watch> watch;
  std::shared_ptr<net::web_socket> socket; ///< null: none is open
  std::uint64_t connection = 0, timer = 0;
};

heads_actor::behavior_type make_heads(heads_actor::stateful_pointer<heads_state> self,
                                      heads_params params);

} // namespace tidemark::actors
