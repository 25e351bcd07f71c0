// SPDX-License-Identifier: MIT
#pragma once

#include "actors/listener.hpp"
#include "app/admin_door.hpp"
#include "config/config.hpp"
#include "net/http_server.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace tidemark::app {

/// The two servers, with what they answer and what they show.
class doors {
public:
  struct certificate_pair {
    std::shared_ptr<const net::tls_context> ingest, admin;
  };
  doors(boost::asio::io_context& io, const config::config& c, certificate_pair shown,
        const actors::ingest_callbacks& ingest, const std::shared_ptr<admin_door>& admin);

  struct addresses {
    std::string ingest, admin; ///< host:port
  };
  /// Listens, or takes over what systemd listens on for us.
  evm::result<addresses> open(const config::config& c);
  /// Both pairs are read again; none is shown where one cannot be.
  evm::result<void> renew_certificates(const config::config& c);

  /// No webhook comes in any more; waits for those that are in, so long at most.
  void drain_ingest(std::chrono::steady_clock::duration at_most);
  void stop_admin() { admin_.stop_accepting(); }
  void close_all();

private:
  net::http_server ingest_, admin_;
};

} // namespace tidemark::app
