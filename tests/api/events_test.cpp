// SPDX-License-Identifier: MIT
#include "tests/api/api_world.hpp"

#include "evm/hex.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

std::vector<std::string> ids(const json::value& page) {
  std::vector<std::string> out;
  for (const auto& item : page.at("items").as_array())
    out.emplace_back(item.at("event_id").as_string());
  return out;
}

} // namespace

TEST_CASE("an event in a list is its data and what each handler has of it", "[events]") {
  api_world w;
  w.fill();
  const auto page = w.ask_json("/v1/events?status=confirmed");
  CHECK(members(page) == "items next");
  REQUIRE(ids(page) == std::vector{api_world::id(1)});
  const auto& item = page.at("items").at(0);
  CHECK(members(item) == "version status first_seen replaces head event_id chain block processing");
  CHECK(item.at("version") == 2);
  CHECK(item.at("status") == "confirmed");
  CHECK(item.at("first_seen") == "head");
  CHECK(text(item.at("processing")) == R"({"h":"queued"})");
  CHECK(page.at("next").is_null());
}

TEST_CASE("one event's whole life", "[events]") {
  api_world w;
  w.fill();
  w.finish(w.take().at(0));
  const auto e = w.ask_json("/v1/events/" + api_world::id(1));
  CHECK(members(e) == "version status first_seen replaces head event_id chain block processing "
                      "history webhooks attempts");
  const auto& history = e.at("history").as_array();
  REQUIRE(history.size() == 2);
  CHECK(members(history[0]) == "version status block_hash at why id");
  CHECK(history[0].at("version") == 1);
  CHECK(history[0].at("status") == "pending");
  CHECK(history[0].at("why").is_null());
  CHECK(history[0].at("block_hash") == json::string(evm::to_hex(block(10).hash)));
  CHECK(history[0].at("at") == "1970-01-01T00:00:01.002Z");
  CHECK(std::string(history[1].at("id").as_string()).ends_with("_c1"));
  REQUIRE(e.at("attempts").as_array().size() == 1);
  const auto& attempt = e.at("attempts").at(0);
  CHECK(members(attempt) == "handler id at outcome http_status duration_ms answer");
  CHECK(attempt.at("handler") == "h");
  CHECK(attempt.at("id") == history[1].at("id"));
  CHECK(attempt.at("outcome") == "ok");
  CHECK(attempt.at("http_status") == 200);
  CHECK(attempt.at("answer") == "said");
  CHECK(text(e.at("processing")) == R"({"h":"delivered"})");

  const auto undone = w.ask_json("/v1/events/" + api_world::id(3));
  CHECK(undone.at("status") == "rolled_back");
  CHECK(undone.at("why") == "reorg");
  CHECK(undone.at("history").at(2).at("why") == "reorg");
  CHECK(undone.at("undoes") == undone.at("history").at(1).at("id"));
  CHECK(w.ask_json("/v1/events/1%3A" + api_world::id(3).substr(2)) == undone);
}

TEST_CASE("filters and pages of events", "[events]") {
  api_world w;
  w.fill();
  const auto all = ids(w.ask_json("/v1/events"));
  CHECK(all.size() == 3);
  struct row {
    std::string query;
    std::vector<std::uint64_t> found;
  };
  const std::string address = "0x09" + std::string(38, '0');
  const row rows[] = {
      {"status=pending", {2}},
      {"status=rolled_back", {3}},
      {"chain=ethereum&from_block=11", {2, 3}},
      {"chain=ethereum&from_block=11&to_block=11", {3}},
      {"to_block=10", {1}},
      {"tx=" + evm::to_hex(tx(2)), {2}},
      {"address=" + address, {1, 2, 3}},
      {"address=0x" + std::string(40, '9'), {}},
      {"subscription=transfers&status=pending", {2}},
      {"subscription=others", {}},
      {"first_seen=head", {1, 2, 3}},
      {"first_seen=webhook:alchemy", {}},
      {"handler=h&delivery=queued&status=confirmed", {1}},
      {"handler=h&delivery=parked", {}},
  };
  for (const auto& r : rows) {
    INFO(r.query);
    auto found = ids(w.ask_json("/v1/events?" + r.query));
    std::vector<std::string> expected;
    for (const auto t : r.found)
      expected.push_back(api_world::id(t));
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
  }
  std::vector<std::string> paged;
  std::string after;
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = w.ask_json("/v1/events?limit=1" + after);
    for (const auto& id : ids(page))
      paged.push_back(id);
    if (page.at("next").is_null()) break;
    after = "&after=" + std::string(page.at("next").as_string());
  }
  CHECK(paged == all);
}

