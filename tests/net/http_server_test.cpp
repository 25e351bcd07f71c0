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

TEST_CASE("a request is understood and answered", "[server]") {
  served s;
  const auto a =
      parse_answer(s.talk("POST /say/a%20b?x=1&y HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nx-one: 2\r\n"
                          "Content-Length: 3\r\nConnection: close\r\n\r\nabc"));
  CHECK(a.status == 200);
  CHECK(a.has("\r\nContent-Type: text/plain\r\n"));
  CHECK(a.has("\r\nDate: "));
  CHECK(a.has("\r\nConnection: close"));
  CHECK(a.body == "POST /say/a%20b ?x=1&y 3 "
                  "127.0.0.1\nHost=h\nX-One=1\nx-one=2\nContent-Length=3\nConnection=close\n");
}

TEST_CASE("bytes may come one by one", "[server]") {
  served s;
  raw_socket c = s.connect();
  for (const char byte : post("/echo", "hello") + "GET /say HTTP/1.1\r\nHost: h\r\n\r\n") {
    c.send({&byte, 1});
    std::this_thread::sleep_for(200us);
  }
  CHECK(parse_answer(c.read_message()).body == "hello");
  CHECK(parse_answer(c.read_message()).body == "GET /say ? 0 127.0.0.1\nHost=h\n");
}

TEST_CASE("chunks are joined, in whatever pieces they come", "[server]") {
  const std::string text = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "3\r\nabc\r\n5;ext=1\r\ndefgh\r\n0\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n";
  served s;
  raw_socket c = s.connect();
  c.send(text);
  CHECK(parse_answer(c.read_message()).body == "abcdefgh");
  for (const char byte : text)
    c.send({&byte, 1});
  CHECK(parse_answer(c.read_message()).body == "abcdefgh");
}

TEST_CASE("an empty chunked body may come in any pieces", "[server]") {
  served s;
  raw_socket c = s.connect();
  c.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char* const piece : {"0\r\n", "\r", "\n"}) {
    std::this_thread::sleep_for(10ms);
    c.send(piece);
  }
  CHECK(parse_answer(c.read_message()).status == 200);
}

