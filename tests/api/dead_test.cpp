// SPDX-License-Identifier: MIT
#include "api/moments.hpp"
#include "tests/api/api_world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// Event 1, confirmed, is parked alone for handler h.
std::int64_t park_one(api_world& w) {
  w.fill();
  const auto m = w.take("h");
  REQUIRE_FALSE(m.empty());
  w.park(m[0], tide::on_exhausted::park_event);
  const auto items = w.ask_json("/v1/dead").at("items").as_array();
  REQUIRE(items.size() == 1);
  return items[0].at("id").as_int64();
}

} // namespace

TEST_CASE("parked messages: looked at, retried, skipped", "[dead]") {
  api_world w;
  const auto id = std::to_string(park_one(w));
  const auto item = w.ask_json("/v1/dead").at("items").at(0);
  CHECK(members(item) == "id message_id handler key event_id sequence parked_at attempts outcome "
                         "http_status answer");
  CHECK(item.at("event_id") == json::string(api_world::id(1)));
  CHECK(item.at("sequence") == "00000000000000000001");
  CHECK(item.at("outcome") == "failed");
  CHECK(item.at("http_status") == 500);
  SECTION("one is retried") {
    const auto a = w.ask(post("/v1/dead/" + id + "/retry"));
    CHECK(a.status == 200);
    CHECK(a.body == "{\"id\":" + id + R"(,"state":"queued"})");
    CHECK(w.ask(post("/v1/dead/" + id + "/retry")).status == 404);
    CHECK(w.ordered.front() == "retry " + id + " by token");
  }
  SECTION("a skip says why") {
    CHECK(w.ask(post("/v1/dead/" + id + "/skip")).status == 400);
    const auto a = w.ask(post("/v1/dead/" + id + "/skip", R"({"reason":"by hand"})"));
    CHECK(a.body == "{\"id\":" + id + R"(,"state":"skipped"})");
    CHECK(w.ordered == std::vector<std::string>{"skip " + id + " (by hand) by token"});
  }
  SECTION("several, and all") {
    CHECK(w.ask(post("/v1/dead/retry", R"({"ids":[99]})")).body ==
          R"({"count":0,"refused":[{"id":99,"detail":"there is no such parked message"}]})");
    CHECK(w.ask(post("/v1/dead/retry", R"({"handler":"g"})")).body ==
          R"({"count":0,"refused":[]})");
    CHECK(w.ask(post("/v1/dead/retry")).body == R"({"count":1,"refused":[]})");
    for (const char* bad : {R"({"ids":[]})", R"({"ids":["x"]})", R"({"ids":1})", R"({"all":true})"})
      CHECK(w.ask(post("/v1/dead/retry", bad)).status == 400);
  }
  CHECK(w.ask(post("/v1/dead/x/retry")).status == 404);
}

TEST_CASE("a replay: counted, started, refused", "[dead]") {
  api_world w;
  w.fill();
  w.deliver("h");
  const std::string path = "/v1/handlers/h/replay";
  CHECK(w.ask(post(path, R"({"dry_run":true})")).body.find(R"("job":null)") != std::string::npos);
  const auto started = parsed(w.ask(post(path, R"({"chain":"ethereum","to_block":10})")));
  CHECK(started.at("count") == 1);
  CHECK(w.ask_json("/v1/jobs/" + text(started.at("job"))).at("state") == "running");
  CHECK(show(w.deliver("h")) == "c10");
  CHECK(w.ask_json("/v1/jobs/" + text(started.at("job"))).at("state") == "done");
  for (const char* bad :
       {R"({"since":"soon"})", R"({"from_seq":-1})", R"({"from_seq":"1"})", R"({"event_id":"x"})",
        R"({"chain":"base"})", R"({"from_block":1})", R"({"as_new":true})", R"({"rate":-1})",
        R"({"dry_run":1})", R"({"everything":true})"}) {
    INFO(bad);
    CHECK(w.ask(post(path, bad)).status == 400);
  }
  CHECK(w.ask(post("/v1/handlers/none/replay")).status == 404);
}

TEST_CASE("a ping says what came back", "[dead]") {
  api_world w;
  w.pinged = {tide::exchange_end::kind::answered, 204, "", "", 12};
  CHECK(w.ask(post("/v1/handlers/h/test")).body ==
        R"({"name":"h","id":"ping_1_1","ok":true,"http_status":204,"duration_ms":12,"answer":""})");
  w.pinged = {tide::exchange_end::kind::unreachable, 0, "", "refused", 3};
  CHECK(w.ask(post("/v1/handlers/h/test")).body ==
        R"({"name":"h","id":"ping_1_1","ok":false,"http_status":null,"duration_ms":3,)"
        R"("answer":"refused"})");
}

TEST_CASE("times of RFC 3339", "[dead]") {
  struct row {
    const char* text;
    std::optional<std::int64_t> ms;
  };
  const row rows[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-11-29T10:00:00Z", 1'795'946'400'000},
      {"2026-11-29T10:00:00.25Z", 1'795'946'400'250},
      {"2026-11-29T11:30:00+01:30", 1'795'946'400'000},
      {"2026-11-29", 1'795'910'400'000},
      {"2026-02-30", std::nullopt},
      {"2026-11-29T10:00:00", std::nullopt},
      {"2026-11-29T25:00:00Z", std::nullopt},
      {"2026-11-29T10:00:00Zx", std::nullopt},
      {"soon", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    CHECK(api::parse_moment(r.text) == r.ms);
  }
}
