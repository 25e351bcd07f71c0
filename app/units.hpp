// SPDX-License-Identifier: MIT
#pragma once

#include "actors/ingest_rules.hpp"
#include "actors/listener.hpp"
#include "actors/supervisor.hpp"
#include "actors/switchboard.hpp"
#include "api/live.hpp"
#include "app/disk_space.hpp"
#include "config/config.hpp"
#include "net/http_client.hpp"
#include "net/web_socket.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tidemark::app {

/// What the actors of a chain or a handler are wired to. References outlive the supervisor.
struct unit_needs {
  caf::actor_system& system;
  std::shared_ptr<const config::config> config;
  actors::store_actor store;
  actors::switchboard& switchboard;
  std::shared_ptr<api::live> board;
  net::http_client& nodes;
  net::http_client& handlers;
  net::socket_client& sockets;
  std::shared_ptr<disk_space> space;
};

/// A chain and its endpoints, which live and die together.
actors::unit chain_unit(const unit_needs& needs, const config::chain& c);
actors::unit delivery_unit(const unit_needs& needs, const config::handler& h);
actors::unit intake_unit(const unit_needs& needs, std::shared_ptr<actors::ingest_rules> rules);
actors::unit listener_unit(const unit_needs& needs,
                           std::shared_ptr<actors::ingest_counters> counters,
                           std::shared_ptr<actors::listener_door> door);

/// Until all that the supervisor begins with have begun. Blocks; not on an actor's thread.
void await_units(caf::actor_system& system, const actors::supervisor_actor& supervisor);

/// A line of the log a webhook.
void log_webhook(const actors::webhook_note& n);

} // namespace tidemark::app
