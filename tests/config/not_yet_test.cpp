// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

const std::string one_source = "sources:\n  - {name: a, provider: alchemy, secret: s, ";
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
  const row rows[] = {
      {"lists: {wallets: {}}\n", "lists"},
      {"store: {retention: {webhooks: 7d}}\n", "store.retention.webhooks"},
      {"store: {retention: {deliveries: 0s}}\n", "store.retention.deliveries"},
      {"store: {retention: {events: 365d}}\n", "store.retention.events"},
      {"ingest: {trusted_proxies: [10.0.0.0/8]}\n", "ingest.trusted_proxies"},
      {"ingest: {tls: {cert: a, key: b}}\n", "ingest.tls"},
      {"admin: {tls: {cert: a, key: b}}\n", "admin.tls"},
      {one_source + "allow_from: [10.0.0.0/8]}\n", "sources[0].allow_from"},
      {one_source + "expect_every: 1h}\n", "sources[0].expect_every"},
      {"sources: [{name: a, provider: quicknode, secret: s}]\n", "sources[0].provider"},
      {"sources: [{name: a, provider: circle, secret: s}]\n", "sources[0].provider"},
      {one_subscription + "transaction: {to: [\"0x00\"]}}\n", "subscriptions[0].transaction"},
      {one_subscription + "preset: erc20-transfer, start_block: 5}\n",
       "subscriptions[0].start_block"},
      {one_subscription + "preset: erc20-transfer, address: {list: deposits}}\n",
       "subscriptions[0].address"},
      {one_subscription + "preset: erc20-transfer, address: {factory: \"0x00\", event: E()}}\n",
       "subscriptions[0].address"},
      {one_subscription + "preset: erc20-transfer, address: [{list: deposits}]}\n",
       "subscriptions[0].address[0]"},
      {one_subscription + "preset: erc20-transfer, where: {to: {list: deposits}}}\n",
       "subscriptions[0].where.to"},
      {one_handler + "start: all}\n", "handlers[0].start"},
      {one_handler + "start: {ethereum: 5}}\n", "handlers[0].start"},
      {one_handler + "rate: 0.5}\n", "handlers[0].rate"},
      {one_handler + "batch: {max_events: 2}}\n", "handlers[0].batch.max_events"},
      {one_handler + "batch: {linger: 1s}}\n", "handlers[0].batch.linger"},
      {one_handler + "pending_max_age: 1h}\n", "handlers[0].pending_max_age"},
      {one_handler + "on_exhausted: park_key}\n", "handlers[0].on_exhausted"},
      {one_handler + "on_exhausted: park_event}\n", "handlers[0].on_exhausted"},
      {one_handler + "retry: {attempts: 3}}\n", "handlers[0].retry.attempts"},
      {one_handler + "retry: {max_age: 1d}}\n", "handlers[0].retry.max_age"},
      {one_handler + "tls: {ca: a}}\n", "handlers[0].tls"},
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
             "store: {retention: {webhooks: 720h, deliveries: 30d, events: 0ms}}\n"
             "ingest: {trusted_proxies: []}\n" +
             one_source + "allow_from: [], expect_every: 0s}\n" + one_handler +
             "start: now, rate: 0, batch: {max_events: 1, linger: 0ms}, pending_max_age: 0s, "
             "on_exhausted: block, retry: {attempts: 0, max_age: 0s}}\n");
  CHECK(problems_of(l) == "");
  REQUIRE(l.value);
  CHECK(l.value->chains[0].backfill_integrity == integrity::none);
}
