// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

TEST_CASE("bad: subscriptions") {
  check_all(
      one_chain,
      {
          {"nothing", "subscriptions: [{name: a}]\n",
           "t.yaml:6:17: subscriptions[0]: 'chains' is missing\n"
           "t.yaml:6:17: subscriptions[0]: 'event', 'preset' or 'transaction' is missing\n"},
          {"a transaction that is nothing",
           "subscriptions: [{name: a, chains: [ethereum], transaction: }]\n",
           "t.yaml:6:17: subscriptions[0]: 'event', 'preset' or 'transaction' is missing\n"},
          {"a chain that is nothing",
           "subscriptions: [{name: a, chains: [~], preset: erc20-transfer}]\n",
           "t.yaml:6:35: subscriptions[0].chains[0]: expected a text or number, found nothing\n"},
          {"no chains", "subscriptions: [{name: a, chains: [], preset: erc20-transfer}]\n",
           "t.yaml:6:35: subscriptions[0].chains: is empty\n"},
          {"a chain that is not there",
           "subscriptions: [{name: a, chains: [base], preset: erc20-transfer}]\n",
           "t.yaml:6:36: subscriptions[0].chains[0]: there is no chain 'base', did you mean "
           "'ethereum'?\n"},
          {"a chain twice",
           "subscriptions: [{name: a, chains: [ethereum, ethereum], preset: erc20-transfer}]\n",
           "t.yaml:6:46: subscriptions[0].chains[1]: the chain 'ethereum' is there twice\n"},
          {"event and preset",
           "subscriptions: [{name: a, chains: [ethereum], event: E(), preset: erc20-transfer}]\n",
           "t.yaml:6:67: subscriptions[0].preset: give event or preset, not both\n"},
          {"a transaction and what is for logs",
           "subscriptions: [{name: a, chains: [ethereum], transaction: {}, event: E(), address: "
           "5, where: 7}]\n",
           "t.yaml:6:71: subscriptions[0].event: is for logs; a transaction has to, from, "
           "min_value and status alone\n"
           "t.yaml:6:85: subscriptions[0].address: is for logs; a transaction has to, from, "
           "min_value and status alone\n"
           "t.yaml:6:95: subscriptions[0].where: is for logs; a transaction has to, from, "
           "min_value and status alone\n"},
          {"a transaction's own",
           "subscriptions:\n"
           "  - name: a\n"
           "    chains: [ethereum]\n"
           "    transaction: {to: [], from: 0x12, min_value: 5gold, status: maybe, value: 1}\n",
           "t.yaml:9:23: subscriptions[0].transaction.to: is empty; leave it out for any "
           "receiver\n"
           "t.yaml:9:33: subscriptions[0].transaction.from: expected an address: 0x and 40 hex "
           "digits\n"
           "t.yaml:9:50: subscriptions[0].transaction.min_value: expected an amount of wei: 1000, "
           "1e18, 5gwei or 0.05ether, below 2^256\n"
           "t.yaml:9:65: subscriptions[0].transaction.status: 'maybe' is none of success, failed, "
           "any, did you mean 'failed'?\n"
           "t.yaml:9:72: unknown key 'value' in subscriptions[0].transaction, did you mean "
           "'min_value'?\n"},
          {"a transaction that is none",
           "subscriptions: [{name: a, chains: [ethereum], transaction: 5}]\n",
           "t.yaml:6:60: subscriptions[0].transaction: expected {to: …, from: …, min_value: …, "
           "status: …}, each of them optional\n"},
          {"a factory",
           "subscriptions:\n"
           "  - name: a\n"
           "    chains: [ethereum]\n"
           "    preset: erc20-transfer\n"
           "    address: {factory: [], event: \"Made(address pool, uint256 n)\", parameter: poll}\n"
           "  - name: b\n"
           "    chains: [ethereum]\n"
           "    preset: erc20-transfer\n"
           "    address: {factory: 0x12, event: \"Made(address pool, uint256 n)\", parameter: n, "
           "from: x, to: 5}\n"
           "  - {name: c, chains: [ethereum], preset: erc20-transfer, address: {factory: "
           "\"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\"}}\n",
           "t.yaml:10:24: subscriptions[0].address.factory: is empty; it names who makes the "
           "contracts\n"
           "t.yaml:10:79: subscriptions[0].address.parameter: Made has no argument 'poll', did you "
           "mean 'pool'?\n"
           "t.yaml:14:24: subscriptions[1].address.factory: expected an address: 0x and 40 hex "
           "digits\n"
           "t.yaml:14:81: subscriptions[1].address.parameter: 'n' is no address, but uint256\n"
           "t.yaml:14:90: subscriptions[1].address.from: expected a whole number, such as 12 or "
           "1_000\n"
           "t.yaml:14:93: unknown key 'to' in subscriptions[1].address, did you mean 'from'?\n"
           "t.yaml:15:68: subscriptions[2].address: 'event' is missing\n"
           "t.yaml:15:68: subscriptions[2].address: 'parameter' is missing\n"},
          {"a preset that is not there",
           "subscriptions: [{name: a, chains: [ethereum], preset: erc20-transfers}]\n",
           "t.yaml:6:55: subscriptions[0].preset: 'erc20-transfers' is none of erc20-transfer, "
           "erc20-approval, erc721-transfer, erc1155-transfer, did you mean 'erc20-transfer'?\n"},
          {"an event", "subscriptions: [{name: a, chains: [ethereum], event: \"E(uint7 a)\"}]\n",
           "t.yaml:6:54: subscriptions[0].event: 'uint7' is no type: an integer has 8, 16, 24 … "
           "256 bits (at character 3)\n"},
          {"two arguments of one name",
           "subscriptions: [{name: a, chains: [ethereum], event: \"E(uint a, uint a)\"}]\n",
           "t.yaml:6:54: subscriptions[0].event: two parameters are called 'a': give each its own "
           "name (at character 11)\n"},
          {"addresses",
           "subscriptions:\n"
           "  - name: a\n"
           "    chains: [ethereum]\n"
           "    preset: erc20-transfer\n"
           "    address:\n"
           "      - 0x1234\n"
           "      - 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49\n"
           "  - {name: b, chains: [ethereum], preset: erc20-transfer, address: []}\n",
           "t.yaml:11:9: subscriptions[0].address[0]: expected an address: 0x and 40 hex digits\n"
           "t.yaml:12:9: subscriptions[0].address[1]: the EIP-55 checksum is wrong: mistyped, or "
           "else 0xa0B86991C6218b36c1d19d4A2E9eB0CE3606eb49\n"
           "t.yaml:13:68: subscriptions[1].address: is empty; leave it out for any contract\n"},
          {"addresses by chain",
           "subscriptions:\n"
           "  - name: a\n"
           "    chains: [ethereum]\n"
           "    preset: erc20-transfer\n"
           "    address: {base: \"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\"}\n",
           "t.yaml:10:14: subscriptions[0].address: has no address for the chain 'ethereum'\n"
           "t.yaml:10:15: subscriptions[0].address.base: there is no chain 'base', did you mean "
           "'ethereum'?\n"},
          {"beside an event that is wrong",
           "subscriptions:\n"
           "  - name: a\n"
           "    chains: [ethereum]\n"
           "    event: Transfer(address\n"
           "    where: {to: {list: none}}\n"
           "    escalate: [{whenn: a > 1, when: a > 1, confirmations: none}]\n",
           "t.yaml:9:12: subscriptions[0].event: expected ',' or ')', found the end (at character "
           "17)\n"
           "t.yaml:10:24: subscriptions[0].where.to.list: there is no list 'none'\n"
           "t.yaml:11:17: unknown key 'whenn' in subscriptions[0].escalate[0], did you mean "
           "'when'?\n"
           "t.yaml:11:59: subscriptions[0].escalate[0].confirmations: there is no policy 'none'\n"},
          {"where",
           "subscriptions:\n"
           "  - name: a\n"
           "    chains: [ethereum]\n"
           "    preset: erc20-transfer\n"
           "    where:\n"
           "      form: \"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\"\n"
           "      to: [0x12]\n"
           "      value: -1\n"
           "      from: []\n",
           "t.yaml:11:7: subscriptions[0].where: there is no argument 'form', did you mean "
           "'from'?\n"
           "t.yaml:12:12: subscriptions[0].where.to[0]: expected an address: 0x and 40 hex digits\n"
           "t.yaml:13:14: subscriptions[0].where.value: out of range: uint256 is 0 to "
           "115792089237316195423570985008687907853269984665640564039457584007913129639935\n"
           "t.yaml:14:13: subscriptions[0].where.from: is empty, so nothing could match\n"},
          {"confirmations",
           "subscriptions: [{name: a, chains: [ethereum], preset: erc20-transfer, confirmations: "
           "fast}]\n",
           "t.yaml:6:86: subscriptions[0].confirmations: there is no policy 'fast'\n"},
          {"the same name",
           "subscriptions:\n"
           "  - {name: a, chains: [ethereum], preset: erc20-transfer}\n"
           "  - {name: a, chains: [ethereum], preset: erc20-transfer}\n",
           "t.yaml:8:12: subscriptions[1].name: the subscription 'a' is there already, in line "
           "7\n"},
      });
}

