// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tidemark::app {

/// Runs a write of the store as a transaction, and waits for it; what went wrong, if anything. The
/// write may be called on another thread, before this returns.
using store_write = std::function<store::result<void>(store::store&, std::int64_t now)>;
using store_work = std::function<std::optional<std::string>(store_write)>;

/// Queues what the store has for handlers that are new, all that they ask for (`start`); and gives
/// them, and those that are told more than before, their places in what waits for its confirmation,
/// which holds what comes behind it. In transactions of its own; takes up what a crash interrupted.
/// While no chain writes, so that nothing comes between and it stands in front of what is found
/// from now on. What went wrong, if anything.
std::optional<std::string> fill_handlers(const store_work& run, const config::config& c);

} // namespace tidemark::app
