// SPDX-License-Identifier: MIT
#include "actors/heads.hpp"

#include "tests/actors/fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::actors;
using namespace std::chrono_literals;

namespace {

/// A socket whose peer is the test.
struct fake_socket final : net::web_socket {
  net::socket_request asked;
  callback tell;
  std::vector<std::string> said;
  int reads = 0, pings = 0;
  bool closed = false;

  void read() override { ++reads; }
  void say(std::string text) override { said.push_back(std::move(text)); }
  void ping() override { ++pings; }
  void close() override { closed = true; }
};

struct heads_fixture : actor_fixture {
  std::vector<std::shared_ptr<fake_socket>> sockets;
  tide::endpoint_status status;
  std::vector<std::string> log, counted;
  int rings = 0;
  heads_actor heads;

  heads_fixture() {
    heads_params p;
    p.endpoint.name = "bell";
    p.endpoint.url = "wss://bell.example/KEY";
    p.endpoint.headers = {{"Authorization", "Bearer x"}};
    p.endpoint.timeout = 3s;
    p.chain_id = 1;
    p.open = [this](net::socket_request r, net::web_socket::callback done) {
      auto s = std::make_shared<fake_socket>();
      s->asked = std::move(r);
      s->tell = std::move(done);
      sockets.push_back(s);
      return s;
    };
    p.now = [this] { return now; };
    p.publish = [this](tide::endpoint_status s) { status = std::move(s); };
    p.ring = [this] { ++rings; };
    p.log = [this](bool warning, std::string_view t) {
      log.push_back((warning ? "! " : "") + std::string(t));
    };
    p.seed = 7;
    p.counted = [this](std::string_view method, std::string_view result, std::optional<double>) {
      counted.push_back(std::string(method) + " " + std::string(result));
    };
    heads = own(sys.spawn(make_heads, std::move(p)));
    run();
  }
  ~heads_fixture() { end(); }

  fake_socket& socket() { return *sockets.back(); }
  void tell(net::socket_event e) {
    socket().tell(std::move(e));
    run();
  }
  void say(const std::string& text) { tell(net::socket_said{text}); }
  void follow() {
    tell(net::socket_opened{});
    say(R"({"id":1,"result":"0x1"})");
    say(R"({"id":2,"result":"0x9"})");
  }
  void head(const std::string& number) {
    say(R"({"method":"eth_subscription","params":{"subscription":"0x9","result":{"number":")" +
        number + R"(","hash":"0x)" + std::string(64, 'a') + R"("}}})");
  }
};

} // namespace

TEST_CASE_METHOD(heads_fixture, "heads: from the connection to a ring", "[heads]") {
  REQUIRE(sockets.size() == 1);
  CHECK(socket().asked.target.host == "bell.example");
  CHECK(socket().asked.target.secure());
  CHECK(socket().asked.headers == net::header_list{{"Authorization", "Bearer x"}});
  CHECK(socket().asked.timeout == 3s);
  CHECK(status.state == tide::endpoint_state::failing);
  follow();
  REQUIRE(socket().said.size() == 2);
  CHECK(socket().said[0].find("eth_chainId") != std::string::npos);
  CHECK(socket().said[1].find(R"("eth_subscribe","params":["newHeads"])") != std::string::npos);
  CHECK(socket().reads == 3); // one more after each
  CHECK(rings == 1);
  advance(1s);
  head("0x5");
  CHECK(rings == 2);
  CHECK(status.state == tide::endpoint_state::ok);
  CHECK(status.head == 5U);
  CHECK(counted == std::vector<std::string>{"eth_chainId ok", "eth_subscribe ok",
                                            "eth_subscription ok"});
  CHECK(log.empty());
}

TEST_CASE_METHOD(heads_fixture, "heads: a broken one is closed, and opened again on the timer",
                 "[heads]") {
  follow();
  const auto first = sockets.back();
  say("<html>");
  CHECK(first->closed);
  CHECK(first->reads == 3); // nobody listens to it any more
  CHECK(status.state == tide::endpoint_state::failing);
  REQUIRE(log.size() == 1);
  CHECK(log[0].find("KEY") == std::string::npos);
  first->tell(net::socket_said{"late"});
  run();
  CHECK(first->reads == 3);
  advance(2s, 50ms);
  REQUIRE(sockets.size() == 2);
  follow();
  CHECK(status.state == tide::endpoint_state::ok);
  CHECK(status.errors == 1);
}

TEST_CASE_METHOD(heads_fixture, "heads: pings on the timer, and silence by what others show",
                 "[heads]") {
  follow();
  advance(21s, 1s);
  CHECK(socket().pings == 1);
  tell(net::socket_ponged{});
  caf::anon_send(heads, others_at{4});
  run();
  advance(12s, 1s);
  CHECK(sockets.front()->closed);
  REQUIRE(log.size() == 1);
  CHECK(log[0].find("fell silent") != std::string::npos);
}

TEST_CASE_METHOD(heads_fixture, "heads: how a socket ends, in the metrics' words", "[heads]") {
  tell(net::socket_ended{{net::failure::malformed, "wss://bell.example: HTTP 401", false}, 401});
  CHECK(status.state == tide::endpoint_state::refused);
  CHECK(counted.back() == "eth_chainId http_error");
  CHECK(arrival_of(net::socket_ended{{net::failure::timeout, "t", false}, 0}).index() == 3);
}

TEST_CASE_METHOD(heads_fixture, "heads: an actor that ends closes its socket", "[heads]") {
  const auto open = sockets.back();
  heads = heads_actor{};
  end();
  CHECK(open->closed);
}
