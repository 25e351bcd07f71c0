// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "net/http_server.hpp"
#include "providers/provider.hpp"
#include "store/types.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// What is taken in, and what it names (contract §3). No actor, no socket, no clock.

namespace tidemark::actors {

/// How a request to a source ended.
enum class ingest_result : std::uint8_t {
  accepted,
  duplicate,
  unauthorized,
  too_large,
  malformed,
  unsupported,
  unavailable
};
inline constexpr std::size_t ingest_results = 7;
std::string_view to_text(ingest_result r);

/// Per source since the start. Any thread.
class ingest_counters {
public:
  explicit ingest_counters(const config::config& c);

  struct row {
    std::string source;
    std::array<std::uint64_t, ingest_results> count{}; ///< by ingest_result
    std::int64_t last_at = 0;                          ///< ms since 1970; 0: nothing came yet
    std::int64_t accepted_at = 0;                      ///< the same, of what was stored
    ingest_result last_result = ingest_result::accepted;
    std::uint64_t of(ingest_result r) const { return count[static_cast<std::size_t>(r)]; }
  };
  /// In the config's order.
  std::vector<row> snapshot() const;

  /// A source that the config does not have is not counted.
  void add(std::string_view source, ingest_result r, std::int64_t now);
  /// When the last one was stored before this start; ms since 1970.
  void remember(std::string_view source, std::int64_t accepted_at);
  /// Another config: what was counted of its sources stays.
  void renew(const config::config& c);

private:
  struct cell {
    std::string source;
    std::array<std::atomic<std::uint64_t>, ingest_results> count{};
    std::atomic<std::int64_t> last_at{0}, accepted_at{0};
    std::atomic<ingest_result> last_result{ingest_result::accepted};
  };
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<cell>, std::less<>> by_name_;
  std::vector<cell*> cells_; ///< in the config's order
};

/// A source, ready to be asked.
struct ingest_source {
  config::source is;
  const providers::provider* provider = nullptr;
  std::optional<providers::scheme>
      signs; ///< absent: a provider that takes_unsigned, and no signature
  /// What no stored header may hold: the secrets, and what they are without whsec_.
  std::vector<std::string> never_stored;
};

/// The sources and chains of the config in force. Any thread.
class ingest_rules {
public:
  explicit ingest_rules(const config::config& c);
  /// Another config, but for max_body: requests under way end by the rules that they began with.
  void renew(const config::config& c);

  /// Null: there is none of that name.
  std::shared_ptr<const ingest_source> find(std::string_view name) const;
  bool has_chain(std::uint64_t id) const;
  std::size_t max_body() const { return max_body_; }
  const std::vector<config::address_range>& trusted_proxies() const { return trusted_proxies_; }

private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const ingest_source>, std::less<>> sources_;
  std::set<std::uint64_t> chains_;
  const std::size_t max_body_;
  const std::vector<config::address_range> trusted_proxies_;
};

/// A request whose signature is right and whose body inflates.
struct accepted_request {
  std::string source, headers, body; ///< as they are stored
  std::size_t hints = 0;             ///< what the payload names
};
struct refused_request {
  std::string source; ///< empty: none of ours
  ingest_result why = ingest_result::malformed;
  net::response answer;
  std::string reason = {}; ///< where `why` does not say it all
};
/// What became of a request to a source, for a line of the log.
struct webhook_note {
  std::string_view source;
  ingest_result how = ingest_result::accepted;
  std::string_view reason = {};
  std::int64_t id = 0; ///< of the stored one; 0: none is
  std::size_t hints = 0;
};

/// Before the body is read: the answer if it need not be. 404 · 405 · 415
std::optional<net::response> check_head(const ingest_rules& rules, const net::request& r);
/// The answer where the request does not come from the source's `allow_from`: 401
std::optional<net::response> check_sender(const ingest_rules& rules, const net::request& r);
/// What was answered without a look at the body, by us or the server, as it is counted.
refused_request refused_early(const ingest_rules& rules, const net::request& r,
                              const net::response& answer);

/// Takes the body out of the request. `now` in ms since 1970.
std::variant<accepted_request, refused_request> judge(const ingest_rules& rules, net::request& r,
                                                      std::int64_t now);

/// Where the store cannot take a webhook now: 503 with Retry-After.
net::response unavailable(std::string_view detail);
/// The answer of contract §3.
net::response acknowledged(std::int64_t id, std::size_t hints, bool duplicate);

/// At most so many look-ups a body.
inline constexpr std::size_t max_lookups = 256;
/// What a stored webhook names, each place once, with the chain ids of the config; a body of a
/// source that is gone cannot be understood any more.
store::extracted read_hints(const ingest_rules& rules, const store::raw_webhook& w);

} // namespace tidemark::actors
