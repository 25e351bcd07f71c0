// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "store/upkeep.hpp"

namespace tidemark::app {

inline store::retention retention_of(const config::config& c) {
  store::retention keep;
  keep.webhooks_ms = c.store.keep_webhooks.count();
  keep.deliveries_ms = c.store.keep_deliveries.count();
  keep.events_ms = c.store.keep_events.count();
  for (const auto& chain : c.chains)
    keep.max_depths[chain.id] = chain.max_depth;
  return keep;
}

} // namespace tidemark::app
