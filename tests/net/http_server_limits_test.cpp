// SPDX-License-Identifier: MIT
#include "tests/net/served.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

std::string post(const std::string& path, const std::string& body, const std::string& more = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + more + "\r\n" + body;
}

const std::string closing = "Connection: close\r\n";

} // namespace

TEST_CASE("slow clients are timed out", "[server]") {
  net::server_limits limits;
  limits.header = limits.body = 80ms;
  limits.idle = 120ms;
  served s(limits);
  const auto began = std::chrono::steady_clock::now();
  SECTION("in the headers, though bytes keep coming") {
    raw_socket c = s.connect();
    c.send("GET /say HTTP/1.1\r\n");
    std::thread dripping([&] {
      while (c.send("X: y\r\n") && std::chrono::steady_clock::now() - began < 1s)
        std::this_thread::sleep_for(10ms);
    });
    CHECK(parse_answer(c.read_message()).status == 408);
    dripping.join();
  }
  SECTION("in the body") {
    raw_socket c = s.connect();
    c.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
    const auto a = parse_answer(c.read_to_end());
    CHECK(a.status == 408);
    CHECK(a.has("Connection: close"));
  }
  SECTION("in the chunks") {
    CHECK(parse_answer(
              s.talk("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab"))
              .status == 408);
  }
  SECTION("before the first byte, without a word") {
    raw_socket c = s.connect();
    CHECK(c.read_to_end().empty());
    CHECK_FALSE(c.timed_out());
  }
  SECTION("between requests, without a word") {
    raw_socket c = s.connect();
    c.send(post("/echo", "a"));
    CHECK(parse_answer(c.read_message()).status == 200);
    CHECK(c.read_to_end().empty());
    CHECK_FALSE(c.timed_out());
    CHECK(std::chrono::steady_clock::now() - began >= 120ms);
  }
  CHECK(std::chrono::steady_clock::now() - began < 2s);
  CHECK(eventually([&] { return s.server.open_connections() == 0; }));
  CHECK(s.server.in_flight_bytes() == 0);
}

TEST_CASE("a body or head that ends early is 400", "[server]") {
  served s;
  for (const char* const text :
       {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc", "GET /say HTT"}) {
    raw_socket c = s.connect();
    c.send(text);
    c.end_sending();
    CHECK(parse_answer(c.read_to_end()).status == 400);
  }
  raw_socket gone = s.connect();
  gone.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
  gone.reset();
  CHECK(eventually(
      [&] { return s.server.open_connections() == 0 && s.server.open_requests() == 0; }));
  CHECK(s.server.in_flight_bytes() == 0);
}

TEST_CASE("a lost slot is 503, and so is one that stays silent", "[server]") {
  net::server_limits limits;
  limits.answer = 100ms;
  served s(limits);
  raw_socket c = s.connect();
  c.send(post("/drop", "1") + post("/hold", "2") + post("/echo", "3"));
  for (int i = 0; i < 2; ++i) {
    const auto a = parse_answer(c.read_message());
    CHECK(a.status == 503);
    CHECK(a.has("Retry-After: 1"));
  }
  CHECK(parse_answer(c.read_message()).body == "3");
  s.release("too late"); // must not reach anybody
  c.send(post("/echo", "4", closing));
  CHECK(parse_answer(c.read_to_end()).body == "4");
}

TEST_CASE("a slot answers once, from whatever thread", "[server]") {
  served s;
  std::vector<raw_socket> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(s.connect());
    clients.back().send(post("/hold", "x", closing));
  }
  REQUIRE(eventually([&] { return s.held() == 20; }));
  std::vector<net::reply_slot> slots;
  {
    const std::lock_guard lock(s.mutex);
    slots.swap(s.slots);
  }
  const auto race = [&slots](const char* body) {
    for (const auto& slot : slots)
      slot.deliver({200, "text/plain", body, {}, false});
  };
  std::thread other(race, "left");
  race("side");
  other.join();
  for (auto& c : clients) {
    const auto a = parse_answer(c.read_to_end());
    CHECK((a.body == "left" || a.body == "side"));
  }
}

