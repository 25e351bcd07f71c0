// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "store/store.hpp"

namespace tidemark::app {

/// Queues what the store has for handlers that are new and ask for it (`start`), in transactions of
/// its own; takes up what a crash interrupted. Before any chain goes on, so that it stands in front
/// of what is found from now on. False: the log says why.
bool fill_new_handlers(store::store& file, const config::config& c);

} // namespace tidemark::app