TEST_CASE("an answer that is no UTF-8 is still JSON", "[events]") {
  api_world w;
  w.fill();
  const auto m = w.take().at(0);
  store::finished f;
  f.handler = "h";
  f.lane = m.lane;
  f.seq = m.seq;
  f.attempt_id = m.attempt_id;
  f.answer = "\xff\x1b[2J\"";
  w.in_group([&] { must(w.db->finish(std::span(&f, 1), w.now)); });
  const auto e = w.ask_json("/v1/events/" + api_world::id(1));
  CHECK(e.at("attempts").at(0).at("answer") == "\xef\xbf\xbd\x1b[2J\"");
}

TEST_CASE("the feed is every fact, in one order", "[feed]") {
  api_world w;
  const auto nothing = w.ask_json("/v1/feed");
  CHECK(text(nothing) == R"({"epoch":1,"items":[],"next":0})");
  w.fill();
  const auto feed = w.ask_json("/v1/feed");
  CHECK(members(feed) == "epoch items next");
  const auto& items = feed.at("items").as_array();
  REQUIRE(items.size() == 6);
  CHECK(members(items[0]) ==
        "seq specversion id source type subject time datacontenttype dataschema data");
  CHECK(items[0].at("seq") == 1);
  CHECK(items[0].at("source") == "/tidemark/test");
  CHECK(items[5].at("type") == "tidemark.event.rolled_back");
  CHECK(feed.at("next") == 6);
  const auto some = w.ask_json("/v1/feed?after=2&limit=3&epoch=1");
  CHECK(some.at("items").at(0) == items[2]);
  CHECK(some.at("items").as_array().size() == 3);
  CHECK(some.at("next") == 5);
}

TEST_CASE("the feed from its end: nothing yet, and where to go on", "[feed]") {
  api_world w;
  w.fill();
  const char* end = R"({"epoch":1,"items":[],"next":6})";
  CHECK(text(w.ask_json("/v1/feed?after=latest")) == end);
  CHECK(text(w.ask_json("/v1/feed?after=latest&wait=20s")) == end);
  CHECK(w.status("/v1/feed?after=latest&epoch=2") == 410);
  CHECK(w.status("/v1/feed?after=last") == 400);
}

TEST_CASE("the feed's end and epoch: 410 says where to go on", "[feed]") {
  api_world w;
  w.fill();
  CHECK(w.status("/v1/feed?after=6") == 200);
  for (const char* target : {"/v1/feed?after=7", "/v1/feed?after=9223372036854775807",
                             "/v1/feed?after=0&epoch=2", "/v1/feed?after=7&wait=1s"}) {
    INFO(target);
    const auto a = w.ask(get(target));
    CHECK(a.status == 410);
    CHECK(a.content_type == "application/problem+json");
    CHECK(parsed(a).at("next") == 6);
    CHECK(parsed(a).at("epoch") == 1);
  }
}

TEST_CASE("the feed waits until there is something, or its time is over", "[feed]") {
  api_world w;
  const auto request = get("/v1/feed?after=0&wait=20s");
  const auto first = w.answer(request);
  REQUIRE(std::holds_alternative<api::wait_for_feed>(first));
  const auto waits = std::get<api::wait_for_feed>(first);
  CHECK(waits.until == w.clock + 20'000);
  w.clock += 19'999;
  const auto again = w.answer(request, waits);
  REQUIRE(std::holds_alternative<api::wait_for_feed>(again));
  CHECK(std::get<api::wait_for_feed>(again).until == waits.until);
  w.clock += 1;
  const auto over = w.answer(request, waits);
  REQUIRE(std::holds_alternative<net::response>(over));
  CHECK(parsed(std::get<net::response>(over)).at("items").as_array().empty());

  const auto long_wait = std::get<api::wait_for_feed>(w.answer(get("/v1/feed?wait=1h")));
  CHECK(long_wait.until == w.clock + api::admin_api::longest_wait.count());
  w.fill();
  CHECK(std::holds_alternative<net::response>(w.answer(request, waits)));
  CHECK(std::holds_alternative<api::wait_for_feed>(w.answer(get("/v1/feed?after=6&wait=1s"))));
}

TEST_CASE("a page that ends at a transaction goes on behind it", "[events]") {
  api_world w;
  std::vector<tide::sighting> all;
  std::vector<tide::held_header> headers;
  for (std::uint64_t n = 10; n <= 12; ++n) {
    all.push_back(api_world::named(log(block(n), n, -1)));
    all.back().tx_index = 0;
    headers.push_back(header(n));
  }
  w.apply(12, {tide::saw{all}}, headers);
  std::string seen, after;
  do {
    const auto page = w.ask_json("/v1/events?chain=ethereum&limit=1" + after);
    for (const auto& e : page.at("items").as_array())
      seen += std::to_string(e.at("block").at("number").as_int64()) + ' ';
    const auto* next = page.at("next").if_string();
    after = next == nullptr ? "" : "&after=" + std::string(*next);
  } while (!after.empty());
  CHECK(seen == "12 11 10 ");
}
