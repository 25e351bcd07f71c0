// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

const std::string usdc = "\"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\"";
const std::string dai = "\"0x6b175474e89094c44da98b954eedeac495271d0f\"";

std::string two(const std::string& first, const std::string& second) {
  return one_chain + "subscriptions:\n  - {name: a, chains: [ethereum], " + first +
         "}\n  - {name: b, chains: [ethereum], " + second + "}\n";
}

std::string with_order(const std::string& order) {
  return one_chain + "subscriptions: [{name: a, chains: [ethereum], preset: erc20-transfer}]\n" +
         "handlers:\n  - {name: h, url: \"https://a.example\", secret: " + secret +
         ", order_by: \"" + order + "\"}\n";
}

} // namespace

TEST_CASE("warnings: subscriptions that can meet with different policies") {
  variables.clear();
  const std::string transfer = "preset: erc20-transfer";
  const std::string deep = transfer + ", confirmations: 30";
  const std::string expected =
      "t.yaml:8:12: 'a' and 'b' can fit the same log on ethereum and ask for different "
      "confirmations; such an event waits for both\n";
  CHECK(warnings_of(parsed(two(transfer, deep))) == expected);
  CHECK(warnings_of(parsed(two(deep, transfer + ", address: " + usdc))) == expected);
  CHECK(warnings_of(parsed(two(deep, deep))) == "");
  CHECK(warnings_of(parsed(two(transfer + ", address: " + usdc, deep + ", address: " + dai))) ==
        "");
  CHECK(warnings_of(parsed(two(transfer + ", address: " + usdc,
                               deep + ", address: [" + dai + ", " + usdc + "]"))) == expected);
  CHECK(warnings_of(parsed(
            two("event: \"Transfer(address indexed a, address indexed b, uint256 indexed c)\"",
                deep))) == "");
  CHECK(warnings_of(parsed(
            two("event: \"Other(address indexed a, address indexed b, uint256 c)\"", deep))) == "");
  CHECK(warnings_of(parsed(two(transfer + ", where: {to: " + usdc + "}",
                               deep + ", where: {to: " + dai + "}"))) == "");
  CHECK(warnings_of(parsed(two(transfer + ", where: {to: " + usdc + "}",
                               deep + ", where: {from: " + dai + "}"))) == expected);
}

TEST_CASE("warnings: a policy that cannot matter") {
  variables.clear();
  const std::string expected = "t.yaml:7:12: the confirmations of 'a' cannot matter on ethereum: "
                               "the chain's own ask for as much or more\n";
  const auto one = [](const char* confirmations) {
    return one_chain +
           "subscriptions:\n  - {name: a, chains: [ethereum], preset: erc20-transfer, "
           "confirmations: " +
           confirmations + "}\n";
  };
  CHECK(warnings_of(parsed(one("3"))) == expected);
  CHECK(warnings_of(parsed(one("12"))) == expected);
  CHECK(warnings_of(parsed(one("13"))) == "");
  CHECK(warnings_of(parsed(one("safe"))) == "");
}

TEST_CASE("warnings: escalations that meet, and one that cannot matter") {
  variables.clear();
  const std::string transfer = "preset: erc20-transfer";
  const auto with = [&](const char* when, const char* n) {
    return transfer + ", escalate: [{when: " + when + ", confirmations: " + n + "}]";
  };
  const std::string meet =
      "t.yaml:8:12: 'a' and 'b' can fit the same log on ethereum and ask for different "
      "confirmations; such an event waits for both\n";
  CHECK(warnings_of(parsed(two(transfer, with("value > 5", "30")))) == meet);
  CHECK(warnings_of(parsed(two(with("value > 6", "30"), with("value > 5", "30")))) == meet);
  CHECK(warnings_of(parsed(two(with("value > 5", "31"), with("value > 5", "30")))) == meet);
  CHECK(warnings_of(parsed(two(with("value > 5", "30"), with("value > 5", "30")))) == "");
  CHECK(warnings_of(parsed(two("preset: erc721-transfer", with("value > 5", "30")))) == "");
  CHECK(warnings_of(parsed(two("preset: erc1155-transfer, confirmations: 30",
                               "event: \"TransferBatch(address indexed, address indexed, address "
                               "indexed, uint256[], uint256[])\""))) == meet);
  const std::string weak = "t.yaml:7:12: 'a': the escalation \"value > 5\" cannot matter on "
                           "ethereum: what holds for all "
                           "of its events asks for as much or more\n";
  const auto alone = [](const std::string& keys) {
    return one_chain + "subscriptions:\n  - {name: a, chains: [ethereum], " + keys + "}\n";
  };
  CHECK(warnings_of(parsed(alone(with("value > 5", "12")))) == weak);
  CHECK(warnings_of(parsed(alone(with("value > 5", "20") + ", confirmations: 20"))) == weak);
  CHECK(warnings_of(parsed(alone(with("value > 5", "13")))) == "");
  CHECK(warnings_of(parsed(alone(with("value > 5", "safe")))) == "");
}

TEST_CASE("warnings: order_by an argument that none has") {
  variables.clear();
  CHECK(warnings_of(parsed(with_order("arg:to"))) == "");
  CHECK(warnings_of(parsed(with_order("arg:too"))) ==
        "t.yaml:8:111: handlers[0].order_by: none of the handler's subscriptions has an argument "
        "'too', so it is as contract\n");
}

TEST_CASE("warnings: the rest") {
  variables.clear();
  CHECK(warnings_of(parsed("")) == "t.yaml: there are no chains, so nothing can become an event\n");
  CHECK(warnings_of(parsed(one_chain + "admin: {listen: 0.0.0.0:1, token: t}\n")) ==
        "t.yaml:6:17: admin.listen: the token travels in clear text; give admin.tls, or put TLS in "
        "front of it\n");
  CHECK(warnings_of(parsed(one_chain + "ingest: {max_in_flight: 1MiB}\n")) ==
        "t.yaml:6:9: ingest: max_in_flight (1MiB) is less than max_body (4MiB), so the largest "
        "bodies are never taken\n");
}

TEST_CASE("warnings: what a transaction is") {
  variables.clear();
  const std::string said =
      "sees top-level transactions only: value moved by a call inside one, "
      "withdrawals and rewards are no events. It costs two full blocks a block "
      "of each of its chains\n";
  CHECK(warnings_of(parsed(two("transaction: {}", "preset: erc20-transfer, confirmations: 30"))) ==
        "t.yaml:7:12: 'a' " + said);
  CHECK(warnings_of(parsed(two("transaction: {to: " + usdc + "}",
                               "transaction: {from: " + dai + "}, confirmations: 30"))) ==
        "t.yaml:7:12: 'a' " + said +
            "t.yaml:8:12: 'a' and 'b' can fit the same transaction on ethereum and ask for "
            "different confirmations; such an event waits for both\n"
            "t.yaml:8:12: 'b' " +
            said);
  CHECK(warnings_of(parsed(two("transaction: {to: " + usdc + "}",
                               "transaction: {to: " + dai + "}, confirmations: 30"))) ==
        "t.yaml:7:12: 'a' " + said + "t.yaml:8:12: 'b' " + said);
}
