// SPDX-License-Identifier: MIT
#pragma once

#include "api/meters.hpp"
#include "tide/status.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the parts say of themselves while they run; nothing of it is in the store.

namespace tidemark::api {

/// What the listener saw of one source since the start.
struct source_counts {
  std::int64_t last_at = 0; ///< ms since 1970 of the last request, refused ones too; 0: none yet
  std::string last_result;  ///< a word of the listener's, as the metrics have it
  std::uint64_t unauthorized = 0;
  std::int64_t accepted_at = 0; ///< ms since 1970 of the last one that was stored; 0: none yet
  std::vector<std::pair<std::string, std::uint64_t>> results = {}; ///< by result
};

/// What the program says of itself.
struct identity {
  std::string version;
  std::int64_t started_at = 0; ///< ms since 1970
  std::uint32_t epoch = 1;     ///< the store's, which only a restore raises
};

/// The board: each actor pins its latest snapshot here, the admin API reads. Any thread.
class live {
public:
  explicit live(identity who) : identity_(std::move(who)) {}
  live(const live&) = delete;
  live& operator=(const live&) = delete;

  // From the actors
  void put(tide::chain_status status);
  void put(tide::handler_status status);
  /// Where the listener's counts are to be had, by source; called for each answer, on any thread.
  void set_ingest(std::function<std::map<std::string, source_counts>()> counts);
  /// Both listeners are bound and take requests; false again once a drain begins.
  void set_listening(bool on);
  /// Why nothing can be stored now, for a person; empty: all is well.
  void set_store_trouble(std::string text);
  /// Why the disk is too full for webhooks and scans, for a person; called for each answer, on any
  /// thread.
  void set_disk(std::function<std::string()> trouble);

  /// The config was read: in force, or refused; ms since 1970.
  void set_reload(bool done, std::int64_t at);
  /// A backup was made; ms since 1970.
  void set_last_backup(std::int64_t at);
  /// What is counted while the parts work.
  meters& counted() { return meters_; }

  // To the API
  const identity& who() const { return identity_; }
  std::optional<tide::chain_status> chain(const std::string& name) const;
  std::optional<tide::handler_status> handler(const std::string& name) const;
  std::map<std::string, source_counts> sources() const;
  bool listening() const;
  std::string store_trouble() const;
  std::string disk_trouble() const; ///< empty: all is well
  std::optional<std::int64_t> last_backup() const;

private:
  const identity identity_;
  meters meters_;
  mutable std::mutex mutex_;
  std::map<std::string, tide::chain_status> chains_;
  std::map<std::string, tide::handler_status> handlers_;
  std::function<std::map<std::string, source_counts>()> ingest_;
  std::function<std::string()> disk_;
  bool listening_ = false;
  std::string store_trouble_;
  std::optional<std::int64_t> last_backup_;
};

} // namespace tidemark::api
