// SPDX-License-Identifier: MIT
#pragma once

#include "actors/switchboard.hpp"
#include "api/admin_api.hpp"
#include "config/config.hpp"

#include <caf/fwd.hpp>

#include <functional>

namespace tidemark::app {

/// The order that begins a reconcile job. References outlive the orders.
void add_reconcile_order(api::orders& to, const config::config& c, const actors::switchboard& board,
                         const actors::store_actor& store, caf::actor_system& system);
/// What a chain does with the progress of its jobs: it is written into their rows, and one that was
/// cancelled is stopped.
std::function<void(const tide::reconcile_progress&)>
note_progress(std::uint64_t chain_id, const actors::switchboard& board, actors::store_actor store);

} // namespace tidemark::app