TEST_CASE("bad: handlers") {
  const std::string start = "handlers:\n  - name: a\n    secret: " + std::string(secret) + "\n";
  check_all(
      one_chain,
      {
          {"http", start + "    url: http://a.example/SECRET\n",
           "t.yaml:9:10: handlers[0].url: must begin with https://, or allow_private be true\n"},
          {"a scheme", start + "    url: ws://a.example/SECRET\n    allow_private: true\n",
           "t.yaml:9:10: handlers[0].url: expected a URL that begins with https://\n"},
          {"credentials", start + "    url: https://u:SECRET@a.example/\n",
           "t.yaml:9:10: handlers[0].url: a URL must not hold a user name or password; use "
           "headers\n"},
          {"not Standard Webhooks",
           "handlers: [{name: a, url: \"https://a.example\", secret: hello}]\n",
           "t.yaml:6:56: handlers[0].secret: expected a Standard Webhooks secret: whsec_ and "
           "base64, as made by: echo whsec_$(openssl rand -base64 32)\n"},
          {"a short secret",
           "handlers: [{name: a, url: \"https://a.example\", secrets: [whsec_c2hvcnQ=]}]\n",
           "t.yaml:6:58: handlers[0].secrets[0]: a Standard Webhooks secret stands for 24 to 64 "
           "bytes, this one for 5\n"},
          {"no base64",
           "handlers: [{name: a, url: \"https://a.example\", secret: whsec_c2hvcnQ}]\n",
           "t.yaml:6:56: handlers[0].secret: expected a Standard Webhooks secret: whsec_ and "
           "base64, as made by: echo whsec_$(openssl rand -base64 32)\n"},
          {"a subscription that is not there",
           start + "    url: https://a.example\n    subscriptions: [usdc]\n",
           "t.yaml:10:21: handlers[0].subscriptions[0]: there is no subscription 'usdc'\n"},
          {"no subscriptions", start + "    url: https://a.example\n    subscriptions: []\n",
           "t.yaml:10:20: handlers[0].subscriptions: is empty; leave it out for all\n"},
          {"send", start + "    url: https://a.example\n    send: [rolled_back]\n",
           "t.yaml:10:11: handlers[0].send: must have pending or confirmed: rolled_back only takes "
           "back what was sent\n"},
          {"send a word", start + "    url: https://a.example\n    send: [confirm]\n",
           "t.yaml:10:12: handlers[0].send[0]: 'confirm' is none of pending, confirmed, "
           "rolled_back, did you mean 'confirmed'?\n"},
          {"order_by", start + "    url: https://a.example\n    order_by: argument\n",
           "t.yaml:10:15: handlers[0].order_by: 'argument' is none of chain, contract, "
           "subscription, none, arg:NAME, did you mean 'arg:NAME'?\n"},
          {"order_by arg", start + "    url: https://a.example\n    order_by: \"arg:\"\n",
           "t.yaml:10:15: handlers[0].order_by: arg: needs the name of an argument: arg:to\n"},
          {"headers",
           start + "    url: https://a.example\n    headers: {Webhook-Id: a, X-A: 1, x-a: 2}\n",
           "t.yaml:10:15: handlers[0].headers.Webhook-Id: is set by Tidemark itself\n"
           "t.yaml:10:38: handlers[0].headers.x-a: is there twice\n"},
          {"retry", start + "    url: https://a.example\n    retry: {initial: 1m, max: 1s}\n",
           "t.yaml:10:12: handlers[0].retry: max is less than initial\n"},
          {"content_type", start + "    url: https://a.example\n    content_type: text/json\n",
           "t.yaml:10:19: handlers[0].content_type: 'text/json' is none of "
           "application/cloudevents+json, application/json, did you mean 'application/json'?\n"},
          {"numbers",
           start + "    url: https://a.example\n    concurrency: 0\n    max_message: 1\n    "
                   "timeout: 2h\n",
           "t.yaml:10:18: handlers[0].concurrency: out of range: 1 to 1024\n"
           "t.yaml:11:18: handlers[0].max_message: out of range: 1KiB to 16MiB\n"
           "t.yaml:12:14: handlers[0].timeout: out of range: 10ms to 1h\n"},
      });
}
