// SPDX-License-Identifier: MIT
#include "tests/net/asking.hpp"
#include "tests/net/served.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tests;
using net::failure;

TEST_CASE("connections are kept and used again", "[client]") {
  script_server peer(always(answer_of("abc")));
  asking a;
  for (int i = 0; i < 10; ++i)
    REQUIRE(a.ask(a.request(peer.port())).has_value());
  CHECK(peer.connections() == 1);
}

TEST_CASE("as many connections are kept as were in use at once", "[client]") {
  constexpr int at_once = 40;
  std::atomic<int> asked{0};
  std::atomic<int> wave{1};
  script_server peer([&](raw_socket& p, int) {
    while (!p.read_message().empty()) {
      ++asked;
      eventually([&] { return asked.load() >= at_once * wave.load(); });
      p.send(answer_of("abc"));
    }
  });
  asking a;
  for (; wave <= 3; ++wave) {
    std::vector<std::future<net::client_result>> all;
    for (int i = 0; i < at_once; ++i)
      all.push_back(a.begin(a.request(peer.port())));
    for (auto& one : all)
      REQUIRE(one.get().has_value());
  }
  CHECK(peer.connections() == at_once);
}

TEST_CASE("what may not be kept is not", "[client]") {
  for (const std::string& text :
       {std::string("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
        answer_of("abc", "Connection: close\r\n"), answer_of("abc") + "more"}) {
    script_server peer(always(text));
    asking a;
    for (int i = 0; i < 2; ++i)
      REQUIRE(a.ask(a.request(peer.port())).has_value());
    CHECK(peer.connections() == 2);
  }
}

TEST_CASE("a kept connection that ended meanwhile does no harm", "[client]") {
  SECTION("ended while idle") {
    script_server peer(once(answer_of("abc")));
    asking a;
    for (int i = 0; i < 5; ++i)
      REQUIRE(a.ask(a.request(peer.port())).has_value());
    CHECK(peer.connections() == 5);
  }
  SECTION("ended when the next request came: sent once more") {
    script_server peer([](raw_socket& p, int nth) {
      p.read_message();
      p.send(answer_of("abc"));
      p.read_message();
      if (nth == 0) return;
      p.send(answer_of("def"));
      p.read_message();
    });
    asking a;
    REQUIRE(a.ask(a.request(peer.port())).has_value());
    const auto again = a.ask(a.request(peer.port()));
    REQUIRE(again.has_value());
    CHECK(again->body == "abc");
    CHECK(peer.connections() == 2);
  }
  SECTION("but not when an answer had begun") {
    script_server peer([](raw_socket& p, int) {
      p.read_message();
      p.send(answer_of("abc"));
      p.read_message();
      p.send("HTTP/1.1 200");
    });
    asking a;
    REQUIRE(a.ask(a.request(peer.port())).has_value());
    const auto cut = a.ask(a.request(peer.port()));
    REQUIRE(cut.has_error());
    CHECK(cut.error().kind == failure::cut);
    CHECK(peer.connections() == 1);
  }
  SECTION("and a fresh one that ends is not tried again") {
    script_server peer([](raw_socket& p, int) { p.read_message(); });
    asking a;
    CHECK(a.ask(a.request(peer.port())).error().kind == failure::cut);
    CHECK(peer.connections() == 1);
  }
  SECTION("a reset is a cut") {
    script_server peer([](raw_socket& p, int) {
      p.read_message();
      p.reset();
    });
    asking a;
    CHECK(a.ask(a.request(peer.port())).error().kind == failure::cut);
  }
}

TEST_CASE("idle connections are closed in time", "[client]") {
  std::atomic<bool> ended{false};
  script_server peer([&](raw_socket& p, int) {
    p.read_message();
    p.send(answer_of("abc"));
    ended = p.read_some().empty() && !p.timed_out();
  });
  net::client_limits limits;
  limits.idle = 60ms;
  asking a(limits);
  REQUIRE(a.ask(a.request(peer.port())).has_value());
  CHECK(eventually([&] { return ended.load(); }));
}

TEST_CASE("connections per origin are bounded, and the rest waits", "[client]") {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  script_server peer([&](raw_socket& p, int) {
    while (!p.read_message().empty()) {
      most = std::max(most.load(), ++now);
      std::this_thread::sleep_for(5ms);
      --now;
      p.send(answer_of("abc"));
    }
  });
  net::client_limits limits;
  limits.max_per_origin = 3;
  asking a(limits);
  std::vector<std::future<net::client_result>> all;
  for (int i = 0; i < 30; ++i)
    all.push_back(a.begin(a.request(peer.port())));
  for (auto& one : all)
    CHECK(one.get().has_value());
  CHECK(peer.connections() == 3);
  CHECK(most == 3);
}

TEST_CASE("waiting for a connection counts as time", "[client]") {
  script_server peer([](raw_socket& p, int) { p.read_to_end(); });
  net::client_limits limits;
  limits.max_per_origin = 1;
  asking a(limits);
  auto first = a.request(peer.port());
  first.timeout = 100ms;
  auto second = first;
  second.timeout = 50ms;
  auto one = a.begin(std::move(first));
  auto two = a.begin(std::move(second));
  const auto waited = two.get();
  REQUIRE(waited.has_error());
  CHECK(waited.error().kind == failure::timeout);
  CHECK_FALSE(waited.error().sent);
  CHECK(one.get().error().sent);
}

TEST_CASE("a client that goes away answers what is open", "[client]") {
  script_server peer([](raw_socket& p, int) { p.read_to_end(); });
  net::io_threads io(2);
  std::promise<net::client_result> said;
  {
    net::http_client client(io.context());
    net::client_request r;
    r.target = {"http", "127.0.0.1", peer.port(), "/"};
    r.reach = net::egress::anything;
    client.send(std::move(r),
                [&](net::client_result result) { said.set_value(std::move(result)); });
    CHECK(eventually([&] { return peer.connections() == 1; }));
  }
  CHECK(said.get_future().get().error().kind == failure::cut);
}

TEST_CASE("what one sender has open is cut, before what comes later goes", "[client]") {
  std::atomic<int> ended{0};
  std::atomic<int> ended_before_third{-1};
  script_server peer([&](raw_socket& p, int) {
    const auto head = p.read_message();
    if (head.find("/third") != std::string::npos) {
      std::this_thread::sleep_for(20ms); // for the other's end to be seen
      ended_before_third = ended.load();
      p.send(answer_of("abc"));
      return;
    }
    p.read_to_end();
    ++ended;
  });
  asking a;
  const auto from = [&](const char* sender, const char* path) {
    auto r = a.request(peer.port(), path);
    r.sender = sender;
    return r;
  };
  auto first = a.begin(from("a", "/first"));
  auto second = a.begin(from("b", "/second"));
  CHECK(eventually([&] { return peer.connections() == 2; }));
  a.client.cut("a");
  CHECK(a.ask(from("a", "/third")).has_value());
  CHECK(ended_before_third == 1);
  CHECK(first.get().error().kind == failure::cut);
  CHECK(second.wait_for(0s) == std::future_status::timeout);
  a.client.cut("b");
  CHECK(second.get().error().kind == failure::cut);
}

TEST_CASE("a stopped io_context with requests open leaves nothing behind", "[client]") {
  script_server peer([](raw_socket& p, int) { p.read_to_end(); });
  auto io = std::make_unique<net::io_threads>(2);
  auto client = std::make_unique<net::http_client>(io->context());
  for (int i = 0; i < 5; ++i) {
    net::client_request r;
    r.target = {"http", "127.0.0.1", peer.port(), "/"};
    r.reach = net::egress::anything;
    client->send(std::move(r), [](const net::client_result&) {});
  }
  CHECK(eventually([&] { return peer.connections() == 5; }));
  io->stop();
  client.reset();
  io.reset(); // the leak check of the sanitizer build says the rest
}

TEST_CASE("many requests at once come back, each with its own answer", "[client]") {
  served s;
  net::client_limits limits;
  limits.max_per_origin = 8;
  asking a(limits);
  std::vector<std::future<net::client_result>> all;
  for (int i = 0; i < 500; ++i) {
    auto r = a.request(s.port, "/echo");
    r.body = std::make_shared<const std::string>(static_cast<std::size_t>(i) * 37,
                                                 static_cast<char>('a' + i % 26));
    all.push_back(a.begin(std::move(r)));
  }
  for (int i = 0; i < 500; ++i) {
    const auto result = all[static_cast<std::size_t>(i)].get();
    REQUIRE(result.has_value());
    REQUIRE(result->body ==
            std::string(static_cast<std::size_t>(i) * 37, static_cast<char>('a' + i % 26)));
  }
}
