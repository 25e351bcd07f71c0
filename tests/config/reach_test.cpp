// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

loaded read(const std::string& text, reach how_far) {
  variables.clear();
  return parse(text, "/etc/tidemark/t.yaml", look_up, how_far);
}

} // namespace

TEST_CASE("who asks the daemon needs admin to be right, and nothing else") {
  const std::string text = "instance: ${NAME}\n"
                           "store: {path: t.db, min_free: much}\n"
                           "admin: {listen: \"127.0.0.1:7\", token: abc}\n"
                           "sources: [{name: a, provider: alchemy, secret: \"${KEY}\"}]\n"
                           "chain: []\n";
  CHECK(read(text, reach::all).problems.size() == 4);
  const auto l = read(text, reach::admin);
  INFO(problems_of(l));
  REQUIRE(l.value);
  CHECK(l.value->admin.listen.port == 7);
  REQUIRE(l.value->admin.tokens.size() == 1);
  CHECK(l.value->sources.empty());
}

TEST_CASE("who works on the store needs that to be right too") {
  const auto wrong = read("store: {min_free: much}\n", reach::store);
  CHECK_FALSE(wrong.value);
  CHECK(wrong.problems.size() == 1);
  const auto l = read("instance: b\nstore: {path: t.db}\nhandlers: [5]\n", reach::store);
  INFO(problems_of(l));
  REQUIRE(l.value);
  CHECK(l.value->store.path == "/etc/tidemark/t.db");
  CHECK(l.value->instance == "b");
  CHECK(read("sources: 5\n", reach::store).value->store.path == "/var/lib/tidemark/tidemark.db");
}

TEST_CASE("what is wrong with admin, or is no YAML, is wrong for all") {
  for (const auto how_far : {reach::all, reach::store, reach::admin})
    for (const char* text : {"admin: {listen: here}\n", "admin: {token: \"${NONE}\"}\n",
                             "- admin\n", "admin: {}\nadmin: {}\n", "admin: [\n"}) {
      INFO(text);
      const auto l = read(text, how_far);
      CHECK_FALSE(l.value);
      CHECK(l.problems.size() == 1);
    }
}
