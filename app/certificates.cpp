// SPDX-License-Identifier: MIT
#include "app/certificates.hpp"

namespace tidemark::app {

evm::result<std::shared_ptr<const net::tls_context>>
certificates(const std::optional<config::tls_files>& files) {
  if (!files) return std::shared_ptr<const net::tls_context>();
  return net::tls_context::server(files->cert.string(), files->key.string());
}

evm::result<std::shared_ptr<const net::tls_context>>
client_certificates(const config::client_tls_section& files) {
  if (!files.given()) return std::shared_ptr<const net::tls_context>();
  return net::tls_context::client(files.ca.string(), files.cert.string(), files.key.string());
}

std::vector<std::string> wrong_certificates(const config::config& c) {
  std::vector<std::string> wrong;
  const auto look = [&](const std::string& where, const auto& read) {
    if (!read) wrong.push_back(where + ": " + read.error().text);
  };
  look("ingest.tls", certificates(c.ingest.tls));
  look("admin.tls", certificates(c.admin.tls));
  for (const auto& h : c.handlers)
    look("handlers '" + h.name() + "'.tls", client_certificates(h.tls));
  return wrong;
}

} // namespace tidemark::app
