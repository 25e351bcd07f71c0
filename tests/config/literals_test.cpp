// SPDX-License-Identifier: MIT
#include "config/literals.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;

TEST_CASE("literals") {
  CHECK(parse_duration("0s").value() == milliseconds(0));
  CHECK(parse_duration("1_000ms").value() == milliseconds(1'000));
  CHECK(parse_duration("7d").value() == milliseconds(7LL * 86'400'000));
  for (const char* bad :
       {"", "s", "5", "-1s", "1.5s", "1 s", "1S", "1w", "1h30m", "99999999999d", "1__0s"})
    CHECK_FALSE(parse_duration(bad).has_value());
  CHECK(to_text(milliseconds(0)) == "0s");
  CHECK(to_text(milliseconds(1'500)) == "1500ms");
  CHECK(to_text(milliseconds(5'400'000)) == "90m");

  CHECK(parse_size("65_536").value() == 65'536u);
  CHECK(parse_size("512KiB").value() == 512u << 10);
  CHECK(parse_size("2TiB").value() == 2ULL << 40);
  for (const char* bad : {"", "KiB", "1KB", "1kib", "1 MiB", "-1", "8388608TiB"})
    CHECK_FALSE(parse_size(bad).has_value());

  CHECK(parse_count("1e18").value() == 1'000'000'000'000'000'000u);
  CHECK(parse_count("18446744073709551615").value() == ~std::uint64_t{0});
  for (const char* bad : {"", "-1", "18446744073709551616", "1.5", "1e20", " 1", "one"})
    CHECK_FALSE(parse_count(bad).has_value());

  CHECK(parse_rate("0.25").value() == 0.25);
  CHECK(parse_rate("1_000").value() == 1'000.0);
  for (const char* bad : {"", "-1", "nan", "inf", "1x", ".5", "1e999"})
    CHECK_FALSE(parse_rate(bad).has_value());

  CHECK(base64_size("") == std::size_t{0});
  CHECK(base64_size("YQ==") == std::size_t{1});
  CHECK(base64_size("YWI=") == std::size_t{2});
  CHECK(base64_size("YWJj") == std::size_t{3});
  for (const char* bad : {"Y", "YWI", "Y===", "=YWJ", "YW-j", "YWI =", "YW=j"})
    CHECK_FALSE(base64_size(bad));

  CHECK(is_loopback({"127.1.2.3", 1}));
  CHECK(is_loopback({"::1", 1}));
  CHECK_FALSE(is_loopback({"128.0.0.1", 1}));
  CHECK_FALSE(is_loopback({"::", 1}));
}

TEST_CASE("parse_url") {
  const auto u = parse_url("HTTPS://A.example:8443/p?q=1");
  REQUIRE(u.has_value());
  CHECK(u->scheme == "https");
  CHECK(u->host == "a.example");
  CHECK(u->port == 8443);
  CHECK(parse_url("http://a.example?x")->port == 80);
  CHECK(parse_url("wss://[2001:db8::1]/")->host == "2001:db8::1");
  for (const char* bad : {"",
                          "a.example",
                          "//a.example",
                          "ftp://a",
                          "http://",
                          "http:///x",
                          "http://:80",
                          "http://a:",
                          "http://a:0",
                          "http://a:65536",
                          "http://a:8x",
                          "http://[::1",
                          "http://[a]/",
                          "http://[::1]x/",
                          "http://u@a",
                          "http://u:p@a",
                          "http://a/ b",
                          "http://a\n",
                          "http://a#f",
                          "http://\xc3\xa4.example"}) {
    INFO(bad);
    CHECK_FALSE(parse_url(bad).has_value());
  }
}
