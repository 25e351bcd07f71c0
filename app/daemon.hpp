// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

#include <filesystem>

namespace tidemark::app {

/// The daemon, from start to the end of its drain; the program's exit status.
/// `file`: where the config is read again from.
int run_daemon(config::config c, const std::filesystem::path& file);

} // namespace tidemark::app
