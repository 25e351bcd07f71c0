// SPDX-License-Identifier: MIT
#pragma once

#include "actors/switchboard.hpp"
#include "api/admin_api.hpp"
#include "config/config.hpp"

#include <caf/fwd.hpp>

namespace tidemark::app {

/// An operator's orders, carried to the actors that execute them. `switchboard` and `system` must outlive them.
api::orders make_orders(const config::config& c, const actors::switchboard& board, const actors::store_actor& store, caf::actor_system& system);

} // namespace tidemark::app
