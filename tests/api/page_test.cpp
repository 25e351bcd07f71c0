// SPDX-License-Identifier: MIT
#include "api/page_files.hpp"
#include "tests/api/api_world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

std::string header(const net::response& r, std::string_view name) {
  const auto* found = net::find_header(r.headers, name);
  return found == nullptr ? "" : *found;
}

net::response page(const api_world& w, const std::string& path, net::header_list headers = {}) {
  const auto r = w.head(get(path, std::move(headers)));
  REQUIRE(r); // without the store, so that it is there when nothing else is
  return *r;
}

} // namespace

TEST_CASE("the page needs no token and lets nothing in from elsewhere", "[page]") {
  const api_world w;
  const auto r = page(w, "/");
  CHECK(r.status == 200);
  CHECK(r.content_type == "text/html; charset=utf-8");
  CHECK(r.body.find("Tidemark") != r.body.npos);
  const auto policy = header(r, "Content-Security-Policy");
  CHECK(policy.find("default-src 'none'") != policy.npos);
  CHECK(policy.find("script-src 'self';") != policy.npos);
  CHECK(policy.find("frame-ancestors 'none'") != policy.npos);
  CHECK(policy.find("unsafe") == policy.npos);
  CHECK(header(r, "X-Content-Type-Options") == "nosniff");
  CHECK(header(r, "Referrer-Policy") == "no-referrer");
  CHECK(header(r, "Cache-Control") == "no-cache");
  CHECK(header(r, "Tidemark-Token") == "needed");
}

TEST_CASE("every file of the page is served, whole or compressed", "[page]") {
  const api_world w;
  std::size_t weight = 0;
  for (const auto& file : api::page_files()) {
    const auto path = "/" + std::string(file.path);
    INFO(path);
    const auto plain = page(w, path);
    CHECK(plain.status == 200);
    CHECK(plain.content_type == file.type);
    CHECK(plain.body.size() == file.plain.size());
    CHECK(header(plain, "Content-Encoding").empty());
    CHECK(header(plain, "Vary") == "Accept-Encoding");
    const auto small = page(w, path, {{"Accept-Encoding", "br, gzip;q=0.5"}});
    CHECK(header(small, "Content-Encoding") == (file.gzip.empty() ? "" : "gzip"));
    CHECK((file.gzip.empty() || header(small, "ETag") != header(plain, "ETag")));
    weight += small.body.size();
    if (!file.path.empty())
      CHECK(header(plain, "Cache-Control") == "public, max-age=31536000, immutable");
  }
  CHECK(weight < 150 * 1024);
}

TEST_CASE("what the browser has is not sent again", "[page]") {
  const api_world w;
  const auto tag = header(page(w, "/"), "ETag");
  REQUIRE(tag.size() > 2);
  struct row {
    std::string known;
    unsigned status;
  };
  const row rows[] = {{tag, 304},      {"W/" + tag, 304},      {"\"other\", " + tag, 304},
                      {"*", 304},      {"\"other\"", 200},     {"", 200},
                      {"W/\"\"", 200}, {tag.substr(1, 8), 200}};
  for (const auto& r : rows) {
    INFO(r.known);
    const auto answer = page(w, "/", {{"If-None-Match", r.known}});
    CHECK(answer.status == r.status);
    CHECK(header(answer, "ETag") == tag);
    CHECK(answer.body.empty() == (r.status == 304));
  }
}

TEST_CASE("who takes gzip", "[page]") {
  const api_world w;
  for (const char* yes : {"gzip", "deflate, GZIP", "gzip;q=1.0", "gzip; q=0.001"}) {
    INFO(yes);
    CHECK(header(page(w, "/", {{"Accept-Encoding", yes}}), "Content-Encoding") == "gzip");
  }
  for (const char* no : {"", "identity", "gzip;q=0", "gzip; q=0.000", "x-gzip2"}) {
    INFO(no);
    CHECK(header(page(w, "/", {{"Accept-Encoding", no}}), "Content-Encoding").empty());
  }
}

TEST_CASE("no other file", "[page]") {
  const api_world w;
  for (const char* path : {"/assets/none.js", "/assets/..%2f", "/assets/", "/index.html"}) {
    INFO(path);
    CHECK(page(w, path).status == 404);
  }
}
