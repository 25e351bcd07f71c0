// SPDX-License-Identifier: MIT
#include "api/routes.hpp"
#include "tests/api/api_world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

constexpr const char* problem_type = "application/problem+json";

std::string admin(const std::string& how) {
  auto yaml = two_handlers;
  const std::string before = R"(admin: {listen: "127.0.0.1:8481", token: "a-token"})";
  return yaml.replace(yaml.find(before), before.size(), "admin: {" + how + "}");
}

const std::string two_tokens = R"(listen: "127.0.0.1:8481", tokens: [)"
                               R"({name: grafana, role: read, token: to-read}, )"
                               R"({name: ops, role: operate, token: to-operate}])";

asked from(const std::string& host, const std::string& origin = {}) {
  auto r = get("/livez");
  r.headers = {{"Host", host}};
  if (!origin.empty()) r.headers.emplace_back("Origin", origin);
  return r;
}

} // namespace

TEST_CASE("a Host that is none of ours is 403", "[access]") {
  struct row {
    const char* listen;
    const char* host;
    unsigned status;
  };
  const row rows[] = {
      {"127.0.0.1:8481", "127.0.0.1:8481", 200},
      {"127.0.0.1:8481", "127.0.0.1", 200},
      {"127.0.0.1:8481", "localhost:8481", 200},
      {"127.0.0.1:8481", "LocalHost", 200},
      {"127.0.0.1:8481", "[::1]:8481", 200},
      {"127.0.0.1:8481", "127.0.0.1:9000", 200}, // a tunnel's end
      {"127.0.0.1:8481", "dash.example.com", 200},
      {"127.0.0.1:8481", "dash.example.com:8443", 200},
      {"127.0.0.1:8481", "exact.example.com:99", 200},
      {"127.0.0.1:8481", "exact.example.com", 403},
      {"127.0.0.1:8481", "evil.example.com", 403},
      {"127.0.0.1:8481", "evil.example.com:8481", 403},
      {"127.0.0.1:8481", "10.0.0.7:8481", 403},
      {"127.0.0.1:8481", "localhost.evil.example.com", 403},
      {"127.0.0.1:8481", "", 403},
      {"127.0.0.1:8481", ":8481", 403},
      {"127.0.0.1:8481", "[::1", 403},
      {"127.0.0.1:8481", "localhost:8481x", 403},
      {"127.0.0.1:8481", "localhost:123456", 403},
      {"10.0.0.7:8481", "10.0.0.7:8481", 200},
      {"10.0.0.7:8481", "localhost:8481", 403},
      {"0.0.0.0:8481", "10.0.0.7:8481", 200},
      {"0.0.0.0:8481", "[fe80::1]:8481", 200},
      {"0.0.0.0:8481", "localhost:8481", 200},
      {"0.0.0.0:8481", "evil.example.com:8481", 403},
  };
  for (const auto& r : rows) {
    INFO(r.listen << " asked as " << r.host);
    config::config c = parse_config(two_handlers);
    const std::string listen = r.listen;
    c.admin.listen.host = listen.substr(0, listen.find(':'));
    c.admin.hosts = {"dash.example.com", "exact.example.com:99"};
    api::live board{api::identity{}};
    const api::orders none;
    const auto a = at_head(api::admin_api(c, board, none), from(r.host));
    REQUIRE(a);
    CHECK(a->status == r.status);
    if (r.status == 403) CHECK(a->content_type == problem_type);
  }
}

TEST_CASE("no Host at all is 403", "[access]") {
  api_world w;
  auto r = get("/livez");
  r.headers.clear();
  CHECK(w.head(r)->status == 403);
}

TEST_CASE("another site's Origin is 403", "[access]") {
  struct row {
    const char* host;
    const char* origin;
    unsigned status;
  };
  const row rows[] = {
      {"127.0.0.1:8481", "http://127.0.0.1:8481", 200},
      {"localhost:8481", "http://LOCALHOST:8481", 200},
      {"localhost", "https://localhost", 200},
      {"localhost:8481", "http://localhost:3000", 403}, // another server on this machine
      {"localhost:8481", "http://127.0.0.1:8481", 403},
      {"localhost:8481", "http://evil.example.com", 403},
      {"localhost:8481", "null", 403},
      {"localhost:8481", "file://localhost:8481", 403},
      {"localhost:8481", "://localhost:8481", 403},
  };
  api_world w;
  for (const auto& r : rows) {
    INFO(r.host << " from " << r.origin);
    CHECK(w.head(from(r.host, r.origin))->status == r.status);
  }
}

