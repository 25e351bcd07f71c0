// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "store/reader.hpp"
#include "store/store.hpp"

#include <memory>
#include <variant>
#include <vector>

namespace tidemark::app {

/// The store, locked and migrated, with the handlers of the config known to it, and its readers'
/// connections.
struct opened_store {
  std::shared_ptr<store::store> file;
  std::vector<std::shared_ptr<store::reader>> readers;
};

/// Or the exit status, once the reason is logged. Happens before anything is bound.
std::variant<opened_store, int> open_store(const config::config& c);

} // namespace tidemark::app
