// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"

#include <span>

namespace tidemark::store {

inline constexpr std::int64_t application_id = 0x5469646d; // "Tidm"

inline constexpr int busy_wait_ms = 5'000; // of the writer, for a helper that begins or ends

/// One step forward, one transaction.  Never changed once released.
struct migration {
  std::int64_t to = 0; ///< user_version after it
  const char* sql = "";
};

/// All of them, ascending; the first makes an empty file version 1.
std::span<const migration> migrations();

enum class file_state { ours, not_ours, newer };

/// What the file's marks say; an empty file is ours.
file_state file_marks(connection& db, std::span<const migration> steps);
/// Settings of a connection that writes; page_size counts only on an empty file.
void set_writing(connection& db, bool full);
void set_reading(connection& db);
/// Brings a file of ours to the last of `steps`. Throws; a step that fails leaves the file as the
/// one before made it.
void migrate(connection& db, std::span<const migration> steps);

} // namespace tidemark::store
