// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"

#include <cstdint>

namespace tidemark::store {

/// From now on the file is a copy of what a store was: whoever runs on it first has to know.
void mark_as_backup(connection& db, std::int64_t now);
/// The first run on a backup. What was told since it was made is not known any more, so every epoch
/// is raised, and every handler waits until somebody has looked. Nothing on a file without the
/// mark.
void begin_on_backup(connection& db, std::int64_t now);

/// A backup of this store was made then.
void put_backup_note(connection& db, std::int64_t at);

/// Ends what runs on this connection once end_upkeep() is called.
void watch(connection& db);

} // namespace tidemark::store
