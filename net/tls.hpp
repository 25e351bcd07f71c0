// SPDX-License-Identifier: MIT
#pragma once

#include "evm/result.hpp"

#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace tidemark::net {

/// Certificates and keys, TLS 1.2 and up, shared by many connections. Immutable.
class tls_context {
public:
  /// What a server shows. Paths of PEM files: the certificate with its chain, and its key without a
  /// passphrase.
  static evm::result<std::shared_ptr<const tls_context>> server(const std::string& cert_file,
                                                                const std::string& key_file);
  /// What a client trusts and shows. `ca_file` empty: the system's roots; else the roots in that
  /// PEM file alone. `cert_file` and `key_file`: a client certificate, both or none.
  static evm::result<std::shared_ptr<const tls_context>> client(const std::string& ca_file = {},
                                                                const std::string& cert_file = {},
                                                                const std::string& key_file = {});

  /// A client that trusts exactly the key of that file's first certificate, whatever else it says:
  /// for who reads the file that the server shows, and may have read before it was renewed.
  static evm::result<std::shared_ptr<const tls_context>> pinned(const std::string& cert_file);

  explicit tls_context(std::unique_ptr<boost::asio::ssl::context> context,
                       std::shared_ptr<void> kept = nullptr);
  ~tls_context();
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;

  /// OpenSSL counts references and locks on its own, so making connections of a const context is
  /// fine.
  boost::asio::ssl::context& native() const { return *context_; }

private:
  std::shared_ptr<void> kept_; ///< what the context refers to
  std::unique_ptr<boost::asio::ssl::context> context_;
};

} // namespace tidemark::net
