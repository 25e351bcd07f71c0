// SPDX-License-Identifier: MIT
#include "actors/ingest_rules.hpp"

#include "tests/actors/ingest_world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace json = boost::json;
using namespace tidemark;
using namespace tidemark::actors;

// One signed request a row, shared with whoever else reads what these providers send.
TEST_CASE("each row of the shared vectors is answered as the contract says", "[ingest]") {
  const std::filesystem::path folder = TIDEMARK_SOURCE_DIR "/tests/providers/vectors";
  const auto content = [](const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    REQUIRE(in);
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  const auto file = json::parse(content(folder / "vectors.json"));
  std::size_t rows = 0;
  for (const auto& v : file.at("vectors").as_array()) {
    const auto& row = v.as_object();
    const std::string provider{row.at("provider").as_string()};
    ++rows;
    INFO(row.at("id").as_string());

    auto c = ingest_config();
    c.sources.resize(1);
    auto& s = c.sources[0];
    s.provider = provider;
    s.secrets.clear();
    if (const auto* secret = row.at("secret").if_string()) s.secrets = {std::string{*secret}};
    if (provider != "raw") s.signature.reset();
    if (const auto* header = row.if_contains("auth_header"))
      s.signature =
          providers::scheme{.header = std::string{header->as_string()}, .by = providers::mac::none};
    if (const auto* t = row.if_contains("tolerance_s"); t && !t->is_null())
      s.tolerance = std::chrono::seconds{t->to_number<std::int64_t>()};
    c.ingest.max_body = 4 << 20;
    if (const auto* limit = row.if_contains("limit_bytes"))
      c.ingest.max_body = limit->to_number<std::uint64_t>();
    const ingest_rules rules{c};

    const auto* wire = row.if_contains("wire_file");
    auto r = hook("/hooks/own-relay",
                  content(folder / std::string{(wire ? *wire : row.at("file")).as_string()}));
    for (const auto& h : row.at("headers").as_object())
      r->headers.emplace_back(std::string{h.key()}, std::string{h.value().as_string()});
    const auto* stage = row.if_contains("stage");
    const std::string at = stage ? std::string{stage->as_string()} : "";
    const auto then = row.at("now").to_number<std::int64_t>() * 1'000;

    const auto head = check_head(rules, *r);
    const auto got = judge(rules, *r, then);
    const auto status = head ? head->status : status_of(got);
    if (at == "auth") CHECK(status == 401);
    if (at == "limit") CHECK(status == 413);
    if (at == "decode") CHECK((status == 400 || status == 415));
    if (at != "" && at != "parse") continue;
    REQUIRE(status == 200);
    const auto& taken = std::get<accepted_request>(got);
    CHECK(taken.hints == row.at("hints").as_array().size());
    const auto read = read_hints(rules, stored(taken));
    CHECK(read.hints.size() <= taken.hints);
    if (at == "parse") CHECK(read.state_if_no_hints == tide::hint_state::unparsed);
    if (at == "") CHECK(read.state_if_no_hints == tide::hint_state::irrelevant);
    for (const auto& secret : s.secrets)
      CHECK(taken.headers.find(secret) == std::string::npos);
  }
  CHECK(rows == 207);
}
