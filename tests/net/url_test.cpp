// SPDX-License-Identifier: MIT
#include "net/url.hpp"

#include <catch2/catch.hpp>

using tidemark::net::parse_url;

TEST_CASE("a URL is taken apart", "[url]") {
  struct row {
    const char* text;
    const char* scheme;
    const char* host;
    unsigned port;
    const char* target;
    const char* origin;
  };
  const row rows[] = {
      {"https://fn.example.com/on-event", "https", "fn.example.com", 443, "/on-event",
       "https://fn.example.com"},
      {"http://127.0.0.1:8545", "http", "127.0.0.1", 8545, "/", "http://127.0.0.1:8545"},
      {"HTTPS://Eth.Example:443/v2/KEY?a=b%20c", "https", "eth.example", 443, "/v2/KEY?a=b%20c",
       "https://eth.example"},
      {"http://h:443", "http", "h", 443, "/", "http://h:443"},
      {"https://h?x=1", "https", "h", 443, "/?x=1", "https://h"},
      {"wss://h/ws", "wss", "h", 443, "/ws", "wss://h"},
      {"ws://h:80/", "ws", "h", 80, "/", "ws://h"},
      {"http://[::1]:9/x", "http", "::1", 9, "/x", "http://[::1]:9"},
      {"https://[2001:DB8::1]", "https", "2001:db8::1", 443, "/", "https://[2001:db8::1]"},
      {"http://h/a@b:c", "http", "h", 80, "/a@b:c", "http://h"},
      {"http://my_service:8080/", "http", "my_service", 8080, "/", "http://my_service:8080"},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    const auto u = parse_url(r.text);
    REQUIRE(u.has_value());
    CHECK(u->scheme == r.scheme);
    CHECK(u->host == r.host);
    CHECK(u->port == r.port);
    CHECK(u->target == r.target);
    CHECK(u->origin() == r.origin);
  }
}

TEST_CASE("what is no URL is refused, and its text not repeated", "[url]") {
  const char* rows[] = {"",
                        "h",
                        "/secret",
                        "ftp://secret/",
                        "secret://h",
                        "https://",
                        "https:///secret",
                        "https://user:secret@h/",
                        "https://secret@h/",
                        "https://h:0/secret",
                        "https://h:65536/secret",
                        "https://h:/secret",
                        "https://h:8x/secret",
                        "https://h:-1/secret",
                        "https://h /secret",
                        "https://h/secret\r\nX: y",
                        "https://h/\xc3\xa4secret",
                        "https://h/#secret",
                        "https://[::1/secret",
                        "https://[secret]/",
                        "https://[::1]secret/",
                        "https://[fe80::1%secret]/",
                        "https://secret..com/",
                        "https://-secret/",
                        "https://sec;ret/",
                        "https://.secret/"};
  for (const char* const text : rows) {
    INFO(text);
    const auto u = parse_url(text);
    REQUIRE(u.has_error());
    CHECK_FALSE(u.error().text.empty());
    CHECK(u.error().text.find("secret") == std::string::npos);
  }
}
