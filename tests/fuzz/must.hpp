// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

namespace fuzz {

/// What has to hold for any input. Ends the process, which both a fuzzer and a test see.
inline void must(bool holds) {
  if (!holds) std::abort();
}

} // namespace fuzz
