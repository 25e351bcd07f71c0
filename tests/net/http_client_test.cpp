// SPDX-License-Identifier: MIT
#include "tests/net/asking.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tests;
using net::failure;

TEST_CASE("a request goes out as it should", "[client]") {
  std::string got;
  {
    script_server peer([&](raw_socket& p, int) {
      got = p.read_message();
      p.send(answer_of("hello", "X-A: b\r\n"));
    });
    asking a;
    auto r = a.request(peer.port(), "/path?q=1");
    r.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}};
    r.accept_gzip = true;
    const auto result = a.ask(std::move(r));
    REQUIRE(result.has_value());
    CHECK(result->status == 200);
    CHECK(result->body == "hello");
    CHECK_FALSE(result->cut_short);
    CHECK(*net::find_header(result->headers, "x-a") == "b");
    CHECK(got == "POST /path?q=1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port()) +
                     "\r\nContent-Type: application/json\r\nX-Empty: \r\nAccept-Encoding: "
                     "gzip\r\nContent-Length: 4\r\n\r\nbody");
  }
}

TEST_CASE("answers of every shape", "[client]") {
  const std::string big(200'000, 'x');
  const std::string packed = gzip(big);
  struct row {
    const char* name;
    std::string text;
    std::size_t keep;
    unsigned status; ///< 0: a failure
    failure kind;
    std::string body;
    bool cut_short;
  };
  const failure none = failure::cut;
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<row> rows{
      {"fixed length", answer_of("abc"), 0, 200, none, "abc", false},
      {"no body", "HTTP/1.1 204 No Content\r\n\r\n", 0, 204, none, "", false},
      {"chunks",
       ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: 1\r\n\r\n", 0, 200,
       none, "abcde", false},
      {"until the end", ok + "\r\nabc", 0, 200, none, "abc", false},
      {"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nabc", 0, 200, none, "abc", false},
      {"a redirect is an answer",
       "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n", 0,
       302, none, "", false},
      {"interim answers first",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
           answer_of("abc"),
       0, 200, none, "abc", false},
      {"gzip", answer_of(gzip("abc"), "Content-Encoding: gzip\r\n"), 0, 200, none, "abc", false},
      {"gzip in two members", answer_of(gzip("abc") + gzip("def"), "Content-Encoding: gzip\r\n"), 0,
       200, none, "abcdef", false},
      {"gzip to the limit",
       answer_of(gzip(std::string(100'000, 'y')), "Content-Encoding: gzip\r\n"), 0, 200, none,
       std::string(100'000, 'y'), false},
      {"gzip beyond the limit", answer_of(packed, "Content-Encoding: gzip\r\n"), 0, 0,
       failure::too_large, "", false},
      {"gzip cut", answer_of(packed.substr(0, packed.size() / 2), "Content-Encoding: gzip\r\n"), 0,
       0, failure::malformed, "", false},
      {"no gzip", answer_of("abc", "Content-Encoding: gzip\r\n"), 0, 0, failure::malformed, "",
       false},
      {"too large", answer_of(big), 0, 0, failure::too_large, "", false},
      {"too large in chunks", ok + "Transfer-Encoding: chunked\r\n\r\n30d40\r\n" + big, 0, 0,
       failure::too_large, "", false},
      {"kept in part", answer_of("abcdef"), 4, 200, none, "abcd", true},
      {"kept whole", answer_of("abcd"), 4, 200, none, "abcd", false},
      {"kept in part, beyond the limit", answer_of(big), 4, 200, none, "xxxx", true},
      {"headers too large", ok + "X: " + std::string(40'000, 'x') + "\r\n\r\n", 0, 0,
       failure::too_large, "", false},
      {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 0, 0, failure::malformed, "", false},
      {"a page without a status", "<html></html>\r\n\r\n", 0, 0, failure::malformed, "", false},
      {"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 0, 0,
       failure::malformed, "", false},
      {"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", 0, 0,
       failure::malformed, "", false},
      {"another coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 0, 0,
       failure::malformed, "", false},
      {"nothing", "", 0, 0, failure::cut, "", false},
      {"cut in the head", "HTTP/1.1 200 OK\r\nX: y\r\n", 0, 0, failure::cut, "", false},
      {"cut in the body", ok + "Content-Length: 10\r\n\r\nabc", 0, 0, failure::cut, "", false},
      {"cut in the chunks", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc", 0, 0, failure::cut,
       "", false},
      {"cut before the last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 0, 0,
       failure::cut, "", false},
  };
  asking a;
  for (const auto& r : rows) {
    INFO(r.name);
    script_server peer(once(r.text));
    auto request = a.request(peer.port(), "/secret");
    request.max_answer = 100'000;
    request.keep = r.keep;
    request.accept_gzip = true;
    const auto result = a.ask(std::move(request));
    CHECK(result.has_value() == (r.status != 0));
    if (result.has_value()) {
      CHECK(result->status == r.status);
      CHECK(result->body == r.body);
      CHECK(result->cut_short == r.cut_short);
    } else {
      CHECK(net::to_string(result.error().kind) == std::string(net::to_string(r.kind)));
      CHECK(result.error().sent);
      CHECK(result.error().text.find("http://127.0.0.1:") == 0);
      CHECK(result.error().text.find("secret") == std::string::npos);
    }
  }
}

TEST_CASE("a dripping answer is whole at the end, or late", "[client]") {
  const std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  script_server peer([&](raw_socket& p, int nth) {
    p.read_message();
    for (const char byte : text) {
      if (!p.send({&byte, 1})) return;
      std::this_thread::sleep_for(nth == 0 ? 300us : 20ms);
    }
  });
  asking a;
  const auto whole = a.ask(a.request(peer.port()));
  REQUIRE(whole.has_value());
  CHECK(whole->body == "abcde");
  script_server slow([&](raw_socket& p, int) {
    p.read_message();
    for (const char byte : text)
      if (!p.send({&byte, 1}))
        return;
      else
        std::this_thread::sleep_for(20ms);
  });
  auto r = a.request(slow.port());
  r.timeout = 150ms;
  const auto late = a.ask(std::move(r));
  REQUIRE(late.has_error());
  CHECK(late.error().kind == failure::timeout);
  CHECK(late.error().sent);
}

TEST_CASE("an early refusal of a large body is heard", "[client]") {
  script_server peer([](raw_socket& p, int) {
    p.read_some();
    p.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
    std::this_thread::sleep_for(50ms);
  });
  asking a;
  auto r = a.request(peer.port());
  r.body = std::make_shared<const std::string>(20'000'000, 'x');
  const auto result = a.ask(std::move(r));
  REQUIRE(result.has_value());
  CHECK(result->status == 413);
}

TEST_CASE("where a connection may not go, or nobody is", "[client]") {
  script_server peer(always(answer_of("abc")));
  asking a;
  struct row {
    const char* host;
    net::egress reach;
    failure kind;
  };
  // A label that DNS cannot carry, so that no name server is asked.
  const std::string no_name = std::string(70, 'a') + ".invalid";
  const row rows[] = {
      {"127.0.0.1", net::egress::public_only, failure::refused_address},
      {"localhost", net::egress::public_only, failure::refused_address},
      {"::ffff:127.0.0.1", net::egress::public_only, failure::refused_address},
      {"169.254.169.254", net::egress::private_ok, failure::refused_address},
      {"0.0.0.0", net::egress::private_ok, failure::refused_address},
      {no_name.c_str(), net::egress::private_ok, failure::dns},
  };
  for (const auto& r : rows) {
    INFO(r.host);
    auto request = a.request(peer.port());
    request.target.host = r.host;
    request.reach = r.reach;
    const auto result = a.ask(std::move(request));
    REQUIRE(result.has_error());
    CHECK(net::to_string(result.error().kind) == std::string(net::to_string(r.kind)));
    CHECK_FALSE(result.error().sent);
  }
  CHECK(peer.connections() == 0);
  for (const char* const host : {"localhost", "127.0.0.1"}) {
    auto request = a.request(peer.port());
    request.target.host = host;
    CHECK(a.ask(std::move(request)).has_value());
  }

  std::uint16_t nobody = 0;
  {
    script_server gone(always(""));
    nobody = gone.port();
  }
  CHECK(a.ask(a.request(nobody)).error().kind == failure::refused);
}

TEST_CASE("what may not be sent is not", "[client]") {
  script_server peer(always(answer_of("abc")));
  asking a;
  const std::vector<std::function<void(net::client_request&)>> rows{
      [](auto& r) {
        r.headers = {{"X", "secret\r\nX-Evil: 1"}};
      },
      [](auto& r) {
        r.headers = {{"X Y", "secret"}};
      },
      [](auto& r) {
        r.headers = {{"host", "secret"}};
      },
      [](auto& r) {
        r.headers = {{"Content-Length", "1"}};
      },
      [](auto& r) { r.target.target = "/secret HTTP/1.1\r\nX: y"; },
      [](auto& r) { r.method = "POST /secret"; },
      [](auto& r) { r.target.scheme = "ws"; },
  };
  for (const auto& change : rows) {
    auto r = a.request(peer.port());
    change(r);
    const auto result = a.ask(std::move(r));
    REQUIRE(result.has_error());
    CHECK(result.error().kind == failure::malformed);
    CHECK(result.error().text.find("secret") == std::string::npos);
  }
  CHECK(peer.connections() == 0);
}
