// SPDX-License-Identifier: MIT
#pragma once

#include "store/store.hpp"
#include "store/types.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

// What is done to a store's file as a whole: looked through, copied, put in its place. Each opens
// the file for itself, blocks for as long as it takes, and disturbs neither the writer nor the
// readers. Times are ms since 1970, UTC.

namespace tidemark::store {

/// The process ends: whatever of these runs, in any thread, ends soon, with a failure.
void end_upkeep();

/// Is there a process that holds this store now?
bool is_held(const std::string& path);

/// Was this store written by a newer program? What cannot be read is not known to be.
bool is_newer(const std::string& path);

/// What is wrong with it, at most 100 sentences; none: all is well. Integrity first; then whether
/// the tables agree: messages with the feed, sequences without holes, events with their blocks.
/// A failure: it could not be looked through, or is none of ours.
result<std::vector<std::string>> check_file(const std::string& path);

struct table_size {
  std::string name;
  std::uint64_t rows = 0;
};
struct file_stats {
  sizes file;
  std::uint64_t page_bytes = 0, pages = 0, free_pages = 0;
  std::uint32_t epoch = 1;
  std::optional<std::int64_t> last_backup;
  std::vector<table_size> tables;
};
result<file_stats> stats_of(const std::string& path);

/// Copies the store as it is at this moment, writers going on meanwhile; the copy is one file, as
/// small as it can be, and bears the mark of a backup. `to` must not be there yet. Gives its bytes.
result<std::uint64_t> back_up(const std::string& path, const std::string& to, std::int64_t now);

/// Notes in a store that nobody holds that a backup of it was made; does nothing in one that has
/// not been run on yet, as a backup has not.
result<void> note_backup(const std::string& path, std::int64_t at);

struct put_back_done {
  std::string kept_as; ///< the store that was there; empty: there was none
};
/// Puts a copy of `from` where the store is, marked as a backup. Only on a store that nobody holds;
/// the one that was there is kept beside it.
std::variant<put_back_done, open_error> restore_file(const std::string& from,
                                                     const std::string& path, std::int64_t now);

/// What `prune` may let go of.
struct retention {
  std::int64_t webhooks_ms = 0, deliveries_ms = 0, events_ms = 0; ///< 0: keep
  std::map<std::uint64_t, std::uint64_t> max_depths;              ///< by chain id
};
/// Where the next step goes on, and what went so far.
struct pruning {
  std::int64_t webhook = 0, attempt = 0, inclusion = 0; ///< looked at up to there
  std::uint64_t webhooks = 0, deliveries = 0, events = 0;
  bool done = false;
};

} // namespace tidemark::store