TEST_CASE("who may do what", "[access]") {
  api_world w(admin(two_tokens));
  struct row {
    asked request;
    const char* header;
    unsigned status; ///< 0: allowed by the head
  };
  const row rows[] = {
      {get("/v1/status"), "", 401},
      {get("/v1/status"), "Bearer ", 401},
      {get("/v1/status"), "Bearer to-rea", 401},
      {get("/v1/status"), "Bearer to-read2", 401},
      {get("/v1/status"), "Basic to-read", 401},
      {get("/v1/status"), "to-read", 401},
      {get("/v1/status"), "Bearer to-read", 0},
      {get("/v1/status"), "bearer  to-read", 0},
      {get("/v1/status"), "Bearer to-operate", 0},
      {post("/v1/handlers/h/pause"), "", 401},
      {post("/v1/handlers/h/pause"), "Bearer to-read", 403},
      {post("/v1/handlers/h/pause"), "Bearer to-operate", 0},
      {get("/readyz"), "", 0},
      {get("/livez"), "", 200},
      {get("/"), "", 200},
      {get("/v1/nothing"), "", 404},
  };
  for (const auto& r : rows) {
    auto request = r.request;
    if (*r.header) request.headers.emplace_back("Authorization", r.header);
    INFO(request.method << ' ' << request.target << " with " << r.header);
    const auto a = w.head(request);
    CHECK((a ? a->status : 0) == r.status);
    if (r.status != 401) continue;
    REQUIRE(net::find_header(a->headers, "WWW-Authenticate"));
    CHECK(net::find_header(a->headers, "WWW-Authenticate")->starts_with("Bearer"));
    CHECK(a->content_type == problem_type);
    CHECK(a->body.find("to-read") == std::string::npos);
  }
}

TEST_CASE("without tokens everybody on the loopback may do all", "[access]") {
  api_world w(admin(R"(listen: "127.0.0.1:8481")"));
  CHECK_FALSE(w.head(get("/v1/status")));
  CHECK(w.ask(post("/v1/handlers/h/pause")).status == 200);
  CHECK(w.ordered.back() == "pause h (paused by 127.0.0.1) by 127.0.0.1");
}

TEST_CASE("paths, methods and media types", "[access]") {
  api_world w;
  const auto ask = [&](const char* method, const char* target, const char* type) {
    auto r = get(target, {{"Authorization", "Bearer a-token"}});
    r.method = method;
    if (*type) r.headers.emplace_back("Content-Type", type);
    return w.head(r);
  };
  CHECK(ask("GET", "/v1", "")->status == 404);
  CHECK(ask("GET", "/v1/status/", "")->status == 404);
  CHECK(ask("GET", "/v1/chains/", "")->status == 404);
  CHECK(ask("GET", "/v1/chains/a/b", "")->status == 404);
  CHECK(ask("GET", "/v1/chains/%zz", "")->status == 404);
  CHECK(ask("GET", "*", "")->status == 404);
  CHECK_FALSE(ask("HEAD", "/v1/status", ""));
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    INFO(method);
    const auto a = ask(method, "/v1/status", "application/json");
    REQUIRE(a);
    CHECK(a->status == 405);
    CHECK(*net::find_header(a->headers, "Allow") == "GET, HEAD");
  }
  CHECK(*net::find_header(ask("GET", "/v1/handlers/h/pause", "")->headers, "Allow") == "POST");
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                           "application/jsonx", "multipart/form-data"}) {
    INFO(type);
    CHECK(ask("POST", "/v1/handlers/h/pause", type)->status == 415);
  }
  for (const char* type : {"application/json", "Application/JSON",
                           "application/json; charset=utf-8", "application/json ;charset=utf-8"}) {
    INFO(type);
    CHECK_FALSE(ask("POST", "/v1/handlers/h/pause", type));
  }
}

TEST_CASE("what the head refuses, the whole refuses", "[access]") {
  api_world w;
  auto r = get("/v1/status", {{"Authorization", "Bearer wrong"}});
  CHECK(w.ask(r).status == 401);
  r = get("/v1/status");
  r.headers.emplace_back("Origin", "http://evil.example.com");
  CHECK(w.ask(r).status == 403);
}

TEST_CASE("a path's names are one segment each", "[access]") {
  struct row {
    const char* pattern;
    const char* path;
    std::optional<std::vector<std::string>> values;
  };
  const row rows[] = {
      {"/", "/", {{}}},
      {"/", "", {}},
      {"/a", "/a", {{}}},
      {"/a", "/a/", {}},
      {"/a/{x}", "/a/b", {{"b"}}},
      {"/a/{x}", "/a/", {}},
      {"/a/{x}", "/a/b/c", {}},
      {"/a/{x}/c", "/a/b/c", {{"b"}}},
      {"/a/{x}/c", "/a/b%2Fc/c", {{"b/c"}}},
      {"/a/{x}", "/a/1%3A0x2:3", {{"1:0x2:3"}}},
      {"/a/{x}", "/a/%00", {}},
      {"/a/{x}", "/a/%4", {}},
      {"/a/{x}", "/a/a+b", {{"a+b"}}},
  };
  for (const auto& r : rows) {
    INFO(r.pattern << " and " << r.path);
    CHECK(api::match(r.pattern, r.path) == r.values);
  }
}

TEST_CASE("the table: GETs read, POSTs operate, every row says what it does", "[access]") {
  for (const auto& r : api::routes()) {
    INFO(r.method << ' ' << r.path);
    CHECK_FALSE(r.says.empty());
    CHECK(r.run);
    if (r.method == "POST") CHECK(r.needs == api::access::operate);
    if (r.method == "GET") CHECK(r.needs != api::access::operate);
    if (r.path.starts_with("/v1/")) CHECK(r.needs != api::access::open);
  }
}

TEST_CASE("of two tokens none counts", "[access]") {
  api_world w;
  auto r = get("/v1/status");
  for (const auto* token : {"Bearer a-token", "Bearer a-token"})
    r.headers.emplace_back("Authorization", token);
  REQUIRE(w.head(r));
  CHECK(w.head(r)->status == 401);
  r.headers.pop_back();
  CHECK_FALSE(w.head(r));
}
