// SPDX-License-Identifier: MIT
#include "net/http_client.hpp"

#include "net/client_core.hpp"

#include <stdexcept>

namespace tidemark::net {

const char* to_string(failure f) {
  switch (f) {
  case failure::dns:
    return "dns";
  case failure::refused:
    return "refused";
  case failure::refused_address:
    return "refused_address";
  case failure::tls:
    return "tls";
  case failure::timeout:
    return "timeout";
  case failure::cut:
    return "cut";
  case failure::too_large:
    return "too_large";
  case failure::malformed:
    return "malformed";
  }
  return "unknown";
}

void throw_exception_from_error(const client_error& e, const boost::source_location&) {
  throw std::logic_error(e.text);
}

http_client::http_client(boost::asio::io_context& io, const client_limits& limits)
    : core_(std::make_shared<client_core>(io, limits)) {}

http_client::~http_client() { core_->stop(); }

void http_client::send(client_request r, callback done) {
  core_->send(std::move(r), std::move(done));
}

void http_client::cut(std::string sender) { core_->cut(std::move(sender)); }

} // namespace tidemark::net
