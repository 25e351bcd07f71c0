// SPDX-License-Identifier: MIT
#include "app/doors.hpp"

#include "app/certificates.hpp"
#include "app/limits.hpp"
#include "app/service.hpp"

#include <thread>
#include <utility>

namespace tidemark::app {
namespace {

evm::result<std::uint16_t> open_one(net::http_server& server, std::string_view name,
                                    const config::listen_address& at) {
  if (const auto socket = take_socket(name)) return server.adopt(*socket);
  return server.listen(at.host, at.port);
}

} // namespace

doors::doors(boost::asio::io_context& io, const config::config& c, certificate_pair shown,
             const actors::ingest_callbacks& ingest, const std::shared_ptr<admin_door>& admin)
    : ingest_(io, ingest_limits(c.ingest), ingest.on_head, ingest.on_request,
              std::move(shown.ingest), ingest.on_refused),
      admin_(
          io, admin_limits(), [admin](const net::request& r) { return admin->api()->at_head(r); },
          [door = admin](std::shared_ptr<net::request> r, net::reply_slot s) {
            door->on_request(std::move(r), std::move(s));
          },
          std::move(shown.admin)) {}

evm::result<doors::addresses> doors::open(const config::config& c) {
  const auto in = open_one(ingest_, "ingest", c.ingest.listen);
  if (!in) return in.error();
  const auto ad = open_one(admin_, "admin", c.admin.listen);
  if (!ad) return ad.error();
  return addresses{host_port(c.ingest.listen, *in), host_port(c.admin.listen, *ad)};
}

evm::result<void> doors::renew_certificates(const config::config& c) {
  auto in = certificates(c.ingest.tls), ad = certificates(c.admin.tls);
  if (!in) return in.error();
  if (!ad) return ad.error();
  ingest_.set_tls(std::move(*in));
  admin_.set_tls(std::move(*ad));
  return {};
}

void doors::drain_ingest(std::chrono::steady_clock::duration at_most) {
  ingest_.stop_accepting();
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (ingest_.open_requests() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void doors::close_all() {
  ingest_.close_all();
  admin_.close_all();
}

} // namespace tidemark::app
