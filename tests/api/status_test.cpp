// SPDX-License-Identifier: MIT
#include "tests/api/api_world.hpp"

#include "evm/hex.hpp"

using namespace tidemark;
using namespace tidemark::test;

TEST_CASE("the status, member by member", "[status]") {
  api_world w;
  const auto s = w.ask_json("/v1/status");
  CHECK(members(s) == "version instance uptime_s chains sources handlers store");
  CHECK(s.at("version") == "1.2.3");
  CHECK(s.at("instance") == "test");
  CHECK(s.at("uptime_s") == (w.clock - 1'000) / 1'000);
  CHECK(s.at("chains").as_array().size() == 1);
  CHECK(s.at("sources").as_array().size() == 2);
  CHECK(s.at("handlers").as_array().size() == 2);
  CHECK(members(s.at("store")) == "bytes wal_bytes free_bytes last_backup");
  CHECK(s.at("store").at("bytes").to_number<std::int64_t>() > 0);
  CHECK(s.at("store").at("free_bytes").to_number<std::int64_t>() > 0);
  CHECK(s.at("store").at("last_backup").is_null());
}

TEST_CASE("a chain, member by member", "[status]") {
  api_world w;
  w.fill();
  w.board.put(following());
  const auto c = w.ask_json("/v1/chains/ethereum");
  CHECK(members(c) == "name id state reason head mark lag_blocks safe finalized endpoints "
                      "backfills last_reorg last_reconcile");
  CHECK(c.at("name") == "ethereum");
  CHECK(c.at("id") == 1);
  CHECK(c.at("state") == "following");
  CHECK(c.at("reason").is_null());
  CHECK(text(c.at("head")) == R"({"number":14,"hash":")" + evm::to_hex(block(14).hash) + "\"}");
  CHECK(c.at("mark").at("number") == 11);
  CHECK(c.at("lag_blocks") == 2);
  CHECK(c.at("safe").is_null());
  CHECK(c.at("finalized") == 5);
  REQUIRE(c.at("endpoints").as_array().size() == 1);
  CHECK(text(c.at("endpoints").at(0)) == R"({"name":"127.0.0.1:8545","state":"ok","head":14,)"
                                         R"("latency_ms":2,"errors":3,"lies":1})");
  CHECK(c.at("backfills").as_array().empty());
  CHECK(text(c.at("last_reconcile")) ==
        R"({"at":"2023-11-14T22:13:20.123Z","from":10,"to":11,"missing":1,"extra":2})");
  CHECK(members(c.at("last_reorg")) == "chain at depth ancestor old_head new_head rolled_back");
  CHECK(c.at("last_reorg").at("rolled_back") == 1);
  CHECK(c == w.ask_json("/v1/status").at("chains").at(0));
}

TEST_CASE("before its actor has spoken, a chain is what the store knows", "[status]") {
  api_world w;
  auto c = w.ask_json("/v1/chains/ethereum");
  CHECK(c.at("state") == "starting");
  CHECK(c.at("mark").at("number") == 9);
  CHECK(c.at("head").is_null());
  CHECK(c.at("last_reorg").is_null());
  CHECK(c.at("last_reconcile").is_null());
  w.apply(9, {tide::halted{"it left at 3"}});
  c = w.ask_json("/v1/chains/ethereum");
  CHECK(c.at("state") == "halted");
  CHECK(c.at("reason") == "it left at 3");
}

TEST_CASE("reorgs, newest first", "[status]") {
  api_world w;
  CHECK(text(w.ask_json("/v1/reorgs")) == R"({"items":[],"next":null})");
  w.fill();
  const auto page = w.ask_json("/v1/reorgs");
  REQUIRE(page.at("items").as_array().size() == 1);
  const auto& r = page.at("items").at(0);
  CHECK(members(r) == "chain at depth ancestor old_head new_head rolled_back");
  CHECK(r.at("chain") == "ethereum");
  CHECK(r.at("depth") == 1);
  CHECK(members(r.at("ancestor")) == "number hash");
  CHECK(r.at("new_head").at("hash") == json::string(evm::to_hex(block(12, 'B').hash)));
  CHECK(r.at("rolled_back") == 1);
}

TEST_CASE("the blocks that are held, and those that left", "[status]") {
  api_world w;
  w.fill();
  const auto shown = [&](const std::string& query) {
    std::string out;
    const auto answer = w.ask_json("/v1/chains/ethereum/blocks" + query);
    CHECK(answer.at("next").is_null());
    for (const auto& b : answer.at("items").as_array()) {
      CHECK(members(b) == "number hash parent timestamp canonical");
      out += std::to_string(b.at("number").as_int64()) + (b.at("canonical").as_bool() ? " " : "' ");
    }
    return out;
  };
  CHECK(shown("?from_block=10&to_block=12") == "12 12' 11 11' 10 ");
  CHECK(shown("?from_block=15&to_block=20").empty());
  w.board.put(following());
  CHECK(shown("").starts_with("14 "));
  CHECK(w.ask_json("/v1/chains/ethereum/blocks?from_block=11&to_block=11")
            .at("items")
            .at(0)
            .at("hash") == json::string(evm::to_hex(block(11, 'B').hash)));
  CHECK(w.status("/v1/chains/ethereum/blocks?from_block=1&to_block=1000") == 200);
  CHECK(w.status("/v1/chains/ethereum/blocks?from_block=0&to_block=1000") == 400);
  CHECK(w.status("/v1/chains/other/blocks") == 404);
}

