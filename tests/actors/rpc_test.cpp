// SPDX-License-Identifier: MIT
#include "tests/actors/rpc_world.hpp"

using namespace tidemark;
using namespace tidemark::actors;
using namespace std::chrono_literals;

namespace {

struct one_node : rpc_fixture {
  one_node() : rpc_fixture("a") {}
};

const auto refused_connection = [](const std::string&) -> std::optional<net::client_result> {
  return broken(net::failure::refused);
};

} // namespace

TEST_CASE_METHOD(rpc_fixture, "rpc: the first endpoint answers, whole", "[rpc]") {
  const auto head = ask(tide::ask_head{true, true});
  CHECK(head.endpoint == 0);
  CHECK(head.endpoint_name == "a");
  CHECK(head.endpoint_head == 5'000);
  CHECK(std::get<tide::head_answer>(head.what).finalized == rpc_test::id_of(5'000));
  const auto got = ask(blocks(11, 90));
  const auto& read = std::get<tide::blocks_answer>(got.what).blocks;
  REQUIRE(read.size() == 80);
  for (std::size_t i = 0; i < 80; ++i) {
    CHECK(read[i].header.id() == rpc_test::id_of(11 + i));
    CHECK(read[i].logs == rpc_test::block_of(11 + i, 1).logs);
  }
  CHECK(b().heard.size() == 2); // it was looked at: its chain and its head
  CHECK(published.at(0).head == 5'000);
  CHECK(state(0) == "ok");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: another takes over, and gives back", "[rpc]") {
  a().instead = refused_connection;
  CHECK(who(tide::ask_head{}) == "b");
  CHECK(state(0) == "failing");
  a().instead = {};
  CHECK(who(tide::ask_head{}) == "b"); // it is not asked again at once
  advance(300ms);
  CHECK(who(tide::ask_head{}) == "a");
  CHECK(state(0) == "ok");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: an endpoint that fails in the middle gives nothing", "[rpc]") {
  int stages = 0;
  a().instead = [&](const std::string& body) -> std::optional<net::client_result> {
    if (body.find("eth_getLogs") != std::string::npos && ++stages == 2) return http(502, "<html>");
    return std::nullopt;
  };
  const auto got = ask(blocks(11, 90));
  CHECK(got.endpoint_name == "b");
  CHECK(std::get<tide::blocks_answer>(got.what).blocks.size() == 80);
}

TEST_CASE_METHOD(rpc_fixture, "rpc: who is not there yet is passed over and asked next time",
                 "[rpc]") {
  a().head = 40;
  CHECK(who(tide::ask_headers{41, 42}) == "b");
  CHECK(state(0) == "lagging");
  CHECK(who(tide::ask_headers{39, 40}) == "a");
  CHECK(a().count("eth_chainId") == 1);
}

TEST_CASE_METHOD(rpc_fixture, "rpc: another chain's endpoint is refused and never used", "[rpc]") {
  a().chain_id = 5;
  for (int i = 0; i < 5; ++i) {
    CHECK(who(tide::ask_head{}) == "b");
    advance(5s, 1s);
  }
  CHECK(a().heard.size() == 1);
  CHECK(a().count("eth_chainId") == 1);
  CHECK(state(0) == "refused");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "endpoint a is refused: it serves chain 5, the config says 1");
  advance(60s);
  CHECK(who(tide::ask_head{}) == "b");
  CHECK(a().count("eth_chainId") == 2);
  CHECK(warnings.size() == 1); // said once
  a().chain_id = 1;
  advance(60s);
  CHECK(who(tide::ask_head{}) == "a");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: two wrong endpoints are two warnings, and nobody answers",
                 "[rpc]") {
  a().chain_id = b().chain_id = 5;
  CHECK(who(tide::ask_head{}) ==
        "none: a: it serves chain 5, the config says 1; b: it serves chain 5, the config says 1");
  CHECK(warnings.size() == 2);
  CHECK(a().heard.size() + b().heard.size() == 2);
}

TEST_CASE_METHOD(rpc_fixture, "rpc: an odd answer to eth_chainId", "[rpc]") {
  const auto answers_with = [this](const char* body, unsigned status = 200) {
    a().instead = [body, status](const std::string&) { return http(status, body); };
    CHECK(who(tide::ask_head{}) == "b");
    CHECK(a().heard.size() == a().count("eth_chainId"));
  };
  SECTION("a number") {
    answers_with(R"({"id":1,"result":1})");
    CHECK(state(0) == "refused");
  }
  SECTION("null") { answers_with(R"({"id":1,"result":null})"); }
  SECTION("an error") {
    answers_with(R"({"id":1,"error":{"message":"no"}})");
    CHECK(state(0) == "failing");
  }
  SECTION("HTML") { answers_with("<html>", 502); }
  SECTION("401") {
    answers_with("", 401);
    CHECK(state(0) == "refused");
  }
}

TEST_CASE_METHOD(rpc_fixture, "rpc: a reconnect is asked for its chain before it is believed",
                 "[rpc]") {
  CHECK(who(tide::ask_head{}) == "a");
  CHECK(who(tide::ask_head{}) == "a");
  CHECK(a().count("eth_chainId") == 1);
  a().fresh = true;
  CHECK(who(tide::ask_head{}) == "a");
  CHECK(a().count("eth_chainId") == 2);
  a().fresh = true;
  a().chain_id = 5; // who answers now is another
  CHECK(who(tide::ask_head{}) == "b");
  CHECK(state(0) == "refused");
  CHECK(warnings.size() == 1);
}

TEST_CASE_METHOD(rpc_fixture, "rpc: after a failure the chain is asked for again", "[rpc]") {
  CHECK(who(tide::ask_head{}) == "a");
  a().instead = refused_connection;
  CHECK(who(tide::ask_head{}) == "b");
  a().instead = {};
  a().chain_id = 5;
  advance(1s);
  CHECK(who(tide::ask_head{}) == "b");
  CHECK(state(0) == "refused");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: no answer after two rounds, with everybody's words", "[rpc]") {
  a().instead = refused_connection;
  b().instead = [](const std::string&) {
    return http(500, R"({"id":1,"error":{"message":"boom"}})");
  };
  const auto before = now;
  CHECK(who(tide::ask_head{}) == "none: a: refused; b: boom (HTTP 500)");
  CHECK(now - before < 1'000);
  CHECK(a().sizes.size() == 2);
  CHECK(b().sizes.size() == 2);
  CHECK(published.at(0).errors == 2);
}

TEST_CASE_METHOD(rpc_fixture, "rpc: what an endpoint is asked by is not in its words", "[rpc]") {
  for (auto& e : chain->rpc) {
    e.url = "http://" + e.name + ".example/v2/KEYOF" + e.name + "12345";
    e.headers = {{"Authorization", "Bearer TOKEN123"}};
  }
  a().instead = b().instead = [](const std::string&) {
    return http(404, "<pre>Cannot POST /v2/KEYOFa12345 TOKEN123 KEYOFb12345</pre>");
  };
  const auto said = who(tide::ask_head{});
  REQUIRE(said.find("Cannot POST") != std::string::npos);
  warnings.push_back(said);
  for (const auto& text : warnings) {
    CHECK(text.find("KEYOF") == std::string::npos);
    CHECK(text.find("TOKEN") == std::string::npos);
  }
}

TEST_CASE_METHOD(rpc_fixture, "rpc: an error is counted as one, however it is written", "[rpc]") {
  for (const std::string error :
       {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}})",
        "{\n  \"error\" : {\n    \"code\": -32000, \"message\": \"no\"\n  },\n  \"id\": 1\n}"}) {
    results.clear();
    a().instead = b().instead = [&](const std::string&) { return http(200, error); };
    (void)who(tide::ask_head{});
    REQUIRE(!results.empty());
    CHECK(results.front() == "rpc_error");
  }
  a().instead = b().instead = {};
  results.clear();
  now += 600'000;
  (void)who(tide::ask_head{});
  REQUIRE(!results.empty());
  CHECK(results.front() == "ok");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: the second round may bring the answer", "[rpc]") {
  b().instead = refused_connection;
  int times = 0;
  a().instead = [&](const std::string&) -> std::optional<net::client_result> {
    if (++times > 1) return std::nullopt;
    return broken(net::failure::timeout);
  };
  CHECK(who(tide::ask_head{}) == "a");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: what waits too long for a turn is given up at once", "[rpc]") {
  a().instead = b().instead = refused_connection;
  for (int i = 0; i < 12; ++i)
    who(tide::ask_head{});
  const auto before = now;
  const auto requests = a().sizes.size() + b().sizes.size();
  CHECK(who(tide::ask_head{}).find("none: a: refused") == 0);
  CHECK(now == before);
  CHECK(a().sizes.size() + b().sizes.size() == requests);
  // After the longest pause of a minute they are asked again.
  a().instead = {};
  advance(60s);
  CHECK(who(tide::ask_head{}) == "a");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: what belongs to an earlier answer is asked there alone",
                 "[rpc]") {
  CHECK(who(tide::ask_headers{11, 12}, 1) == "b");
  CHECK(a().heard.empty());
  b().instead = refused_connection;
  CHECK(who(tide::ask_headers{11, 12}, 1) == "none: b: refused");
  CHECK(a().heard.empty());
}

TEST_CASE_METHOD(rpc_fixture, "rpc: a liar is passed over", "[rpc]") {
  CHECK(who(tide::ask_head{}) == "a");
  caf::anon_send(rpc, caught_lying{0, "logs", "a log says so"});
  run();
  CHECK(warnings == std::vector<std::string>{"endpoint a said what cannot be: a log says so"});
  CHECK(state(0) == "lying");
  CHECK(published.at(0).lies == 1);
  CHECK(who(tide::ask_head{}) == "b");
  advance(61s);
  CHECK(who(tide::ask_head{}) == "a");
  CHECK(state(0) == "ok");
}

TEST_CASE_METHOD(rpc_fixture, "rpc: an ask takes the place of the one before, whose answer is void",
                 "[rpc]") {
  CHECK(who(tide::ask_head{}) == "a");
  a().silent = true;
  send(tide::ask_head{});
  CHECK(answers.size() == 1);
  a().silent = false;
  CHECK(std::get<tide::headers_answer>(ask(tide::ask_headers{11, 12}).what).headers.size() == 2);
  for (auto& k : a().kept)
    k(http(200, R"({"id":1,"result":null})"));
  run();
  CHECK(answers.size() == 2);
  CHECK(who(tide::ask_head{}) == "a");
}

TEST_CASE_METHOD(one_node, "rpc: an ask while another waits for its turn", "[rpc]") {
  a().instead = refused_connection;
  send(tide::ask_head{});
  CHECK(answers.empty()); // the second round comes later
  a().instead = {};
  advance(260ms);
  const auto requests = a().sizes.size();
  CHECK(who(tide::ask_headers{11, 12}) == "a");
  const auto used = a().sizes.size() - requests;
  advance(10s, 100ms);
  CHECK(a().sizes.size() == requests + used); // the old turn does not come
  CHECK(answers.size() <= 2);
}

TEST_CASE_METHOD(rpc_fixture, "rpc: an ask for nothing is answered", "[rpc]") {
  CHECK(who(tide::ask_blocks{}).find("none: ") == 0);
  CHECK(who(tide::ask_receipts{}).find("none: ") == 0);
  CHECK(who(tide::ask_headers{5, 4}).find("none: ") == 0);
  CHECK(who(tide::ask_head{}) == "a");
}
