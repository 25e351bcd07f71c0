// SPDX-License-Identifier: MIT
#include "config/changes.hpp"

#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

using names = std::vector<std::string>;

const std::string chains = "chains:\n"
                           "  - {name: one, id: 1, rpc: [http://127.0.0.1:1], confirmations: 3}\n"
                           "  - {name: two, id: 2, rpc: [http://127.0.0.1:2], confirmations: 3}\n";
const std::string rest =
    "subscriptions:\n"
    "  - {name: s, chains: [one], preset: erc20-transfer}\n"
    "  - {name: t, chains: [two], preset: erc20-transfer}\n"
    "handlers:\n"
    "  - {name: h, url: \"https://h.example\", secret: " +
    std::string(secret) +
    "}\n  - {name: g, url: \"https://g.example\", secret: " + std::string(secret) + "}\n";

std::string with(const std::string& piece, const std::string& put) {
  auto out = chains + rest;
  const auto at = out.find(piece);
  REQUIRE(at != out.npos);
  return out.replace(at, piece.size(), put);
}

config loaded_from(const std::string& text) {
  const auto l = parsed(text);
  INFO(problems_of(l));
  REQUIRE(l.value);
  return *l.value;
}

} // namespace

TEST_CASE("what a changed config makes begin anew", "[changes]") {
  variables.clear();
  struct row {
    const char* name;
    std::string now;
    names chains_gone, chains_anew, handlers_gone, handlers_anew, rest;
  };
  const row rows[] = {
      {"nothing", chains + rest, {}, {}, {}, {}, {}},
      {"an endpoint", with("127.0.0.1:2", "127.0.0.1:3"), {}, {"two"}, {}, {}, {}},
      {"a subscription",
       with("one], preset", "one], start_block: 5, preset"),
       {},
       {"one"},
       {},
       {},
       {}},
      {"a subscription goes to another chain",
       with("chains: [one]", "chains: [two]"),
       {},
       {"one", "two"},
       {},
       {},
       {}},
      {"a handler's address", with("h.example", "i.example"), {}, {}, {}, {"h"}, {}},
      {"what a handler is told, which its chains render",
       with("\"https://h.example\"", "\"https://h.example\", send: "
                                     "[pending, confirmed, rolled_back]"),
       {},
       {"one", "two"},
       {},
       {"h"},
       {}},
      {"a handler less", with("name: g", "name: k"), {}, {"one", "two"}, {"g"}, {"k"}, {}},
      {"a chain more",
       chains + "  - {name: three, id: 3, rpc: [http://127.0.0.1:3], confirmations: 3}\n" + rest,
       {},
       {"three"},
       {},
       {},
       {}},
      {"sources",
       chains + rest + "sources: [{name: a, provider: alchemy, secret: s}]\n",
       {},
       {},
       {},
       {},
       {"sources"}},
      {"the log", chains + rest + "log: {level: debug}\n", {}, {}, {}, {}, {"log"}},
      {"a part's level", chains + rest + "log: {levels: {rpc: debug}}\n", {}, {}, {}, {}, {"log"}},
      {"a list", chains + rest + "lists: {wallets: {}}\n", {}, {"one", "two"}, {}, {}, {"lists"}},
  };
  const auto before = loaded_from(chains + rest);
  for (const auto& r : rows) {
    INFO(r.name);
    const auto c = compare(before, loaded_from(r.now));
    CHECK(c.refused.empty());
    CHECK(c.chains_gone == r.chains_gone);
    CHECK(c.chains_anew == r.chains_anew);
    CHECK(c.handlers_gone == r.handlers_gone);
    CHECK(c.handlers_anew == r.handlers_anew);
    CHECK(c.rest == r.rest);
  }
}

TEST_CASE("another order_by is another key, and so is another argument", "[changes]") {
  variables.clear();
  const auto by = [](const std::string& order) {
    return loaded_from(with("{name: h, ", "{name: h, order_by: " + order + ", "));
  };
  CHECK_FALSE(compare(by("chain"), by("subscription")).chains_anew.empty());
  CHECK_FALSE(compare(by("arg:to"), by("arg:from")).chains_anew.empty());
  CHECK(compare(by("chain"), by("chain")).chains_anew.empty());
}

TEST_CASE("a chain that is gone", "[changes]") {
  variables.clear();
  const auto one_less =
      "chains:\n  - {name: one, id: 1, rpc: [http://127.0.0.1:1], confirmations: 3}\n";
  CHECK(compare(loaded_from(chains), loaded_from(one_less)).chains_gone == names{"two"});
}

TEST_CASE("what only a restart can change is refused by name", "[changes]") {
  variables.clear();
  struct row {
    std::string now;
    const char* name;
  };
  const row rows[] = {
      {chains + "instance: other\n", "instance"},
      {chains + "store: {path: other.db}\n", "store.path"},
      {chains + "store: {durability: normal}\n", "store.durability"},
      {chains + "ingest: {listen: 127.0.0.1:9000}\n", "ingest.listen"},
      {chains + "admin: {listen: 127.0.0.1:9001}\n", "admin.listen"},
      {chains + "ingest: {max_body: 2MiB}\n", "ingest (max_body"},
      {"chains:\n  - {name: one, id: 5, rpc: [http://127.0.0.1:1], confirmations: 3}\n",
       "chains: 'one'"},
  };
  const auto before = loaded_from(chains);
  for (const auto& r : rows) {
    INFO(r.now);
    const auto c = compare(before, loaded_from(r.now));
    REQUIRE(c.refused.size() == 1);
    CHECK(c.refused[0].find(r.name) == 0);
  }
}
