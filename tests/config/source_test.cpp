// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

loaded with_source(const std::string& members) {
  variables.clear();
  return parsed(one_chain + "sources:\n  - {name: a, " + members + "}\n");
}

bool within(const char* range, const char* ip) {
  const auto r = parse_range(range);
  const auto a = parse_ip(ip);
  REQUIRE(r);
  REQUIRE(a);
  return r->has(*a);
}

} // namespace

TEST_CASE("ranges of addresses") {
  CHECK(within("10.0.0.0/8", "10.255.0.1"));
  CHECK_FALSE(within("10.0.0.0/8", "11.0.0.1"));
  CHECK(within("10.0.0.0/8", "::ffff:10.1.2.3"));
  CHECK(within("::ffff:10.0.0.0/104", "10.1.2.3"));
  CHECK(within("192.0.2.7", "192.0.2.7"));
  CHECK_FALSE(within("192.0.2.7", "192.0.2.6"));
  CHECK(within("192.0.2.6/31", "192.0.2.7"));
  CHECK(within("0.0.0.0/0", "203.0.113.9"));
  CHECK_FALSE(within("0.0.0.0/0", "2001:db8::1"));
  CHECK(within("::/0", "203.0.113.9"));
  CHECK(within("2001:db8::/33", "2001:db8:7fff::1"));
  CHECK_FALSE(within("2001:db8::/33", "2001:db8:8000::1"));
  for (const char* none : {"", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x",
                           "10.0.0.1/8", "10.0.0/8", "2001:db8::/129", "2001:db8::1/32", "[::1]",
                           "::1%lo", "host", "010.0.0.0/8", " 10.0.0.0/8", "10.0.0.0/ 8"}) {
    INFO(none);
    CHECK_FALSE(parse_range(none));
  }
}

TEST_CASE("who may post, and how often is expected") {
  const auto l =
      with_source("provider: alchemy, secret: s, allow_from: [10.0.0.0/8, \"2001:db8::1\"], "
                  "expect_every: 90m");
  CHECK(problems_of(l) == "");
  REQUIRE(l.value);
  CHECK(l.value->sources[0].allow_from ==
        std::vector{*parse_range("10.0.0.0/8"), *parse_range("2001:db8::1")});
  CHECK(l.value->sources[0].expect_every == std::chrono::minutes(90));

  const auto proxies = parsed("ingest: {trusted_proxies: [127.0.0.1, \"::1\"]}\n" + one_chain);
  REQUIRE(proxies.value);
  CHECK(proxies.value->ingest.trusted_proxies.size() == 2);

  const auto bad =
      with_source("provider: alchemy, secret: s, allow_from: [10.0.0.0/8, 10.0.0.1/8]");
  REQUIRE(bad.problems.size() == 1);
  CHECK(bad.problems[0].text.find("sources[0].allow_from[1]: expected an IP address or a CIDR") ==
        0);
}

TEST_CASE("a secret where there is something to hold against it") {
  struct row {
    const char* members;
    const char* problem; ///< empty: none
  };
  const row rows[] = {
      {"provider: sim", ""},
      {"provider: sim, secret: s", "has no meaning"},
      {"provider: sim, secret: s, signature: {header: X-S, mac: none}", ""},
      {"provider: sim, signature: {header: X-S, mac: none}", "'secret' is missing"},
      {"provider: quicknode", "'secret' is missing"},
      {"provider: quicknode, secret: s", ""},
      {"provider: moralis, secrets: [s, t]", ""},
      {"provider: circle, secret: s", "public key on P-256"},
      {"provider: circle, secret: \"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5ZGzPDQP+BjnvxJr/"
       "cFIPQwblLXmc16LM2U+E2Erm968/QEo+T2CK+dqW7OksQxHp17xya7gPhLSOndqWZh7Bg==\"",
       ""},
      {"provider: standard-webhooks, secret: \"whsec_not base64\"", "must be base64"},
      {"provider: goldsky, secret: \"Bearer s\", signature: {header: authorization, mac: none}",
       ""},
      {"provider: raw, secret: s", "needs a signature"},
      {"provider: quiknode, secret: s", "did you mean 'quicknode'"},
  };
  for (const auto& r : rows) {
    INFO(r.members);
    const auto l = with_source(r.members);
    const std::string said = problems_of(l);
    if (*r.problem == '\0')
      CHECK(said == "");
    else
      CHECK(said.find(r.problem) != said.npos);
  }
  const auto l = with_source("provider: sim");
  REQUIRE(l.warnings.size() == 1);
  CHECK(l.warnings[0].text.find("allow_from is the only guard, and it is not set") !=
        std::string::npos);
  CHECK(with_source("provider: sim, allow_from: [10.0.0.0/8]").warnings.size() == 1);
}

TEST_CASE("each config of docs/providers.md loads") {
  std::ifstream in{std::string(TIDEMARK_SOURCE_DIR) + "/docs/providers.md"};
  REQUIRE(in);
  std::string line, block;
  bool inside = false;
  std::size_t loaded = 0;
  while (std::getline(in, line)) {
    if (line == "```yaml") {
      inside = true;
      block.clear();
    } else if (line == "```" && inside) {
      inside = false;
      ++loaded;
      INFO(block);
      variables.clear();
      for (const char* name : {"SECRET", "NEW_SECRET", "OLD_SECRET"})
        variables[name] = "whsec_c2VjcmV0";
      variables["CIRCLE_PUBLIC_KEY"] =
          "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5ZGzPDQP+BjnvxJr/cFIPQwblLXmc16LM2U+E2Erm968/QEo+"
          "T2CK+dqW7OksQxHp17xya7gPhLSOndqWZh7Bg==";
      CHECK(problems_of(parsed(one_chain + block)) == "");
    } else if (inside) {
      block += line + "\n";
    }
  }
  CHECK(loaded >= 17);
}
