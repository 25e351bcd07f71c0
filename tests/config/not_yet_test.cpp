// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

const std::string one_subscription = "subscriptions:\n  - {name: a, chains: [ethereum], ";
const std::string one_handler =
    "handlers:\n  - {name: a, url: \"https://a.example\", secret: " + std::string(secret) + ", ";

} // namespace

TEST_CASE("what comes later is refused by name") {
  variables.clear();
  struct row {
    std::string text;
    const char* path;
  };
  const row rows[] = {"subscriptions[0].address"},
};
for (const auto& r : rows) {
  INFO(r.text);
  const auto l = parsed(one_chain + r.text);
  REQUIRE(l.problems.size() == 1);
  CHECK(l.problems[0].text.find(std::string(r.path) + ": ") == 0);
  CHECK(l.problems[0].text.find("not yet") != std::string::npos);
}
}

TEST_CASE("what comes later is refused in chains too") {
  variables.clear();
  const auto l =
      parsed("chains: [{name: a, id: 1, confirmations: 1, rpc: [ws://127.0.0.1:8545]}]\n");
  REQUIRE(l.problems.size() == 1);
  CHECK(l.problems[0].text.find("not yet") != std::string::npos);
}

TEST_CASE("the defaults of what comes later may be written out") {
  variables.clear();
  const auto l =
      parsed(one_chain +
             "    quorum: 1\n"
             "    integrity: bloom\n"
             "    backfill_integrity: none\n"
             "store: {retention: {webhooks: 720h, deliveries: 30d, events: 0ms}}\n" +
             one_handler +
             "start: now, rate: 0, batch: {max_events: 1, linger: 0ms}, pending_max_age: 0s, "
             "on_exhausted: block, retry: {attempts: 0, max_age: 0s}}\n");
  CHECK(problems_of(l) == "");
  REQUIRE(l.value);
  CHECK(l.value->chains[0].backfill_integrity == integrity::none);
}