TEST_CASE("bodies in flight are bounded", "[server]") {
  net::server_limits limits;
  limits.max_in_flight_bytes = 100;
  served s(limits);
  raw_socket first = s.connect();
  first.send(post("/hold", std::string(80, 'x')));
  REQUIRE(eventually([&] { return s.held() == 1; }));
  CHECK(s.server.in_flight_bytes() == 80);

  raw_socket second = s.connect();
  second.send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 21\r\n\r\n"); // decided before the body
  const auto a = parse_answer(second.read_message());
  CHECK(a.status == 503);
  CHECK(a.has("Retry-After: 1"));
  const std::string chunked =
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
  CHECK(parse_answer(s.talk(chunked + "a\r\n0123456789\r\nb\r\n")).status == 503);
  CHECK(parse_answer(s.talk(post("/echo", std::string(20, 'y'), closing))).status == 200);

  s.release("done");
  CHECK(parse_answer(first.read_message()).status == 200);
  CHECK(s.server.in_flight_bytes() == 0);
  CHECK(parse_answer(s.talk(post("/echo", std::string(100, 'y'), closing))).status == 200);
}

TEST_CASE("connections are bounded", "[server]") {
  net::server_limits limits;
  limits.max_connections = 2;
  served s(limits);
  raw_socket a = s.connect();
  raw_socket b = s.connect();
  REQUIRE(eventually([&] { return s.server.open_connections() == 2; }));
  raw_socket c = s.connect();
  const auto refused = parse_answer(c.read_to_end());
  CHECK(refused.status == 503);
  CHECK(refused.has("Retry-After: 1"));
  c.close();
  a.close();
  REQUIRE(eventually([&] { return s.server.open_connections() == 1; }));
  CHECK(parse_answer(s.talk(post("/echo", "in", closing))).body == "in");
}

TEST_CASE("a drain lets open requests finish and nothing else", "[server]") {
  served s;
  raw_socket idle = s.connect();
  idle.send(post("/echo", "a"));
  idle.read_message();
  raw_socket fresh = s.connect();
  raw_socket busy = s.connect();
  busy.send(post("/hold", "b"));
  raw_socket halfway = s.connect();
  halfway.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nc");
  REQUIRE(eventually([&] {
    return s.held() == 1 && s.server.open_requests() == 2 && s.server.open_connections() == 4;
  }));

  s.server.stop_accepting();
  CHECK(idle.read_to_end().empty());
  CHECK(fresh.read_to_end().empty());
  CHECK_FALSE(fresh.timed_out());
  CHECK(eventually([&] {
    try {
      s.connect();
      return false;
    } catch (const std::exception&) {
      return true;
    }
  }));
  CHECK(s.server.open_requests() == 2);
  s.release("b");
  halfway.send("d");
  for (raw_socket* const c : {&busy, &halfway}) {
    const auto a = parse_answer(c->read_to_end());
    CHECK(a.status == 200);
    CHECK(a.has("Connection: close"));
    c->close();
  }
  CHECK(s.server.open_requests() == 0);
  CHECK(eventually([&] { return s.server.open_connections() == 0; }));
}

TEST_CASE("close_all cuts what is open", "[server]") {
  served s;
  raw_socket c = s.connect();
  raw_socket waiting = s.connect();
  c.send(post("/hold", "b"));
  REQUIRE(eventually([&] { return s.held() == 1; }));
  s.server.close_all();
  CHECK(waiting.read_to_end().empty());
  CHECK(c.read_to_end().empty());
  CHECK_FALSE(c.timed_out());
  s.release("nobody");
  CHECK(eventually(
      [&] { return s.server.open_connections() == 0 && s.server.open_requests() == 0; }));
}
