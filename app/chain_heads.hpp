// SPDX-License-Identifier: MIT
#pragma once

#include "actors/heads.hpp"
#include "app/units.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tidemark::app {

/// A chain's WebSocket endpoints at work; `publish` has the place among them.
std::vector<actors::heads_actor>
start_heads(const unit_needs& needs, const std::shared_ptr<const config::chain>& chain,
            const std::function<void(std::size_t, tide::endpoint_status)>& publish);

/// Tells them how far the chain's HTTP endpoints are, when that has changed; called by one thread
/// at a time.
std::function<void(const std::vector<tide::endpoint_status>&)>
teller_of_heads(std::vector<actors::heads_actor> heads);

} // namespace tidemark::app
