// SPDX-License-Identifier: MIT
#include "net/http_client.hpp"

#include "net/io_threads.hpp"
#include "tests/net/served.hpp"

#include <boost/asio/ssl/context.hpp>
#include <catch2/catch.hpp>

#include <future>

using namespace tidemark;
using namespace tidemark::tests;
using net::tls_context;

namespace {

namespace ssl = boost::asio::ssl;

/// A server that takes only who shows a certificate of `clients`, in one version of TLS.
std::shared_ptr<const tls_context> asking(const certificate& own, const certificate& clients,
                                          int version) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->use_certificate_chain_file(own.cert_file());
  context->use_private_key_file(own.key_file(), ssl::context::pem);
  context->load_verify_file(clients.cert_file());
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  REQUIRE(SSL_CTX_set_min_proto_version(context->native_handle(), version) == 1);
  REQUIRE(SSL_CTX_set_max_proto_version(context->native_handle(), version) == 1);
  return std::make_shared<const tls_context>(std::move(context));
}

} // namespace

// In TLS 1.3 the client is done before the server has judged its certificate: the refusal is an
// alert in the place of the answer. It is the handler that is broken, not the message.
TEST_CASE("a client certificate that is refused is a TLS failure in every version", "[tls]") {
  const certificate server("DNS:localhost");
  const certificate known("DNS:client");
  const certificate stranger("DNS:stranger");
  struct row {
    const char* name;
    const certificate* shown; ///< null: none
    bool taken;
  };
  const row rows[] = {
      {"the one it knows", &known, true},
      {"none", nullptr, false},
      {"somebody else's", &stranger, false},
  };
  net::io_threads io(2);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    served s({}, asking(server, known, version));
    for (const auto& r : rows) {
      INFO(r.name << ", TLS " << (version == TLS1_2_VERSION ? "1.2" : "1.3"));
      const auto own = r.shown ? tls_context::client(server.cert_file(), r.shown->cert_file(),
                                                     r.shown->key_file())
                               : tls_context::client(server.cert_file());
      REQUIRE(own.has_value());
      net::http_client client(io.context());
      for (int i = 0; i < 20; ++i) {
        net::client_request q;
        q.target = {"https", "localhost", s.port, "/echo"};
        q.body = std::make_shared<const std::string>(i % 2 == 0 ? 10 : 300'000, 'x');
        q.reach = net::egress::private_ok;
        q.tls = *own;
        std::promise<net::client_result> said;
        client.send(std::move(q), [&](net::client_result a) { said.set_value(std::move(a)); });
        const auto result = said.get_future().get();
        CHECK(result.has_value() == r.taken);
        if (result.has_value()) continue;
        INFO(result.error().text);
        CHECK(result.error().kind == net::failure::tls);
      }
    }
  }
}
