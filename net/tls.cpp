// SPDX-License-Identifier: MIT
#include "net/tls.hpp"

#include <boost/asio/ssl/context.hpp>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

namespace tidemark::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

evm::error bad(const char* what, const std::string& file, const error_code& ec) {
  return evm::fail(std::string(what) + " " + file + ": " + ec.message());
}

/// An encrypted key must be an error, not a question at the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

evm::result<std::unique_ptr<ssl::context>> fresh(ssl::context::method method) {
  auto out = std::make_unique<ssl::context>(method);
  if (SSL_CTX_set_min_proto_version(out->native_handle(), TLS1_2_VERSION) != 1)
    return evm::fail("OpenSSL does not know TLS 1.2");
  SSL_CTX_set_options(out->native_handle(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_default_passwd_cb(out->native_handle(), no_passphrase);
  // A kept connection is idle most of its life; without this each holds 34 KiB of buffers.
  SSL_CTX_set_mode(out->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  return out;
}

evm::result<void> load_pair(ssl::context& context, const std::string& cert_file,
                            const std::string& key_file) {
  error_code ec;
  context.use_certificate_chain_file(cert_file, ec);
  if (ec) return bad("certificate", cert_file, ec);
  context.use_private_key_file(key_file, ssl::context::pem, ec);
  if (ec) return bad("key", key_file, ec);
  if (SSL_CTX_check_private_key(context.native_handle()) != 1)
    return evm::fail("key " + key_file + " does not belong to certificate " + cert_file);
  return {};
}

/// In place of the whole verification.
int is_known(X509_STORE_CTX* shown, void* known) {
  const X509* leaf = X509_STORE_CTX_get0_cert(shown);
  const EVP_PKEY* ours = X509_get0_pubkey(static_cast<const X509*>(known));
  if (leaf != nullptr && ours != nullptr && EVP_PKEY_eq(X509_get0_pubkey(leaf), ours) == 1)
    return 1;
  X509_STORE_CTX_set_error(shown, X509_V_ERR_CERT_REJECTED);
  return 0;
}

} // namespace

tls_context::tls_context(std::unique_ptr<ssl::context> context, std::shared_ptr<void> kept)
    : kept_(std::move(kept)), context_(std::move(context)) {}
tls_context::~tls_context() = default;

evm::result<std::shared_ptr<const tls_context>> tls_context::server(const std::string& cert_file,
                                                                    const std::string& key_file) {
  auto context = fresh(ssl::context::tls_server);
  if (!context) return context.error();
  if (const auto loaded = load_pair(**context, cert_file, key_file); !loaded) return loaded.error();
  return std::make_shared<const tls_context>(std::move(*context));
}

evm::result<std::shared_ptr<const tls_context>> tls_context::pinned(const std::string& cert_file) {
  auto context = fresh(ssl::context::tls_client);
  if (!context) return context.error();
  const std::unique_ptr<BIO, decltype(&BIO_free)> file(BIO_new_file(cert_file.c_str(), "r"),
                                                       BIO_free);
  X509* read = file ? PEM_read_bio_X509(file.get(), nullptr, no_passphrase, nullptr) : nullptr;
  if (read == nullptr) return evm::fail("certificate " + cert_file + " cannot be read");
  std::shared_ptr<void> known(read, [](void* x) { X509_free(static_cast<X509*>(x)); });
  error_code ec;
  (*context)->set_verify_mode(ssl::verify_peer, ec);
  if (ec) return bad("verification", "", ec);
  SSL_CTX_set_cert_verify_callback((*context)->native_handle(), is_known, known.get());
  return std::make_shared<const tls_context>(std::move(*context), std::move(known));
}

evm::result<std::shared_ptr<const tls_context>> tls_context::client(const std::string& ca_file,
                                                                    const std::string& cert_file,
                                                                    const std::string& key_file) {
  auto context = fresh(ssl::context::tls_client);
  if (!context) return context.error();
  error_code ec;
  if (ca_file.empty())
    (*context)->set_default_verify_paths(ec);
  else
    (*context)->load_verify_file(ca_file, ec);
  if (ec) return bad("roots", ca_file.empty() ? "of the system" : ca_file, ec);
  (*context)->set_verify_mode(ssl::verify_peer, ec);
  if (ec) return bad("verification", "", ec);
  if (cert_file.empty() != key_file.empty())
    return evm::fail("a client certificate needs both its file and its key's");
  if (!cert_file.empty())
    if (const auto loaded = load_pair(**context, cert_file, key_file); !loaded)
      return loaded.error();
  return std::make_shared<const tls_context>(std::move(*context));
}

} // namespace tidemark::net
