// SPDX-License-Identifier: MIT
#include "app/certificates.hpp"

namespace tidemark::app {

evm::result<std::shared_ptr<const net::tls_context>>
certificates(const std::optional<config::tls_files>& files) {
  if (!files) return std::shared_ptr<const net::tls_context>();
  return net::tls_context::server(files->cert.string(), files->key.string());
}

std::optional<evm::error> check_certificates(const config::config& c) {
  if (auto in = certificates(c.ingest.tls); !in) return evm::fail("ingest.tls: " + in.error().text);
  if (auto ad = certificates(c.admin.tls); !ad) return evm::fail("admin.tls: " + ad.error().text);
  return std::nullopt;
}

} // namespace tidemark::app
