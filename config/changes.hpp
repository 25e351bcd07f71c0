// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

#include <string>
#include <vector>

namespace tidemark::config {

/// What differs between the config in force and another one. All by name; `anew`: what is new, or
/// has to begin anew because something of it changed.
struct changes {
  std::vector<std::string> refused; ///< cannot change while the daemon runs, each with what to do
  std::vector<std::string> chains_gone, chains_anew;
  std::vector<std::string> handlers_gone, handlers_anew;
  std::vector<std::string> rest; ///< takes effect by itself
};
changes compare(const config& before, const config& now);

} // namespace tidemark::config
