// SPDX-License-Identifier: MIT
#include "tests/fuzz/http_input.hpp"
#include "tests/fuzz/replay.hpp"

#include <catch2/catch.hpp>

TEST_CASE("http fuzz: answers changed at random break nothing that must hold", "[fuzz]") {
  // The first octet: the limits.
  const std::string plain(1, '\0');
  const std::vector<std::string> seeds{
      plain + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      plain + "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
      plain + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: "
              "1\r\n\r\n",
      plain + "HTTP/1.0 503 Busy\r\nRetry-After: 3\r\n\r\nuntil the end",
      "\x03HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nabc",
      "\x08HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
      "https://user.example.com:8443/path?key=1",
  };
  int good = 0;
  fuzz::replay(seeds, 2'000,
               [&](const std::string& text) { good += static_cast<int>(fuzz::http_input(text)); });
  CHECK(good > 2'000);
  for (const auto& found : fuzz::regressions("http"))
    fuzz::http_input(found);
}
