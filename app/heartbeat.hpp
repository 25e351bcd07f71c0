// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "api/live.hpp"
#include "config/config.hpp"

#include <boost/asio/steady_timer.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <memory>

namespace tidemark::app {

/// Tells systemd that the daemon lives, as often as it wants to hear it: only what has gone through
/// the sockets' thread, the actors' scheduler and the store is a sign of life. Beside that, what
/// the chains do, for `systemctl status`. Nothing where there is no systemd.
class heartbeat : public std::enable_shared_from_this<heartbeat> {
public:
  heartbeat(boost::asio::io_context& io, std::shared_ptr<const config::config> config,
            std::shared_ptr<api::live> board, actors::store_actor store, caf::actor_system& system);

  void start();
  void stop(); ///< before the actors end

private:
  void arm();
  void beat();
  std::string status() const;

  boost::asio::steady_timer timer_;
  std::shared_ptr<const config::config> config_;
  std::shared_ptr<api::live> board_;
  actors::store_actor store_;
  caf::actor_system& system_;
  std::chrono::microseconds every_{};
  bool stopped_ = false; ///< on the timer's strand
};

} // namespace tidemark::app
