// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "net/web_socket.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// `tidemark check --probe`: what each RPC endpoint is and can do, asked now.

namespace tidemark::app {

struct probed_endpoint {
  std::string chain, endpoint;
  std::optional<std::uint64_t> chain_id, head, safe, finalized;
  std::optional<bool> batches;  ///< takes several calls in one request
  std::optional<bool> receipts; ///< has eth_getBlockReceipts
  std::optional<bool> heads;    ///< of a WebSocket endpoint: it tells of new heads
  double latency_ms = 0;        ///< of the quickest single call
  double block_seconds = 0;     ///< between blocks, over the last 100; 0: unknown
  std::string trouble;          ///< why it cannot be used; empty: it can
};

/// Every endpoint at once; each call waits as long as the endpoint's own timeout.
std::vector<probed_endpoint> probe(const config::config& c);

/// The same of one WebSocket endpoint (probe_heads.cpp).
probed_endpoint probe_heads(const config::chain& chain, const config::endpoint& endpoint,
                            net::socket_client& sockets);

/// JSON-RPC calls that following this chain makes in a day, at most, beside backfills and hints.
std::uint64_t calls_a_day(const config::chain& chain, double block_seconds);

} // namespace tidemark::app
