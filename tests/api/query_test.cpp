// SPDX-License-Identifier: MIT
#include "tests/api/api_world.hpp"

using namespace tidemark;
using namespace tidemark::test;

TEST_CASE("a query that is wrong is 400 and says what would be right", "[query]") {
  struct row {
    const char* target;
    const char* says;
  };
  const row rows[] = {
      {"/v1/events?statsu=pending", "the nearest is `status`"},
      {"/v1/events?unknown_filter=1", "unknown parameter `unknown_filter`"},
      {"/v1/status?limit=1", "there is none here"},
      {"/v1/events?limit=0", "1 to 1000"},
      {"/v1/events?limit=1001", "1 to 1000"},
      {"/v1/events?limit=many", "1 to 1000"},
      {"/v1/events?limit=", "1 to 1000"},
      {"/v1/events?limit=-1", "1 to 1000"},
      {"/v1/events?limit=1&limit=2", "given twice"},
      {"/v1/events?after=nonsense", "no cursor"},
      {"/v1/events?after=", "no cursor"},
      {"/v1/events?after=%00nonsense", "percent-encoded"},
      {"/v1/events?limit=%g0", "percent-encoded"},
      {"/v1/events?status=maybe", "pending, confirmed, rolled_back"},
      {"/v1/events?chain=base", "no chain `base`"},
      {"/v1/events?chain=1", "no chain `1`"},
      {"/v1/events?address=0x12", "40 hex digits"},
      {"/v1/events?address=0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB4", "40 hex digits"},
      {"/v1/events?address=0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "checksum"},
      {"/v1/events?tx=0x12", "64 hex digits"},
      {"/v1/events?from_block=-1", "whole number"},
      {"/v1/events?to_block=99999999999999999999", "whole number"},
      {"/v1/events?first_seen=webhook:", "webhook:NAME"},
      {"/v1/events?first_seen=tail", "webhook:NAME"},
      {"/v1/events?delivery=queued", "needs `handler`"},
      {"/v1/events?handler=h&delivery=lost", "held, queued, sending"},
      {"/v1/webhooks?state=nonsense", "received, verified"},
      {"/v1/handlers/h/keys?state=sending", "blocked, parked, held"},
      {"/v1/handlers?after=nobody", "no cursor"},
      {"/v1/feed?after=x", "whole number"},
      {"/v1/feed?epoch=x", "whole number"},
      {"/v1/feed?wait=forever", "duration"},
      {"/v1/feed?limit=0", "1 to 1000"},
  };
  api_world w;
  for (const auto& r : rows) {
    const auto a = w.ask(get(r.target));
    INFO(r.target << ": " << a.body);
    CHECK(a.status == 400);
    CHECK(a.content_type == "application/problem+json");
    CHECK(a.body.find(r.says) != std::string::npos);
  }
}

TEST_CASE("heights need a chain where there are several", "[query]") {
  auto yaml = two_handlers;
  yaml.insert(
      yaml.find("sources:"),
      "  - {name: base, id: 8453, rpc: [\"http://127.0.0.1:8546\"], confirmations: three}\n");
  api_world two(yaml);
  CHECK(two.status("/v1/events?from_block=1") == 400);
  CHECK(two.status("/v1/events?from_block=1&chain=base") == 200);
  api_world one;
  CHECK(one.status("/v1/events?from_block=1") == 200);
}

TEST_CASE("a body that is wrong is 400", "[query]") {
  api_world w;
  for (const char* body : {"{\"half", "[]", "1", "null", R"({"accept_reorgs":true})",
                           R"({"accept_reorg":1})", R"({"accept_reorg":"true"})"}) {
    INFO(body);
    CHECK(w.ask(post("/v1/chains/ethereum/resume", body)).status == 400);
  }
  CHECK(w.ask(post("/v1/handlers/h/pause", R"({"reason":7})")).status == 400);
  CHECK(w.ordered.empty());
  w.report.resumed = true;
  CHECK(w.ask(post("/v1/chains/ethereum/resume", "")).status == 200);
  CHECK(w.ask(post("/v1/chains/ethereum/resume", " \n")).status == 200);
}

TEST_CASE("what is not there is 404", "[query]") {
  api_world w;
  for (const char* target :
       {"/v1/chains/nobody", "/v1/chains/1", "/v1/events/nonsense", "/v1/events/1:0x12:0",
        "/v1/webhooks/999999", "/v1/webhooks/x", "/v1/webhooks/-1", "/v1/webhooks/0",
        "/v1/webhooks/99999999999999999999", "/v1/webhooks/7/raw", "/v1/handlers/nobody/keys"}) {
    INFO(target);
    const auto a = w.ask(get(target));
    CHECK(a.status == 404);
    CHECK(a.content_type == "application/problem+json");
  }
  CHECK(w.status("/v1/events/" + api_world::id(77)) == 404);
  CHECK(w.ask(post("/v1/chains/nobody/resume")).status == 404);
  CHECK(w.ask(post("/v1/handlers/nobody/pause")).status == 404);
  CHECK(w.ask(post("/v1/webhooks/7/reprocess")).status == 404);
  CHECK(w.ordered.empty());
}
