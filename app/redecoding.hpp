// SPDX-License-Identifier: MIT
#pragma once

#include "actors/switchboard.hpp"
#include "api/admin_api.hpp"
#include "config/config.hpp"

#include <caf/fwd.hpp>

#include <atomic>
#include <functional>
#include <memory>

namespace tidemark::app {

/// Jobs that read stored events again as the config in force says (contract §4.4, `redecode`).
/// Each page is one write of the store, in line with all others, so nothing waits long for it; a
/// job that a crash cut short goes on where it was.
class redecoding {
public:
  /// Takes up the jobs that run still. The switchboard and the system must outlive it, and the
  /// jobs.
  redecoding(std::shared_ptr<const config::config> config, const actors::switchboard& board,
             actors::store_actor store, caf::actor_system& system);

  /// What puts another config in force from the next page on: any thread, whenever it is called.
  std::function<void()> renewal(std::shared_ptr<const config::config> config) const;
  void add_order(api::orders& to) const;

  /// What jobs share with it.
  struct ground {
    std::atomic<std::shared_ptr<const config::config>> config;
    const actors::switchboard& board;
    actors::store_actor store;
  };

private:
  void take_up() const;

  std::shared_ptr<ground> ground_;
  caf::actor_system& system_;
};

} // namespace tidemark::app
