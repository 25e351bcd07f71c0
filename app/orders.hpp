// SPDX-License-Identifier: MIT
#pragma once

#include "actors/switchboard.hpp"
#include "api/admin_api.hpp"
#include "app/keeper.hpp"
#include "app/redecoding.hpp"
#include "config/config.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

namespace tidemark::app {

/// Has the config read again, and then calls back, on another thread.
using reload_order =
    std::function<void(std::string who, std::function<void(const api::reload_report&)>)>;

/// What the admin API of a config is wired to. References outlive it.
struct order_needs {
  const actors::switchboard& switchboard;
  actors::store_actor store;
  caf::actor_system& system;
  std::shared_ptr<api::live> board;
  keeper& upkeep;
  const redecoding& rereading;
  reload_order reload;
};

/// The API of that config; holds all that it refers to.
std::shared_ptr<const api::admin_api> make_api(std::shared_ptr<const config::config> c,
                                               const order_needs& needs);

} // namespace tidemark::app
