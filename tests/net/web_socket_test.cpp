// SPDX-License-Identifier: MIT
#include "tests/net/socket_peer.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

using plain_peer = socket_peer<plain_layer>;

plain_layer as_it_is(plain_layer s) { return s; }

/// Says everything back until the end.
template <class Stream> void echo(Stream& s) {
  for (;;) {
    boost::beast::flat_buffer buffer;
    s.read(buffer);
    s.text(s.got_text());
    s.write(buffer.data());
  }
}

net::socket_request to(std::uint16_t port, const std::string& scheme = "ws",
                       const std::string& host = "127.0.0.1") {
  net::socket_request r;
  r.target = {scheme, host, port, "/key?x=1"};
  r.timeout = 5s;
  r.reach = net::egress::private_ok;
  return r;
}

struct world {
  net::io_threads io{2};
  net::socket_client client{io.context()};
};

} // namespace

TEST_CASE("what is said comes back, and a ping its pong", "[socket]") {
  std::promise<std::string> seen;
  plain_peer peer(as_it_is, [&](plain_peer::stream& s, const plain_peer::request& head) {
    seen.set_value(std::string(head.target()) + " " + std::string(head["Host"]) + " " +
                   std::string(head["Authorization"]));
    echo(s);
  });
  world w;
  auto r = to(peer.port());
  r.headers = {{"Authorization", "Bearer x"}};
  listening at(w.client, r);
  REQUIRE(at.next() == "opened");
  CHECK(seen.get_future().get() ==
        "/key?x=1 127.0.0.1:" + std::to_string(peer.port()) + " Bearer x");
  at.socket->say("one");
  at.socket->say(std::string(100'000, 'x'));
  CHECK(at.read() == "said one");
  CHECK(at.read() == "said " + std::string(100'000, 'x'));
  at.socket->ping();
  CHECK(at.read() == "ponged");
  at.socket->say("three");
  CHECK(at.next() == "said three"); // the read of before
}

TEST_CASE("a message comes only when it is asked for", "[socket]") {
  plain_peer peer(as_it_is, [](plain_peer::stream& s, const plain_peer::request&) {
    for (int i = 0; i < 50'000; ++i)
      s.write(boost::asio::buffer(std::to_string(i)));
    echo(s);
  });
  world w;
  listening at(w.client, to(peer.port()));
  REQUIRE(at.next() == "opened");
  CHECK(at.next(100ms) == "nothing");
  CHECK(at.read() == "said 0");
  CHECK(at.next(100ms) == "nothing");
  CHECK(at.read() == "said 1");
}

TEST_CASE("how a socket ends", "[socket]") {
  struct row {
    const char* name;
    std::function<void(plain_peer::stream&)> act;
    const char* error;
  };
  const row rows[] = {
      {"a message that is too long",
       [](plain_peer::stream& s) {
         s.write(boost::asio::buffer(std::string(1'001, 'x')));
         echo(s);
       },
       "ended too_large 0 ws://127.0.0.1"},
      {"one in pieces that is too long",
       [](plain_peer::stream& s) {
         for (int i = 0; i < 11; ++i)
           s.write_some(false, boost::asio::buffer(std::string(100, 'x')));
         echo(s);
       },
       "ended too_large 0 ws://127.0.0.1"},
      {"a farewell",
       [](plain_peer::stream& s) {
         s.close({boost::beast::websocket::going_away, "bye\nnow"});
       },
       "it closed the connection: 1001 bye?now"},
      {"a cut", [](plain_peer::stream& s) { s.next_layer().close(); }, "the connection ended"},
      {"text that is no UTF-8",
       [](plain_peer::stream& s) {
         s.next_layer().write_some(boost::asio::buffer("\x81\x02\xff\xff", 4));
         echo(s);
       },
       "the connection ended"},
      {"what is no frame",
       [](plain_peer::stream& s) {
         s.next_layer().write_some(boost::asio::buffer("\xf3\x00", 2));
         echo(s);
       },
       "the connection ended"},
  };
  world w;
  for (const auto& row : rows) {
    INFO(row.name);
    plain_peer peer(as_it_is,
                    [&](plain_peer::stream& s, const plain_peer::request&) { row.act(s); });
    auto r = to(peer.port());
    r.max_message = 1'000;
    listening at(w.client, r);
    REQUIRE(at.next() == "opened");
    const auto end = at.read();
    CHECK(end.find("ended ") == 0);
    INFO(end);
    CHECK(end.find(row.error) != std::string::npos);
    CHECK(end.find("key") == std::string::npos); // of the URL only scheme and host
    at.socket->say("x");
    at.socket->read();
    CHECK(at.next(20ms) == "nothing");
  }
}

TEST_CASE("what is no WebSocket", "[socket]") {
  struct row {
    const char *name, *answer, *error;
  };
  const row rows[] = {
      {"401", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno",
       "ended malformed 401 ws://127.0.0.1"},
      {"429", "HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n", "ended malformed 429"},
      {"a redirect", "HTTP/1.1 301 x\r\nLocation: ws://h/\r\nContent-Length: 0\r\n\r\n",
       "ended malformed 301"},
      {"200", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ended malformed 200"},
      {"the wrong key",
       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
       "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
       "ended cut 0 ws://127.0.0.1"},
      {"no HTTP", "hello\r\n\r\n", "ended cut 0"},
      {"nothing", "", "ended timeout 0"},
      {"a head without an end", "HTTP/1.1 101 x\r\nA: ", "ended timeout 0"},
  };
  world w;
  for (const auto& row : rows) {
    INFO(row.name);
    script_server peer([&](raw_socket& p, int) {
      p.read_message();
      p.send(row.answer);
      p.read_to_end();
    });
    auto r = to(peer.port());
    r.timeout = 300ms;
    listening at(w.client, r);
    const auto end = at.next();
    INFO(end);
    CHECK(end.find(row.error) == 0);
  }
}

TEST_CASE("sockets that cannot be opened", "[socket]") {
  world w;
  std::uint16_t closed = 0;
  {
    script_server gone([](raw_socket&, int) {});
    closed = gone.port();
  }
  CHECK(listening(w.client, to(closed)).next().find("ended refused ") == 0);
  auto r = to(closed);
  r.reach = net::egress::public_only;
  CHECK(listening(w.client, r).next().find("ended refused_address ") == 0);
  CHECK(listening(w.client, to(closed, "http")).next().find("ended malformed ") == 0);
  r = to(closed);
  r.headers = {{"A", "b\r\nC: d"}};
  CHECK(listening(w.client, r).next().find("ended malformed ") == 0);
  CHECK(listening(w.client, to(closed, "ws", "no-such-host.invalid")).next().find("ended dns ") ==
        0);
}

TEST_CASE("a socket that is closed tells its peer, and nobody else", "[socket]") {
  std::atomic<bool> ended{false};
  plain_peer peer(as_it_is, [&](plain_peer::stream& s, const plain_peer::request&) {
    boost::beast::flat_buffer buffer;
    boost::system::error_code ec;
    s.read(buffer, ec);
    ended = static_cast<bool>(ec);
  });
  world w;
  listening at(w.client, to(peer.port()));
  REQUIRE(at.next() == "opened");
  at.socket->read();
  at.socket->close();
  CHECK(eventually([&] { return ended.load(); }));
  CHECK(at.next(20ms) == "nothing");
}

TEST_CASE("wss: only a peer with the right certificate is spoken to", "[socket]") {
  const certificate shown("DNS:localhost");
  const certificate other("DNS:localhost");
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_server);
  context.use_certificate_chain_file(shown.cert_file());
  context.use_private_key_file(shown.key_file(), boost::asio::ssl::context::pem);
  using tls_peer = socket_peer<tls_layer>;
  tls_peer peer(
      [&](plain_layer s) {
        tls_layer l(std::move(s), context);
        l.handshake(boost::asio::ssl::stream_base::server);
        return l;
      },
      [](tls_peer::stream& s, const tls_peer::request&) { echo(s); });
  world w;
  struct row {
    const char* name;
    std::string roots;
    const char *host, *first;
  };
  const row rows[] = {
      {"its own", shown.cert_file(), "localhost", "opened"},
      {"somebody else's", other.cert_file(), "localhost", "ended tls "},
      {"another name", shown.cert_file(), "127.0.0.1", "ended tls "},
      {"the system's", "", "localhost", "ended tls "},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    auto r = to(peer.port(), "wss", row.host);
    if (!row.roots.empty()) r.tls = *net::tls_context::client(row.roots);
    listening at(w.client, r);
    const auto first = at.next();
    INFO(first);
    CHECK(first.find(row.first) == 0);
    if (first != "opened") continue;
    at.socket->say(std::string(100'000, 'y'));
    CHECK(at.read() == "said " + std::string(100'000, 'y'));
  }
}

TEST_CASE("a stopped io_context with sockets open leaves nothing behind", "[socket]") {
  script_server peer([](raw_socket& p, int) { p.read_to_end(); });
  auto io = std::make_unique<net::io_threads>(2);
  auto client = std::make_unique<net::socket_client>(io->context());
  std::vector<std::shared_ptr<net::web_socket>> open;
  for (int i = 0; i < 5; ++i)
    open.push_back(client->open(to(peer.port()), [](const net::socket_event&) {}));
  CHECK(eventually([&] { return peer.connections() == 5; }));
  io->stop();
  client.reset();
  for (auto& s : open)
    s->close();
  open.clear();
  io.reset(); // the leak check of the sanitizer build says the rest
}
