// SPDX-License-Identifier: MIT
#include "net/redaction.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;

TEST_CASE("what we send to a peer is taken out of its words", "[redaction]") {
  const auto to = net::parse_url("https://eth.example.com/v2/SECRETKEY1?apikey=SECRETKEY2&x=1");
  REQUIRE(to.has_value());
  const net::redaction r(*to, {{"Authorization", "Bearer SECRETKEY3"}, {"X-Key", "SECRETKEY4"}});
  CHECK(r.of("project SECRETKEY1 is disabled") == "project … is disabled");
  CHECK(r.of("Cannot POST /v2/SECRETKEY1?apikey=SECRETKEY2&x=1") == "Cannot POST …");
  CHECK(r.of("apikey=SECRETKEY2 is none, nor Bearer SECRETKEY3, nor SECRETKEY3") ==
        "apikey=… is none, nor …, nor …");
  CHECK(r.of("SECRETKEY4SECRETKEY4") == "……");
  CHECK(r.of("v2 and x=1 are words") == "v2 and x=1 are words");
  CHECK(r.of("").empty());
}

TEST_CASE("of a URL in a peer's words scheme and host are left", "[redaction]") {
  const net::redaction r;
  CHECK(r.of("see https://docs.example.com/errors/429?x=1#y for more") ==
        "see https://docs.example.com/… for more");
  CHECK(r.of("<a href=\"http://h:80/a\">wss://user:pass@h/b</a>") ==
        "<a href=\"http://h:80/…\">wss://h/…</a>");
  CHECK(r.of("https://h/ and https://h") == "https://h and https://h");
  CHECK(r.of("a ://x/y :// and 1://") == "a ://x/y :// and 1://");
}
