// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

TEST_CASE("the starter file is a good config") {
  variables.clear();
  const auto l = parse(starter_yaml(), "/etc/x/tidemark.yaml", look_up);
  CHECK(problems_of(l) == "");
  CHECK(warnings_of(l) == "");
  REQUIRE(l.value);
  CHECK(l.value->store.path == "/etc/x/tidemark.db");
  CHECK(l.value->chains.at(0).rpc.at(0).url == "http://127.0.0.1:8545");
  CHECK(l.value->sources.size() == 1);
  CHECK(l.value->subscriptions.size() == 1);
  CHECK(l.value->handlers.size() == 1);

  // What is commented out in it is right too.
  std::string all = starter_yaml();
  for (auto at = all.find("\n#  ", all.find("\nchains:")); at != std::string::npos;
       at = all.find("\n#  ", at + 1))
    all[at + 1] = ' ';
  const auto more = parse(all, "tidemark.yaml", look_up);
  CHECK(problems_of(more) == "");
  REQUIRE(more.value);
  CHECK(more.value->chains.at(0).rpc.size() == 2);
  CHECK(more.value->subscriptions.at(0).where.size() == 1);
  CHECK(more.value->subscriptions.at(0).policies.size() == 1);
}
