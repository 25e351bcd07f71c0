// SPDX-License-Identifier: MIT
#pragma once

#include "providers/signature.hpp"
#include "tide/chain_ways.hpp"
#include "tide/policy.hpp"
#include "tide/subscription.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

// The whole config, read and checked (contract §2). Immutable once loaded; shared by every thread.

namespace tidemark::config {

using milliseconds = std::chrono::milliseconds;

struct listen_address {
  std::string host = "127.0.0.1"; ///< an IP address
  std::uint16_t port = 0;         ///< 0: any free one
};

struct store_section {
  std::filesystem::path path;
  bool full = true; ///< durability
  std::uint64_t min_free = 1ULL << 30;
  milliseconds keep_webhooks = std::chrono::hours(30 * 24); ///< 0: for ever, as of the others
  milliseconds keep_deliveries = std::chrono::hours(30 * 24);
  milliseconds keep_events{};
};

struct ingest_section {
  listen_address listen{"127.0.0.1", 8480};
  std::uint64_t max_body = 4ULL << 20;
  std::uint32_t max_connections = 1024;
  std::uint64_t max_in_flight = 64ULL << 20;
  milliseconds header{5'000}, body{10'000}, idle{60'000};
};

struct admin_token {
  std::string name, token;
  bool operate = true; ///< false: role read, GET only
};
struct admin_section {
  listen_address listen{"127.0.0.1", 8481};
  std::vector<admin_token> tokens; ///< `token:` is one of them, named "token"
  std::vector<std::string> hosts;
};

struct log_section {
  std::string level = "info"; ///< trace debug info warn error
  bool json = true;
};

struct endpoint {
  std::string name, url; ///< the url may hold a key: never logged
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::uint64_t> max_range; ///< blocks a getLogs may span
  double requests_per_second = 0;         ///< 0: no limit of ours
  milliseconds timeout{10'000};
};

using integrity = tide::proof;

struct chain {
  std::string name;
  std::uint64_t id = 0;
  std::vector<endpoint> rpc;
  std::uint32_t quorum = 1;
  tide::policy confirmations;
  std::optional<std::uint64_t> start_block; ///< absent: latest
  bool follow = true;
  milliseconds poll_interval{4'000};
  config::integrity integrity = integrity::bloom, backfill_integrity = integrity::bloom;
  bool instant = false;
  milliseconds reconcile_interval{60'000};
  std::uint64_t reconcile_max_range = 2'000, reconcile_overlap = 256;
  milliseconds reorg_interval{15'000};
  std::uint64_t max_depth = 256;
};

struct source {
  std::string name, provider;
  std::vector<std::string> secrets;
  std::optional<providers::scheme> signature; ///< absent: the provider's own
  std::optional<std::uint64_t> chain_id;      ///< for payloads that name none
  std::map<std::string, std::uint64_t>
      networks; ///< the provider's names → chain ids; before those that are known
  milliseconds tolerance{86'400'000};
  milliseconds expect_every{};
};

struct retry_section {
  milliseconds initial{1'000}, max{900'000};
  std::uint32_t attempts = 0; ///< 0: no end
  milliseconds max_age{};
};

struct handler {
  std::string url;
  std::vector<std::string> secrets; ///< Standard Webhooks: each signs
  std::vector<std::pair<std::string, std::string>> headers;
  tide::recipient recipient; ///< name, subscriptions, send, order_by
  std::uint32_t concurrency = 8;
  std::uint64_t max_message = std::uint64_t{256} * 1024;
  std::string content_type = "application/cloudevents+json";
  milliseconds timeout{30'000};
  retry_section retry;
  bool allow_private = false;
  const std::string& name() const { return recipient.name; }
};

struct config {
  std::string instance = "main";
  store_section store;
  ingest_section ingest;
  admin_section admin;
  log_section log;
  std::map<std::string, tide::policy> policies;
  std::vector<chain> chains;
  std::vector<source> sources;
  std::vector<tide::subscription>
      subscriptions; ///< in the file's order, which decides who names an event
  std::vector<handler> handlers;
};

struct problem {
  std::string file;
  std::size_t line = 0, column = 0; ///< 1-based; 0: the file as a whole
  std::string text;                 ///< what is wrong and what would be right
  std::string to_string() const;    ///< FILE:LINE:COLUMN: text
};

struct loaded {
  std::optional<config> value; ///< absent if there is any problem
  std::vector<problem> problems, warnings;
};

/// Looks a variable up: the environment in the program, a table in tests.
using environment = std::optional<std::string> (*)(const std::string& name);

loaded load(const std::filesystem::path& file, environment env);
/// The same from a text; relative paths are beside `file`, which need not exist.
loaded parse(const std::string& text, const std::filesystem::path& file, environment env);

/// The commented starter file that `tidemark init` writes; `tidemark check` passes it.
const char* starter_yaml();

} // namespace tidemark::config