TEST_CASE("a source is what is stored and what the listener saw", "[status]") {
  api_world w;
  append(w, "alchemy", "one");
  append(w, "alchemy", "two");
  w.board.set_ingest([] {
    return std::map<std::string, api::source_counts>{
        {"alchemy", {1'700'000'001'000, "unauthorized", 7}}};
  });
  const auto page = w.ask_json("/v1/sources");
  const auto& s = page.at("items").at(0);
  CHECK(members(s) == "name provider last_at last_result received duplicate late missed false "
                      "unauthorized state reason out_of_order delay_p50_ms delay_p99_ms");
  CHECK(s.at("name") == "alchemy");
  CHECK(s.at("provider") == "alchemy");
  CHECK(s.at("last_at") == "2023-11-14T22:13:21.000Z");
  CHECK(s.at("last_result") == "unauthorized");
  CHECK(s.at("received") == 2);
  CHECK(s.at("duplicate") == 0);
  CHECK(s.at("unauthorized") == 7);
  CHECK(s.at("state") == "ok");
  CHECK(s.at("reason").is_null());
  CHECK(s.at("late") == 0);
  CHECK(s.at("missed") == 0);
  CHECK(s.at("delay_p99_ms").is_null());
  const auto& quiet = page.at("items").at(1);
  CHECK(quiet.at("last_at").is_null());
  CHECK(quiet.at("last_result").is_null());
  CHECK(quiet.at("received") == 0);
}

TEST_CASE("a source that is silent for too long is degraded", "[status]") {
  api_world w;
  append(w, "alchemy", "one");
  w.board.set_listening(true);
  w.config.sources[0].expect_every = std::chrono::minutes(1);
  const auto state = [&] { return text(w.ask_json("/v1/sources").at("items").at(0).at("state")); };
  const auto listed = [&] {
    std::size_t n = 0;
    const auto ready = w.ask_json("/readyz");
    for (const auto& d : ready.at("degraded").as_array())
      n += d.at("kind") == "source";
    return n;
  };
  w.clock += 60'000;
  CHECK(state() == "\"ok\"");
  CHECK(listed() == 0);
  w.clock += 1;
  CHECK(state() == "\"degraded\"");
  CHECK(listed() == 1);
  const auto s = w.ask_json("/v1/status").at("sources").at(0);
  CHECK(text(s.at("reason"))
            .find("no webhook was accepted for 60 s, and one is expected every 60 s") !=
        std::string::npos);
  append(w, "alchemy", "two");
  CHECK(state() == "\"ok\"");
}

TEST_CASE("lists of the config's names have pages too", "[status]") {
  api_world w;
  const auto first = w.ask_json("/v1/sources?limit=1");
  CHECK(first.at("items").at(0).at("name") == "alchemy");
  CHECK(first.at("next") == "alchemy");
  const auto last = w.ask_json("/v1/sources?limit=1&after=alchemy");
  CHECK(last.at("items").at(0).at("name") == "second");
  CHECK(last.at("next").is_null());
}

