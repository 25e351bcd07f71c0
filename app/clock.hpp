// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace tidemark::app {

/// The wall clock that everything else gets its time from: ms since 1970, UTC.
inline std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace tidemark::app
