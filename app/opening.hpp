// SPDX-License-Identifier: MIT
#pragma once

#include "api/live.hpp"
#include "config/config.hpp"
#include "store/reader.hpp"
#include "store/store.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::app {

/// The store, locked and migrated, with the handlers of the config known to it, and its readers'
/// connections.
struct opened_store {
  std::shared_ptr<store::store> file;
  std::vector<std::shared_ptr<store::reader>> readers;
  store::tally did; ///< what the config changed in it
};

/// Or the exit status, once the reason is logged. Happens before anything is bound.
std::variant<opened_store, int> open_store(const config::config& c);

/// What the store has to know of a config.
store::config_in store_part(const config::config& c);
/// The subscriptions that a list decides of.
std::vector<store::list_use> uses_of(const config::config& c, const std::string& list);
/// Where a chain counts from was resolved once; another number in the config later is a
/// misunderstanding that would lose events. A word for each.
std::vector<std::string> moved_starts(const config::config& c, store::reader& reader);

/// What the admin API shows, as it is before anything runs.
evm::result<std::shared_ptr<api::live>> open_board(store::store& file, const config::config& c,
                                                   const store::tally& did);

} // namespace tidemark::app
