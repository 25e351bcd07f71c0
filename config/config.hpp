// SPDX-License-Identifier: MIT
#pragma once

#include "config/address_range.hpp"
#include "providers/signature.hpp"
#include "tide/chain_ways.hpp"
#include "tide/delivery_codes.hpp"
#include "tide/policy.hpp"
#include "tide/subscription.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The whole config, read and checked (contract §2). Immutable once loaded; shared by every thread.

namespace tidemark::config {

using milliseconds = std::chrono::milliseconds;

struct listen_address {
  std::string host = "127.0.0.1"; ///< an IP address
  std::uint16_t port = 0;         ///< 0: any free one
  friend bool operator==(const listen_address&, const listen_address&) = default;
};

/// What a listener shows: PEM files, the certificate with its chain.
struct tls_files {
  std::filesystem::path cert, key;
  friend bool operator==(const tls_files&, const tls_files&) = default;
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
  std::vector<address_range> trusted_proxies; ///< whose X-Forwarded-For counts
  std::optional<tls_files> tls;
  friend bool operator==(const ingest_section&, const ingest_section&) = default;
};

struct admin_token {
  std::string name, token;
  bool operate = true; ///< false: role read, GET only
};
struct admin_section {
  listen_address listen{"127.0.0.1", 8481};
  std::vector<admin_token> tokens; ///< `token:` is one of them, named "token"
  std::vector<std::string> hosts;
  std::optional<tls_files> tls;
};

/// The parts of the program that a log line names, and whose levels can be set one by one.
inline constexpr std::array<std::string_view, 8> log_components{
    "daemon", "config", "store", "ingest", "chain", "rpc", "delivery", "admin"};

struct log_section {
  std::string level = "info";                ///< trace debug info warn error
  std::map<std::string, std::string> levels; ///< by component, in place of `level`
  bool json = true;
  friend bool operator==(const log_section&, const log_section&) = default;
};

struct endpoint {
  std::string name, url; ///< the url may hold a key: never logged
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::uint64_t> max_range; ///< blocks a getLogs may span
  double requests_per_second = 0;         ///< 0: no limit of ours
  milliseconds timeout{10'000};
  friend bool operator==(const endpoint&, const endpoint&) = default;
};

using integrity = tide::proof;

struct chain {
  std::string name;
  std::uint64_t id = 0;
  std::vector<endpoint> rpc;   ///< http(s), in the file's order
  std::vector<endpoint> heads; ///< ws(s): these only tell of new heads, and vouch for nothing
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
  friend bool operator==(const chain&, const chain&) = default;
};

struct source {
  std::string name, provider;
  std::vector<std::string> secrets;           ///< empty only for a provider that takes_unsigned
  std::optional<providers::scheme> signature; ///< absent: the provider's own
  std::optional<std::uint64_t> chain_id;      ///< for payloads that name none
  std::map<std::string, std::uint64_t>
      networks; ///< the provider's names → chain ids; before those that are known
  milliseconds tolerance{86'400'000};
  std::vector<address_range> allow_from; ///< empty: from anywhere
  milliseconds expect_every{};           ///< 0: nothing is expected
  friend bool operator==(const source&, const source&) = default;
};

struct retry_section {
  milliseconds initial{1'000}, max{900'000};
  std::uint32_t attempts = 0; ///< 0: no end
  milliseconds max_age{};
  friend bool operator==(const retry_section&, const retry_section&) = default;
};

struct batch_section {
  std::uint32_t max_events = 1;
  milliseconds linger{};
  friend bool operator==(const batch_section&, const batch_section&) = default;
};

/// Files of PEM; empty: the system's roots, no client certificate.
struct client_tls_section {
  std::filesystem::path ca, cert, key;
  std::size_t contents = 0; ///< a hash of the files' texts: a new certificate is another tls
  bool given() const { return !ca.empty() || !cert.empty(); }
  friend bool operator==(const client_tls_section&, const client_tls_section&) = default;
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
  tide::on_exhausted on_exhausted = tide::on_exhausted::block;
  double rate = 0; ///< messages a second; 0: no limit
  batch_section batch;
  milliseconds pending_max_age{}; ///< 0: no end
  /// When it is new: what the feed has goes too; where `start_from` has any chain, of those alone,
  /// from that block on.
  bool start_with_backlog = false;
  std::map<std::uint64_t, std::uint64_t> start_from;
  client_tls_section tls;
  bool allow_private = false;
  const std::string& name() const { return recipient.name; }
  friend bool operator==(const handler&, const handler&) = default;
};

/// A list of addresses: of a file, or kept in the store and changed through the API.
struct list {
  std::string name;
  std::optional<std::filesystem::path> file;
  std::vector<evm::address20> addresses; ///< of the file, each once
  friend bool operator==(const list&, const list&) = default;
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
  std::vector<list> lists;
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

/// What is wrong with the files of a tls section, or an empty text; `shown`: by a listener. It is
/// the program's, since what PEM says is OpenSSL's to judge.
using tls_judge = std::string (*)(const client_tls_section& files, bool shown);

/// How much of a file is read; what is not read may be wrong, or want an environment that is not
/// here, and stays as it is by default.
enum class reach {
  all,
  store, ///< `instance`, `store` and `admin`: for who works on the store, or asks who holds it
  admin  ///< `admin` alone: for who asks the daemon
};

loaded load(const std::filesystem::path& file, environment env, reach how_far = reach::all,
            tls_judge judge_tls = nullptr);
/// The same from a text; relative paths are beside `file`, which need not exist.
loaded parse(const std::string& text, const std::filesystem::path& file, environment env,
             reach how_far = reach::all, tls_judge judge_tls = nullptr);

/// The commented starter file that `tidemark init` writes; `tidemark check` passes it.
const char* starter_yaml();

} // namespace tidemark::config
