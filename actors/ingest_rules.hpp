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
    ingest_result last_result = ingest_result::accepted;
    std::uint64_t of(ingest_result r) const { return count[static_cast<std::size_t>(r)]; }
  };
  /// In the config's order.
  std::vector<row> snapshot() const;

  /// A source that the config does not have is not counted.
  void add(std::string_view source, ingest_result r, std::int64_t now);

private:
  struct cell {
    std::string source;
    std::array<std::atomic<std::uint64_t>, ingest_results> count{};
    std::atomic<std::int64_t> last_at{0};
    std::atomic<ingest_result> last_result{ingest_result::accepted};
  };
  std::vector<std::unique_ptr<cell>> cells_; ///< in the config's order
  std::map<std::string, cell*, std::less<>> by_name_;
};

/// A source, ready to be asked.
struct ingest_source {
  config::source is;
  const providers::provider* provider = nullptr;
  providers::scheme signs;
  /// What no stored header may hold: the secrets, and what they are without whsec_.
  std::vector<std::string> never_stored;
};

/// The sources and chains of a config. Immutable, so any thread may ask.
class ingest_rules {
public:
  explicit ingest_rules(const config::config& c);

  const ingest_source* find(std::string_view name) const;
  bool has_chain(std::uint64_t id) const { return chains_.count(id) != 0; }
  std::size_t max_body() const { return max_body_; }

private:
  std::map<std::string, ingest_source, std::less<>> sources_;
  std::set<std::uint64_t> chains_;
  std::size_t max_body_;
};

/// Before the body is read: the answer if it need not be. 404 · 405 · 415
std::optional<net::response> check_head(const ingest_rules& rules, const net::request& r);

/// A request whose signature is right and whose body inflates.
struct accepted_request {
  std::string source, headers, body; ///< as they are stored
  std::size_t hints = 0;             ///< what the payload names
};
struct refused_request {
  std::string source; ///< empty: none of ours
  ingest_result why = ingest_result::malformed;
  net::response answer;
};
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
