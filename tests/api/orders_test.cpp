// SPDX-License-Identifier: MIT
#include "tests/api/api_world.hpp"

#include "evm/hex.hpp"

using namespace tidemark;
using namespace tidemark::test;

TEST_CASE("webhooks: a page, one with its claims, its bytes", "[webhooks]") {
  api_world w;
  const std::string body("a\0\xff<script>", 11);
  const auto id = append(w, "alchemy", body);
  append(w, "second", "other");
  store::hint_in hint;
  hint.chain_id = 1;
  hint.tx = tx(5);
  hint.block = 12;
  hint.log_index = 3;
  const store::extracted rows[] = {{id, tide::hint_state::irrelevant, {hint}}};
  w.in_group([&] { must(w.db->put_intake(rows, w.now)); });

  const auto page = w.ask_json("/v1/webhooks?source=alchemy&state=received");
  REQUIRE(page.at("items").as_array().size() == 1);
  CHECK(members(page.at("items").at(0)) == "id source at state hints seen last_at bytes");
  CHECK(page.at("items").at(0).at("bytes") == 11);
  CHECK(w.ask_json("/v1/webhooks").at("items").at(0).at("source") == "second");

  const auto one = w.ask_json("/v1/webhooks/" + std::to_string(id));
  CHECK(members(one) == "id source at state hints seen last_at bytes headers claims");
  CHECK(text(one.at("headers")) == R"({"x-a":"b"})");
  REQUIRE(one.at("claims").as_array().size() == 1);
  CHECK(members(one.at("claims").at(0)) == "chain tx block log_index state event_id tries due");
  CHECK(one.at("claims").at(0).at("chain") == "ethereum");
  CHECK(one.at("claims").at(0).at("tx") == json::string(evm::to_hex(tx(5))));

  const auto raw = w.ask(get("/v1/webhooks/" + std::to_string(id) + "/raw"));
  CHECK(raw.status == 200);
  CHECK(raw.body == body);
  CHECK(raw.content_type == "application/octet-stream");
  CHECK(*net::find_header(raw.headers, "X-Content-Type-Options") == "nosniff");
}

TEST_CASE("orders carry who gave them, and the answer comes by the slot", "[orders]") {
  api_world w;
  const auto id = append(w, "alchemy", "one");
  auto a = w.ask(post("/v1/handlers/h/pause", R"({"reason":"deploying"})"));
  CHECK(a.status == 200);
  CHECK(a.body == R"({"name":"h","state":"paused"})");
  a = w.ask(post("/v1/handlers/h/resume"));
  CHECK(a.body == R"({"name":"h","state":"active"})");
  a = w.ask(post("/v1/webhooks/" + std::to_string(id) + "/reprocess"));
  CHECK(a.status == 202);
  CHECK(a.body == R"({"count":1})");
  CHECK(w.ordered == std::vector<std::string>{"pause h (deploying) by token",
                                              "resume h (resumed by token) by token",
                                              "reprocess 1 by token"});
}

TEST_CASE("many webhooks are read again at once", "[orders]") {
  api_world w;
  for (const char* body : {"one", "two", "three"})
    append(w, std::string_view(body) == "two" ? "relay" : "alchemy", body);
  const auto again = [&](const char* body) { return w.ask(post("/v1/webhooks/reprocess", body)); };
  auto a = again(R"({"dry_run":true})");
  CHECK(a.status == 202);
  CHECK(a.body == R"({"count":3,"next":null})");
  CHECK(w.ordered.empty());
  a = again(R"({"source":"alchemy","state":"received"})");
  CHECK(a.status == 202);
  CHECK(a.body == R"({"count":2,"next":null})");
  CHECK(w.ordered == std::vector<std::string>{"reprocess 3 by token", "reprocess 1 by token"});
  CHECK(again(R"({"state":"verified"})").body == R"({"count":0,"next":null})");
  CHECK(w.ordered.back() == "reprocess none by token"); // for the audit
  CHECK(again(R"({"after":"2","dry_run":true})").body == R"({"count":1,"next":null})");
  CHECK(again("{}").body == R"({"count":3,"next":null})");
  for (const char* wrong : {R"({"state":"odd"})", R"({"state":1})", R"({"dry_run":"yes"})",
                            R"({"sources":"alchemy"})", "[]"}) {
    INFO(wrong);
    CHECK(again(wrong).status == 400);
  }
}