TEST_CASE("a trailer does not pass for a header", "[server]") {
  served s;
  const auto a = parse_answer(s.talk(
      "POST /say HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "1\r\na\r\n0\r\nX-Signature: forged\r\n\r\n"));
  CHECK(a.status == 200);
  CHECK(a.body.find("forged") == std::string::npos);
}

TEST_CASE("large bodies go through whole", "[server]") {
  served s;
  std::string body(3 * 1024 * 1024 + 17, 'x');
  for (std::size_t i = 0; i < body.size(); i += 997)
    body[i] = static_cast<char>('a' + i % 26);
  raw_socket c = s.connect();
  std::thread writing([&] { c.send(post("/echo", body)); });
  const bool same = parse_answer(c.read_message()).body == body;
  writing.join();
  CHECK(same);
  CHECK(s.server.in_flight_bytes() == 0);
}

TEST_CASE("pipelined requests are answered in order", "[server]") {
  served s;
  raw_socket c = s.connect();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += post("/echo", "n" + std::to_string(i)) + (i % 7 == 0 ? "\r\n" : "");
  c.send(all);
  for (int i = 0; i < 50; ++i)
    REQUIRE(parse_answer(c.read_message()).body == "n" + std::to_string(i));
}

TEST_CASE("the next request waits for the answer to the last", "[server]") {
  served s;
  raw_socket c = s.connect();
  c.send(post("/hold", "1") + post("/hold", "2"));
  REQUIRE(eventually([&] { return s.held() == 1; }));
  std::this_thread::sleep_for(30ms);
  CHECK(s.held() == 1);
  CHECK(s.server.open_requests() == 1);
  s.release("first");
  CHECK(parse_answer(c.read_message()).body == "first");
  REQUIRE(eventually([&] { return s.held() == 1; }));
  s.release("second");
  CHECK(parse_answer(c.read_message()).body == "second");
}

TEST_CASE("what cannot be served has its status", "[server]") {
  struct row {
    const char* name;
    std::string text;
    unsigned status;
  };
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\n";
  const std::vector<row> rows{
      {"no HTTP", "hello\r\n\r\n", 400},
      {"HTTP/2.0", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", 400},
      {"no Host", "GET /say HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", "GET /say HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"target no path", "GET say HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"header without colon", "GET /say HTTP/1.1\r\nHost: h\r\nfoo\r\n\r\n", 400},
      {"bare LF", "GET /say HTTP/1.1\nHost: h\n\n\r\n\r\n", 400},
      {"length no number", head + "Content-Length: x\r\n\r\n", 400},
      {"length negative", head + "Content-Length: -1\r\n\r\n", 400},
      {"two lengths", head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
      {"two lengths that agree", head + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400},
      {"a list of lengths", head + "Content-Length: 1, 1\r\n\r\na", 400},
      {"a folded line", "GET /say HTTP/1.1\r\nHost: h\r\nX-A: b\r\n c\r\n\r\n", 400},
      {"a folded line by a tab", "GET /say HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\tc\r\n\r\n", 400},
      {"length and chunks",
       head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"chunks in HTTP/1.0", "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       400},
      {"chunk size no number", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"chunk longer than said", head + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400},
      {"another coding", head + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {"no length", head + "\r\n", 411},
      {"length beyond the limit", head + "Content-Length: 1001\r\n\r\n", 413},
      {"length beyond 64 bits", head + "Content-Length: 99999999999999999999\r\n\r\n", 400},
      {"chunks beyond the limit",
       head + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n",
       413},
      {"chunk beyond the limit", head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
       413},
      {"unknown expectation", head + "Content-Length: 1\r\nExpect: tea\r\n\r\n", 417},
      {"headers too large",
       "GET /say HTTP/1.1\r\nHost: h\r\nX: " + std::string(2100, 'x') + "\r\n\r\n", 431},
      {"too many headers",
       [] {
         std::string out = "GET /say HTTP/1.1\r\nHost: h\r\n";
         for (int i = 0; i < 300; ++i)
           out += "X: 12345\r\n";
         return out + "\r\n";
       }(),
       431},
      {"refused by the head", "GET /none HTTP/1.1\r\nHost: h\r\n\r\n", 404},
      {"refused before its body", "DELETE /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 500\r\n\r\n",
       405},
  };
  net::server_limits limits;
  limits.max_header = 2048;
  limits.max_body = 1000;
  served s(limits);
  for (const auto& r : rows) {
    INFO(r.name);
    raw_socket c = s.connect();
    c.send(r.text);
    const auto a = parse_answer(c.read_message());
    CHECK(a.status == r.status);
    CHECK(a.has("application/problem+json"));
    CHECK(a.body.find("\"error\":\"") != std::string::npos);
    if (r.status != 404) CHECK(a.has("Connection: close"));
    if (r.status != 404) CHECK(c.read_to_end().empty());
    CHECK_FALSE(c.timed_out());
  }
  CHECK(
      eventually([&] { return s.server.open_requests() == 0 && s.server.in_flight_bytes() == 0; }));
}

TEST_CASE("headers that trickle in are counted all the same", "[server]") {
  net::server_limits limits;
  limits.max_header = 1024;
  served s(limits);
  raw_socket c = s.connect();
  c.send("GET /say HTTP/1.1\r\nHost: h\r\n");
  for (int i = 0; i < 200 && c.send("X-Line: 12345678901234567890\r\n"); ++i)
    std::this_thread::sleep_for(500us);
  CHECK(parse_answer(c.read_message()).status == 431);
}

TEST_CASE("a refusal reaches a client that is still sending", "[server]") {
  net::server_limits limits;
  limits.max_body = 1000;
  served s(limits);
  raw_socket c = s.connect();
  c.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n");
  c.send(std::string(200'000, 'x'));
  CHECK(parse_answer(c.read_message()).status == 413);
}

TEST_CASE("a refusal whose body is here keeps the connection", "[server]") {
  served s;
  raw_socket c = s.connect();
  c.send(post("/none", "12345") + post("/echo", "ok"));
  CHECK(parse_answer(c.read_message()).status == 404);
  CHECK(parse_answer(c.read_message()).body == "ok");
}

TEST_CASE("HEAD has the length and no body, 204 neither", "[server]") {
  served s;
  raw_socket c = s.connect();
  c.send("HEAD /say HTTP/1.1\r\nHost: h\r\n\r\nGET /empty HTTP/1.1\r\nHost: h\r\n\r\nGET /say "
         "HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string all = c.read_to_end();
  const auto second = all.find("HTTP/1.1 204 No Content\r\n");
  const auto third = all.rfind("HTTP/1.1 200 OK\r\n");
  REQUIRE(second != std::string::npos);
  REQUIRE(third > second);
  const std::string first = all.substr(0, second);
  CHECK(first.find("Content-Length: 31\r\n") != std::string::npos);
  CHECK(first.substr(first.size() - 4) == "\r\n\r\n");
  CHECK(all.substr(second, third - second).find("Content-Length") == std::string::npos);
}

TEST_CASE("100-continue is sent when the body is wanted, and only then", "[server]") {
  served s;
  raw_socket c = s.connect();
  c.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  CHECK(c.read_some() == "HTTP/1.1 100 Continue\r\n\r\n");
  c.send("abc");
  CHECK(parse_answer(c.read_message()).body == "abc");
  c.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: "
         "100-Continue\r\n\r\n");
  CHECK(c.read_some() == "HTTP/1.1 100 Continue\r\n\r\n");
  c.send("1\r\na\r\n0\r\n\r\n");
  CHECK(parse_answer(c.read_message()).body == "a");
  c.send("POST /none HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  CHECK(parse_answer(c.read_message()).status == 404);
}

TEST_CASE("HTTP/1.0 ends, unless it asks to stay", "[server]") {
  served s;
  CHECK(parse_answer(s.talk("GET /say HTTP/1.0\r\n\r\n")).status == 200);
  raw_socket c = s.connect();
  c.send("GET /say HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(parse_answer(c.read_message()).has("Connection: keep-alive"));
  c.send("GET http://h/say?q HTTP/1.0\r\n\r\n");
  CHECK(parse_answer(c.read_to_end()).body == "GET /say ?q 0 127.0.0.1\n");
}

TEST_CASE("POST without a length may be allowed", "[server]") {
  net::server_limits limits;
  limits.require_length = false;
  served s(limits);
  CHECK(parse_answer(s.talk("POST /say HTTP/1.1\r\nHost: h\r\n" + closing + "\r\n")).status == 200);
}

TEST_CASE("a port that is taken, and an address that is none, are errors", "[server]") {
  served s;
  net::http_server other(s.io.context(), {}, nullptr, nullptr);
  CHECK(other.listen("127.0.0.1", s.port).error().text.find("in use") != std::string::npos);
  CHECK(other.listen("localhost", 0).has_error());
}

TEST_CASE("the host of an absolute target takes the place of the header's", "[server]") {
  served s;
  for (const auto* target : {"http://other.example:81/say", "http://other.example:81"}) {
    const auto a = parse_answer(
        s.talk(std::string("GET ") + target + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    INFO(a.body);
    CHECK(a.body.find("Host=other.example:81\n") != std::string::npos);
  }
}
