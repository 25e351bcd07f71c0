// SPDX-License-Identifier: MIT
#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

namespace tidemark::app {

struct caf_config : caf::actor_system_config {
  caf_config() {
    set("scheduler.policy", caf::atom("sharing")); // stealing polls: 2 % of a core for nothing
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

} // namespace tidemark::app
