// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include "config/expand.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::config;
using namespace tidemark::config::testing;

TEST_CASE("expand puts the environment in") {
  variables = {{"A", "one"}, {"B_2", "two"}, {"EMPTY", ""}, {"DOLLAR", "${A}"}};
  struct row {
    const char *text, *expected;
  };
  const row rows[] = {
      {"plain", "plain"},
      {"$A {A} $$", "$A {A} $$"},
      {"${A}", "one"},
      {"x${A}-${B_2}y", "xone-twoy"},
      {"${A:-other}", "one"},
      {"${NONE:-other}", "other"},
      {"${NONE:-}", ""},
      {"${NONE:-http://a:1/?b=:-c}", "http://a:1/?b=:-c"},
      {"${EMPTY:-other}", "other"},
      {"${EMPTY}", ""},
      {"${DOLLAR}", "${A}"},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    const auto out = expand(r.text, look_up);
    REQUIRE(out.has_value());
    CHECK(*out == r.expected);
  }
}

TEST_CASE("expand refuses what is no variable or not set") {
  variables.clear();
  for (const char* text : {"${", "${A", "${}", "${A B}", "${1A}", "${A-b}", "${:-x}", "${A:x}",
                           "${A}", "${A:-${B}}", "${A:-x${B:-y}}"}) {
    INFO(text);
    CHECK_FALSE(expand(text, look_up).has_value());
  }
  CHECK(expand("${RPC_URL}", look_up).error().text.find("RPC_URL is not set") != std::string::npos);
  const auto all = expand("${A}:${B}:${A}:${", look_up).error().text;
  CHECK(all == "the environment variable A is not set; ${A:-default} gives it a default; "
               "the environment variable B is not set; ${B:-default} gives it a default; "
               "'${' without '}'");
}

TEST_CASE("an unset variable is an error at its place, each of them") {
  variables.clear();
  const auto l = parsed("instance: ${NAME}\n"
                        "chains:\n"
                        "  - {name: a, id: \"${ID:-1}\", rpc: [\"${RPC}\"], confirmations: 1}\n");
  REQUIRE(l.problems.size() == 2);
  CHECK(l.problems[0].to_string() == "t.yaml:1:11: instance: the environment variable NAME is not "
                                     "set; ${NAME:-default} gives it a default");
  CHECK(l.problems[1].line == 3);
  CHECK(l.problems[1].column == 37);
}

TEST_CASE("a number, a bool and a list's item may come from the environment") {
  variables = {{"ID", "5"}, {"FOLLOW", "false"}, {"URL", "http://a.example"}};
  const auto l = parsed("chains:\n"
                        "  - name: a\n"
                        "    id: ${ID}\n"
                        "    rpc:\n"
                        "      - ${URL}\n"
                        "    confirmations: ${DEPTH:-7}\n"
                        "    follow: ${FOLLOW}\n");
  INFO(problems_of(l));
  REQUIRE(l.value);
  CHECK(l.value->chains[0].id == 5);
  CHECK_FALSE(l.value->chains[0].follow);
  CHECK(l.value->chains[0].confirmations.blocks == 7u);
}

TEST_CASE("an empty token is none") {
  variables.clear();
  const auto l = parsed(one_chain + "admin: {token: \"${TIDEMARK_TOKEN:-}\"}\n");
  REQUIRE(l.value);
  CHECK(l.value->admin.tokens.empty());
}

TEST_CASE("no error shows a secret or a URL's path") {
  variables = {{"URL", "htp://a.example/hidden"}, {"KEY", "hidden"}};
  const auto l =
      parsed("chains:\n"
             "  - {name: a, id: 1, rpc: [\"${URL}\", \"http://a.example:0/hidden\", "
             "\"http://hidden@a.example\", {url: \"ws://a.example/hidden\", max_range: 1}, "
             "\"http://a.example/#hidden\"], confirmations: 1}\n"
             "admin: {token: \"hidden hidden\"}\n"
             "sources: [{name: a, provider: standard-webhooks, secret: hidden!}]\n"
             "handlers: [{name: a, url: \"http://a.example/hidden\", secret: "
             "\"${KEY}\", headers: {A: \"hidden\\n\"}}]\n");
  CHECK(l.problems.size() == 10);
  CHECK(problems_of(l).find("hidden") == std::string::npos);
}