TEST_CASE("a chain goes on, or 409 says what would be taken back", "[orders]") {
  api_world w;
  w.report.resumed = true;
  w.board.put(following());
  auto a = w.ask(post("/v1/chains/ethereum/resume", R"({"accept_reorg":true})"));
  CHECK(a.status == 200);
  CHECK(a.body == R"({"state":"following"})");

  w.report = {false, "it left at 4", block(3), 22, 4};
  a = w.ask(post("/v1/chains/ethereum/resume"));
  CHECK(a.status == 409);
  CHECK(a.content_type == "application/problem+json");
  CHECK(members(parsed(a)) == "title status detail error ancestor depth rolled_back");
  CHECK(parsed(a).at("detail") == "it left at 4");
  CHECK(parsed(a).at("ancestor").at("number") == 3);
  CHECK(parsed(a).at("depth") == 22);
  CHECK(parsed(a).at("rolled_back") == 4);

  w.report = {false, "nobody answers", {}, 0, 0};
  CHECK(parsed(w.ask(post("/v1/chains/ethereum/resume"))).at("ancestor").is_null());
  CHECK(w.ordered == std::vector<std::string>{"resume ethereum true by token",
                                              "resume ethereum false by token",
                                              "resume ethereum false by token"});
}

TEST_CASE("a skip names its blocks and its reason, or is refused by name", "[orders]") {
  api_world w;
  w.board.put(following());
  const char* path = "/v1/chains/ethereum/skip";
  for (const char* body :
       {"{}", R"({"from_block":3,"to_block":2,"reason":"x"})",
        R"({"from_block":-3,"to_block":2,"reason":"x"})", R"({"from_block":3,"to_block":4})",
        R"({"from_block":3,"to_block":4,"reason":""})"}) {
    INFO(body);
    CHECK(w.ask(post(path, body)).status == 400);
  }
  CHECK(w.ordered.empty());
  w.skip_says = {true, ""};
  auto a = w.ask(post(path, R"({"from_block":3,"to_block":4,"reason":"pruned"})"));
  CHECK(a.status == 200);
  CHECK(a.body == R"({"state":"following"})");
  w.skip_says = {false, "the mark waits at block 9"};
  a = w.ask(post(path, R"({"from_block":3,"to_block":4,"reason":"pruned"})"));
  CHECK(a.status == 409);
  CHECK(parsed(a).at("detail") == "the mark waits at block 9");
  CHECK(w.ordered.front() == "skip ethereum 3-4 (pruned) by token");
}

TEST_CASE("what never became an order has its row as well", "[orders]") {
  api_world w;
  std::vector<std::string> rows;
  w.orders.note = [&](const std::string& who, const std::string& what, const std::string& detail) {
    rows.push_back(who + ": " + what + ": " + detail);
  };
  CHECK(w.ask(post("/v1/handlers/nobody/pause")).status == 404);
  CHECK(w.ask(post("/v1/handlers/h/pause", R"({"reson":"x"})")).status == 400);
  CHECK(w.ask(post("/v1/webhooks/reprocess", R"({"dry_run":true})")).status == 202);
  CHECK(w.ask(post("/v1/handlers/h/pause")).status == 200); // the order's own
  CHECK(w.ask(get("/v1/handlers")).status == 200);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == "token: POST /v1/handlers/nobody/pause: 404: there is no handler `nobody`");
  CHECK(rows[1].starts_with("token: POST /v1/handlers/h/pause: 400: "));
  CHECK(rows[2] == "token: POST /v1/webhooks/reprocess: 202");
  w.orders.reprocess = [](auto, auto&, const net::reply_slot& slot, auto) {
    slot.deliver(net::problem(503, "not now"));
  };
  CHECK(w.ask(post("/v1/webhooks/reprocess")).status == 503);
  CHECK(rows.back() == "token: POST /v1/webhooks/reprocess: 503: not now");
}
