// SPDX-License-Identifier: MIT
#include "net/http_client.hpp"

#include "net/io_threads.hpp"
#include "tests/net/served.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace tidemark;
using namespace tidemark::tests;
using net::failure;
using net::tls_context;

namespace {

net::client_result ask(net::http_client& client, net::client_request r) {
  std::promise<net::client_result> said;
  client.send(std::move(r), [&](net::client_result result) { said.set_value(std::move(result)); });
  return said.get_future().get();
}

net::client_request to(const std::string& host, std::uint16_t port,
                       std::shared_ptr<const tls_context> tls) {
  net::client_request r;
  r.target = {"https", host, port, "/echo"};
  r.body = std::make_shared<const std::string>(100'000, 'x');
  r.reach = net::egress::private_ok;
  r.tls = std::move(tls);
  return r;
}

} // namespace

TEST_CASE("only a peer with the right certificate is spoken to", "[tls]") {
  const certificate named("DNS:localhost");
  const certificate numbered("IP:127.0.0.1");
  const certificate other("DNS:other.example");
  struct row {
    const char* name;
    const certificate& shown;
    std::string roots;
    const char* host;
    const char* error; ///< null: accepted
  };
  const std::vector<row> rows{
      {"self-signed, the system's roots", named, "", "localhost", "self-signed certificate"},
      {"own roots", named, named.cert_file(), "localhost", nullptr},
      {"own roots, an address", numbered, numbered.cert_file(), "127.0.0.1", nullptr},
      {"somebody else's roots", named, other.cert_file(), "localhost", "self-signed certificate"},
      {"another host's certificate", other, other.cert_file(), "localhost", "hostname mismatch"},
      {"a name's certificate for an address", named, named.cert_file(), "127.0.0.1",
       "IP address mismatch"},
  };
  net::io_threads io(2);
  net::http_client client(io.context());
  for (const auto& r : rows) {
    INFO(r.name);
    const auto shown = tls_context::server(r.shown.cert_file(), r.shown.key_file());
    REQUIRE(shown.has_value());
    served s({}, *shown);
    const auto trusted = tls_context::client(r.roots);
    REQUIRE(trusted.has_value());
    for (int i = 0; i < 3; ++i) {
      const auto result = ask(client, to(r.host, s.port, *trusted));
      CHECK(result.has_value() == (r.error == nullptr));
      if (result.has_value()) {
        CHECK(result->body == std::string(100'000, 'x'));
        CHECK(s.server.open_connections() == 1); // kept
      } else {
        CHECK(result.error().kind == failure::tls);
        CHECK_FALSE(result.error().sent);
        INFO(result.error().text);
        CHECK(result.error().text.find(r.error) != std::string::npos);
      }
    }
  }
}

TEST_CASE("without own roots the system's count, and do not know a stranger", "[tls]") {
  const certificate shown("DNS:localhost");
  served s({}, *tls_context::server(shown.cert_file(), shown.key_file()));
  net::io_threads io(1);
  net::http_client client(io.context());
  CHECK(ask(client, to("localhost", s.port, nullptr)).error().kind == failure::tls);
}

TEST_CASE("TLS asked of a plain server, and nothing of a TLS one", "[tls]") {
  const certificate shown("DNS:localhost");
  const auto trusted = *tls_context::client(shown.cert_file());
  net::io_threads io(1);
  net::http_client client(io.context());
  served plain;
  CHECK(ask(client, to("localhost", plain.port, trusted)).error().kind == failure::tls);

  net::server_limits limits;
  limits.header = 80ms;
  served s(limits, *tls_context::server(shown.cert_file(), shown.key_file()));
  raw_socket silent = s.connect();
  CHECK(silent.read_to_end().empty());
  CHECK_FALSE(silent.timed_out());
  raw_socket http = s.connect();
  http.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  CHECK(http.read_to_end().find("HTTP/") == std::string::npos);
  CHECK(eventually([&] { return s.server.open_connections() == 0; }));
}

TEST_CASE("a TLS refusal is heard by a client that is still sending", "[tls]") {
  const certificate shown("DNS:localhost");
  net::server_limits limits;
  limits.max_body = 1000;
  served s(limits, *tls_context::server(shown.cert_file(), shown.key_file()));
  net::io_threads io(1);
  net::http_client client(io.context());
  const auto result = ask(client, to("localhost", s.port, *tls_context::client(shown.cert_file())));
  REQUIRE(result.has_value());
  CHECK(result->status == 413);
}

TEST_CASE("certificates that cannot be used are errors with the file's name", "[tls]") {
  const certificate a("DNS:a");
  const certificate b("DNS:b");
  CHECK(tls_context::server("/nowhere/cert.pem", a.key_file())
            .error()
            .text.find("/nowhere/cert.pem") != std::string::npos);
  CHECK(tls_context::server(a.cert_file(), "/nowhere/key.pem")
            .error()
            .text.find("/nowhere/key.pem") != std::string::npos);
  CHECK(tls_context::server(a.cert_file(), b.key_file()).has_error());
  CHECK(tls_context::client(a.key_file()).has_error());
  CHECK(tls_context::client({}, a.cert_file(), {}).has_error());
  CHECK(tls_context::client(a.cert_file(), a.cert_file(), a.key_file()).has_value());
}
