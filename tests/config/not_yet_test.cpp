// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

const std::string one_handler =
    "handlers:\n  - {name: a, url: \"https://a.example\", secret: " + std::string(secret) + ", ";

} // namespace

TEST_CASE("the defaults may be written out") {
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
