// SPDX-License-Identifier: MIT
#pragma once

namespace tidemark::app {

/// As CMakeLists.txt has it.
inline const char* version() { return TIDEMARK_VERSION; }

} // namespace tidemark::app
