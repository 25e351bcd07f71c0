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

std::string wrong_files(const config::client_tls_section& files, bool shown) {
  const auto read =
      shown ? certificates(config::tls_files{files.cert, files.key}) : client_certificates(files);
  return read ? std::string() : read.error().text;
}

} // namespace tidemark::app