TEST_CASE("a handler is active, paused by an order, or broken by its own answers", "[status]") {
  api_world w;
  w.board.set_listening(true);
  w.fill();
  const auto handler = [&] { return w.ask_json("/v1/handlers").at("items").at(0); };
  auto h = handler();
  CHECK(members(h) == "name state reason since due in_flight held blocked_keys parked oldest_at "
                      "next_probe_at epoch");
  CHECK(h.at("name") == "h");
  CHECK(h.at("state") == "active");
  CHECK(h.at("reason").is_null());
  CHECK(h.at("due").to_number<int>() >= 1);
  CHECK_FALSE(h.at("oldest_at").is_null());
  CHECK(h.at("next_probe_at").is_null());
  CHECK(h.at("epoch") == 1);

  w.board.put(tide::handler_status{"h", tide::handler_state::broken, "401", 1'700'000'000'000, 0,
                                   1'700'000'009'000});
  h = handler();
  CHECK(h.at("state") == "broken");
  CHECK(h.at("reason") == "401");
  CHECK(h.at("since") == "2023-11-14T22:13:20.000Z");
  CHECK(h.at("next_probe_at") == "2023-11-14T22:13:29.000Z");

  // One that was asked to wait says so, and until when, as long as that is to come.
  w.board.put(tide::handler_status{"h", tide::handler_state::active, "it asked to wait", 0, 0,
                                   w.clock + 1'000});
  h = handler();
  CHECK(h.at("state") == "active");
  CHECK(h.at("reason") == "it asked to wait");
  CHECK(h.at("next_probe_at").is_string());
  const auto waits = [&] {
    const auto degraded = w.ask_json("/readyz").at("degraded").as_array();
    return std::any_of(degraded.begin(), degraded.end(),
                       [](const auto& d) { return d.at("kind") == "handler"; });
  };
  CHECK(waits());
  w.clock += 1'000;
  CHECK(handler().at("reason").is_null());
  // Active since the breaker closed.
  w.board.put(tide::handler_status{"h", tide::handler_state::active, "", 1'700'000'010'000, 0, {}});
  CHECK(handler().at("since") == "2023-11-14T22:13:30.000Z");
  CHECK(handler().at("next_probe_at").is_null());
  CHECK(w.ask_json("/readyz").at("degraded").as_array().empty());

  w.in_group([&] { must(w.db->set_paused("h", true, "deploying", 5'000)); });
  h = handler();
  CHECK(h.at("state") == "paused");
  CHECK(h.at("reason") == "deploying");
  CHECK(h.at("since") == "1970-01-01T00:00:05.000Z");
  CHECK(h.at("next_probe_at").is_null());
}

TEST_CASE("the keys of a handler", "[status]") {
  api_world w;
  w.fill();
  w.finish(w.take().at(0), tide::outcome::failed, w.clock + 60'000);
  const auto page = w.ask_json("/v1/handlers/h/keys");
  REQUIRE(page.at("items").as_array().size() == 1);
  const auto& k = page.at("items").at(0);
  CHECK(members(k) == "key state since waiting head");
  CHECK(k.at("key") == "1:k");
  CHECK(members(k.at("head")) ==
        "id event_id sequence attempts next_at outcome http_status answer");
  CHECK(k.at("head").at("event_id") == json::string(api_world::id(1)));
  CHECK(k.at("head").at("sequence").as_string().size() == 20);
  CHECK(k.at("head").at("attempts") == 1);
  CHECK(k.at("head").at("outcome") == "failed");
  CHECK(k.at("head").at("http_status") == 500);
  CHECK(k.at("head").at("next_at") == "2023-11-14T22:14:20.000Z");
}

TEST_CASE("ready: listeners and store, not chains and handlers", "[status]") {
  api_world w;
  CHECK(w.status("/readyz") == 503);
  w.board.set_listening(true);
  w.board.put(following());
  CHECK(text(w.ask_json("/readyz")) == R"({"ready":true,"degraded":[]})");
  auto bad = following();
  bad.state = tide::chain_state::degraded;
  bad.reason = "no endpoint answers";
  w.board.put(bad);
  w.board.put(tide::handler_status{"g", tide::handler_state::broken, "refused", 1, 0, 2});
  CHECK(text(w.ask_json("/readyz").at("degraded")) ==
        R"([{"kind":"chain","name":"ethereum","state":"degraded","reason":"no endpoint answers"},)"
        R"({"kind":"handler","name":"g","state":"broken","reason":"refused"}])");
  w.board.set_store_trouble("disk full");
  const auto full = w.ask(get("/readyz"));
  CHECK(full.status == 503);
  CHECK(full.body.find("disk full") != std::string::npos);
  w.board.set_store_trouble({});
  CHECK(w.status("/readyz") == 200);
  w.board.set_listening(false);
  CHECK(w.status("/readyz") == 503);
}

TEST_CASE("what needs no store is answered by the head", "[status]") {
  api_world w;
  CHECK(w.head(get("/livez"))->status == 200);
  const auto page = w.head(get("/"));
  REQUIRE(page);
  CHECK(page->status == 200);
  CHECK(page->content_type == "text/html; charset=utf-8");
  const auto policy = *net::find_header(page->headers, "Content-Security-Policy");
  CHECK(policy.find("default-src 'none'") != std::string::npos);
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find("http") == std::string::npos);
  for (const char* foreign : {"http://", "https://", "//", "<style", "onclick", "javascript:"}) {
    INFO(foreign);
    CHECK(page->body.find(foreign) == std::string::npos);
  }
  CHECK(w.head(get("/livez?x=1"))->status == 400);
  CHECK_FALSE(w.head(get("/readyz")));
}

TEST_CASE("gaps and the audit", "[status]") {
  api_world w;
  w.in_group([&] { must(w.db->audit("ops", "handlers pause", "h", 5'000)); });
  const auto page = w.ask_json("/v1/audit");
  REQUIRE(page.at("items").as_array().size() == 1);
  const auto& row = page.at("items").at(0);
  CHECK(members(row) == "id at who what detail");
  CHECK(row.at("at") == "1970-01-01T00:00:05.000Z");
  CHECK(row.at("who") == "ops");
  CHECK(text(w.ask_json("/v1/gaps")) == R"({"items":[],"next":null})");
}
