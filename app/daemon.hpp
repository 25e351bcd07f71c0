// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

namespace tidemark::app {

/// The daemon, from start to the end of its drain; the program's exit status.
int run_daemon(config::config c);

} // namespace tidemark::app
