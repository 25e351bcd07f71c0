// SPDX-License-Identifier: MIT
#pragma once

namespace tidemark::app {

/// How the program ends (contract §1; 74, 75 and 78 as in sysexits.h).
enum exit_status : int {
  exit_done = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_store = 74,       ///< damaged, or cannot be written
  exit_unavailable = 75, ///< the daemon cannot be reached, or another process holds the store
  exit_config = 78,      ///< bad, or the store is newer than the program
};

} // namespace tidemark::app
