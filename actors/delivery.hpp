// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "config/config.hpp"
#include "net/http_client.hpp"
#include "net/redaction.hpp"
#include "tide/courier.hpp"

#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::actors {

/// How a delivery actor sends: net::http_client::send, or what a test puts there.
using send_request = std::function<void(net::client_request, net::http_client::callback)>;

/// How an attempt to tell a handler ended, for the metrics and a line of the log.
struct attempt_end {
  const store::finished& is;
  std::string_view id; ///< webhook-id
  std::uint32_t attempt = 1;
  std::optional<double> latency_s; ///< from the block's time to its acknowledgement
};

struct delivery_params {
  std::shared_ptr<const config::handler> handler;
  store_actor store;
  send_request send;
  std::function<std::int64_t()> now; ///< ms since 1970
  /// After each change; on the actor's thread.
  std::function<void(tide::handler_status)> publish;
  /// A line for the log, of what went wrong on our side; nothing secret in it.
  std::function<void(std::string_view)> warn;
  std::string version;           ///< of the program
  std::string instance = "main"; ///< a ping's; a message knows its own
  std::uint64_t seed = 0;
  std::function<void(const attempt_end&)> attempted = {}; ///< on the actor's thread
};

/// Where a handler is: its URL, and how its connections are secured (null: by the system's roots).
struct handler_place {
  net::url url;
  std::shared_ptr<const net::tls_context> tls;
};
/// What a message is sent as; the signature's time is `now_s`, unix seconds.
net::client_request compose_request(const config::handler& h, const handler_place& place,
                                    std::string_view version, const store::message& m,
                                    std::int64_t now_s);
tide::courier_settings settings_of(const config::handler& h);
/// What the client's result is to the courier.
tide::exchange_end end_of(const net::client_result& r, std::uint32_t ms);
/// As a person may see it: without what the handler was asked by.
tide::exchange_end shown(tide::exchange_end how, const net::redaction& hides);

struct delivery_state {
  static inline const char* name = "delivery";

  ~delivery_state(); ///< answers the pings that are open

  delivery_params with;
  handler_place target;
  net::redaction hides; ///< in what a handler answers
  std::unique_ptr<tide::courier> courier;

  /// In flight, by attempt id: what finishing it needs.
  std::unordered_map<std::int64_t, store::finished> open;
  struct sent_as {
    std::string id;
    std::uint32_t attempt = 1;
    std::uint64_t block_time = 0; ///< s since 1970; 0: not the first that is heard of the event
  };
  std::unordered_map<std::int64_t, sent_as> sent; ///< of those
  /// Ended, and not told the store yet.
  std::vector<store::finished> finished;
  bool turn_open = false; ///< a turn is with the store
  bool begun = false;     ///< the first turn is behind it
  bool pause_open = false;
  bool draining = false;
  std::int64_t store_retry_at = 0; ///< the store failed: not before then
  std::optional<tide::handler_status> published;

  std::uint64_t pings = 0;
  /// Pings in flight, by the negative of their number.
  std::unordered_map<std::int64_t, caf::typed_response_promise<handler_pinged>> open_pings;
  std::unordered_map<std::int64_t, std::string> ping_ids;

  std::uint64_t generation = 0; ///< of the timer that counts
  std::optional<std::int64_t> armed_for;
};

/// One handler's courier and its connections. Quits after `drain` once nothing is in flight and the
/// store knows how all of it ended; the supervisor bounds that time.
delivery_actor::behavior_type make_delivery(delivery_actor::stateful_pointer<delivery_state> self,
                                            delivery_params params);

} // namespace tidemark::actors
