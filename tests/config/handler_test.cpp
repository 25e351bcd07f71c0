// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::config::testing;
using namespace std::chrono_literals;

namespace {

const std::string one_handler =
    "handlers:\n  - {name: a, url: \"https://a.example\", secret: " + std::string(secret) + ", ";

tidemark::config::handler read(const std::string& keys) {
  variables.clear();
  const auto l = parsed(one_chain + one_handler + keys + "}\n");
  CHECK(problems_of(l) == "");
  REQUIRE(l.value);
  return l.value->handlers.at(0);
}

} // namespace

TEST_CASE("a handler's budgets, rates and batches") {
  const auto h = read("retry: {attempts: 7, max_age: 2d}, on_exhausted: park_event, rate: 2.5, "
                      "batch: {max_events: 50, linger: 200ms}, pending_max_age: 10m");
  CHECK(h.retry.attempts == 7);
  CHECK(h.retry.max_age == 48h);
  CHECK(h.on_exhausted == tide::on_exhausted::park_event);
  CHECK(h.rate == 2.5);
  CHECK(h.batch.max_events == 50);
  CHECK(h.batch.linger == 200ms);
  CHECK(h.pending_max_age == 10min);
  const auto plain = read("concurrency: 1");
  CHECK(plain.on_exhausted == tide::on_exhausted::block);
  CHECK(plain.batch.max_events == 1);
  CHECK_FALSE(plain.start_with_backlog);
  CHECK_FALSE(plain.tls.given());
}

TEST_CASE("a handler's start") {
  CHECK_FALSE(read("start: now").start_with_backlog);
  CHECK(read("start: all").start_with_backlog);
  const auto h = read("start: {ethereum: 19_000_000}");
  CHECK(h.start_with_backlog);
  CHECK(h.start_from.size() == 1);
  CHECK(h.start_from.begin()->second == 19'000'000);
}

TEST_CASE("what is wrong with a handler's keys") {
  variables.clear();
  struct row {
    const char *keys, *says;
  };
  const row rows[] = {
      {"start: later", "handlers[0].start: "},
      {"start: {etherium: 5}",
       "handlers[0].start.etherium: there is no chain 'etherium', did you mean 'ethereum'?"},
      {"start: {ethereum: -1}", "handlers[0].start.ethereum: "},
      {"rate: -1", "handlers[0].rate: "},
      {"batch: {max_events: 0}", "handlers[0].batch.max_events: "},
      {"on_exhausted: park", "handlers[0].on_exhausted: "},
      {"retry: {attempts: -1}", "handlers[0].retry.attempts: "},
      {"tls: {ca: no-such.pem}", "handlers[0].tls.ca: cannot read"},
      {"tls: {cert: no-such.pem, key: no-such.pem}", "handlers[0].tls.cert: cannot read"},
  };
  for (const auto& r : rows) {
    INFO(r.keys);
    const auto l = parsed(one_chain + one_handler + r.keys + "}\n");
    REQUIRE_FALSE(l.problems.empty());
    CHECK(l.problems[0].text.find(r.says) == 0);
  }
}
