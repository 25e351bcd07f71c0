// SPDX-License-Identifier: MIT
#include "actors/ingest_rules.hpp"

#include "actors/stored_headers.hpp"
#include "evm/hex.hpp"
#include "tests/actors/ingest_world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <zlib.h>

namespace json = boost::json;
using namespace tidemark;
using namespace tidemark::actors;

namespace {

constexpr std::int64_t now = 1'700'000'000'000;

std::string gzip(std::string_view text) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

} // namespace

TEST_CASE("a head that cannot be taken is refused before its body", "[ingest]") {
  const ingest_rules rules{ingest_config()};
  struct row {
    const char *method, *target;
    net::header_list headers;
    unsigned status; ///< 0: go on
  };
  const row rows[] = {
      {"POST", "/hooks/own-relay", {}, 0},
      {"POST", "/hooks/own-relay", {{"Content-Encoding", "gzip"}}, 0},
      {"POST", "/hooks/own-relay", {{"content-encoding", "deflate"}}, 0},
      {"POST", "/hooks/own-relay", {{"content-encoding", "identity"}}, 0},
      {"POST", "/hooks/own-relay", {{"content-encoding", "br"}}, 415},
      {"POST", "/hooks/own-relay", {{"content-encoding", "gzip, gzip"}}, 415},
      {"POST",
       "/hooks/own-relay",
       {{"content-encoding", "gzip"}, {"Content-Encoding", "gzip"}},
       415},
      {"GET", "/hooks/own-relay", {}, 405},
      {"PUT", "/hooks/own-relay", {}, 405},
      {"post", "/hooks/own-relay", {}, 405},
      {"POST", "/hooks/other", {}, 404},
      {"GET", "/hooks/other", {}, 404},
      {"POST", "/hooks/", {}, 404},
      {"POST", "/hooks", {}, 404},
      {"POST", "/hooks/own-relay/", {}, 404},
      {"POST", "/hooks/own-relay/x", {}, 404},
      {"POST", "/Hooks/own-relay", {}, 404},
      {"POST", "/", {}, 404},
      {"POST", "*", {}, 404},
  };
  for (const auto& r : rows) {
    INFO(r.method << " " << r.target);
    auto request = hook(r.target, "", r.headers);
    request->method = r.method;
    const auto answer = check_head(rules, *request);
    CHECK((answer ? answer->status : 0) == r.status);
    if (r.status != 0) CHECK(answer->content_type == "application/problem+json");
    if (r.status == 405) CHECK(*net::find_header(answer->headers, "allow") == "POST");
  }
}

TEST_CASE("only what is signed is taken", "[ingest]") {
  const ingest_rules rules{ingest_config()};
  const auto body = "[" + log_json(1) + "," + log_json(2) + "]";
  SECTION("with its hints counted") {
    auto r = relayed(body, {{"Content-Type", "application/json"}});
    const auto got = std::get<accepted_request>(judge(rules, *r, now));
    CHECK(got.source == "own-relay");
    CHECK(got.body == body);
    CHECK(got.hints == 2);
    CHECK(json::parse(got.headers).at("content-type").as_string() == "application/json");
  }
  SECTION("an old secret is as good") {
    auto r = hook("/hooks/own-relay", body,
                  {{"x-hub-signature-256", "sha256=" + hex_hmac("old-" + relay_secret, body)}});
    CHECK(status_of(judge(rules, *r, now)) == 200);
  }
  SECTION("what cannot be understood is taken too") {
    for (const auto* odd : {"", "not json", "{\"a\":", "[1,2]"}) {
      auto r = relayed(odd);
      CHECK(std::get<accepted_request>(judge(rules, *r, now)).hints == 0);
    }
  }
  SECTION("nothing else is") {
    auto unsigned_one = hook("/hooks/own-relay", body);
    auto wrong = relayed(body);
    wrong->body += " ";
    auto malformed = hook("/hooks/own-relay", body, {{"X-Hub-Signature-256", "sha256=zz"}});
    auto doubled = relayed(body);
    doubled->headers.push_back(doubled->headers.back());
    for (const auto& r : {unsigned_one, wrong, malformed, doubled}) {
      const auto got = judge(rules, *r, now);
      const auto& refused = std::get<refused_request>(got);
      CHECK(refused.answer.status == 401);
      CHECK(refused.answer.content_type == "application/problem+json");
      CHECK(refused.source == "own-relay");
      CHECK(refused.why == ingest_result::unauthorized);
      CHECK(refused.answer.body.find(relay_secret) == std::string::npos);
    }
  }
  SECTION("a secret in a header is checked and not stored") {
    auto r = hook("/hooks/token", body, {{"X-Token", relay_secret}, {"X-Other", "1"}});
    const auto got = std::get<accepted_request>(judge(rules, *r, now));
    CHECK(got.headers == R"({"x-other":"1"})");
    auto wrong = hook("/hooks/token", body, {{"X-Token", relay_secret + "x"}});
    CHECK(status_of(judge(rules, *wrong, now)) == 401);
  }
}

TEST_CASE("a compressed body is stored as it came", "[ingest]") {
  const ingest_rules rules{ingest_config()};
  const auto body = log_json(7);
  SECTION("signed as it came") {
    const auto packed = gzip(body);
    auto r = relayed(packed, {{"Content-Encoding", "gzip"}});
    const auto got = std::get<accepted_request>(judge(rules, *r, now));
    CHECK(got.body == packed);
    CHECK(got.hints == 1);
    CHECK(read_hints(rules, stored(got)).hints.size() == 1);
  }
  SECTION("the limit holds for what is in it") {
    auto r = relayed(gzip(std::string(70'000, ' ')), {{"Content-Encoding", "gzip"}});
    CHECK(status_of(judge(rules, *r, now)) == 413);
  }
  SECTION("damaged") {
    auto packed = gzip(body);
    packed.pop_back();
    auto r = relayed(packed, {{"Content-Encoding", "gzip"}});
    CHECK(status_of(judge(rules, *r, now)) == 400);
    auto forged = hook("/hooks/own-relay", packed, {{"Content-Encoding", "gzip"}});
    CHECK(status_of(judge(rules, *forged, now)) == 401);
  }
  SECTION("what it inflates to counts as in flight") {
    const auto budget = std::make_shared<net::byte_budget>(1'000);
    net::request r{budget};
    auto from = relayed(gzip(std::string(2'000, ' ')), {{"Content-Encoding", "gzip"}});
    r.method = from->method;
    r.target = from->target;
    r.headers = from->headers;
    r.body = from->body;
    const auto got = judge(rules, r, now);
    const auto& refused = std::get<refused_request>(got);
    CHECK(refused.answer.status == 503);
    CHECK(net::find_header(refused.answer.headers, "retry-after"));
    CHECK(refused.why == ingest_result::unavailable);
  }
}

TEST_CASE("headers are kept without what is secret", "[ingest]") {
  const std::string secrets[] = {"s3cret"};
  CHECK(stored_headers({}, secrets) == "{}");
  CHECK(stored_headers({{"Authorization", "Bearer x"},
                        {"Proxy-Authorization", "x"},
                        {"COOKIE", "a=b"},
                        {"X-Key", "s3cret"},
                        {"X-Key2", "key=s3cret;"},
                        {"Host", "a"}},
                       secrets) == R"({"host":"a"})");
  CHECK(stored_headers({{"A", "1"}, {"b", "2"}, {"a", "3"}, {"A", "s3cret"}, {"A", "4"}},
                       secrets) == R"({"a":"1, 3, 4","b":"2"})");
  const auto odd = stored_headers({{"a\"\\", "q\"\\\x01\t\x7f\xe9"}}, {});
  const auto parsed = json::parse(odd);
  CHECK(parsed.at("a\"\\").as_string() == "q\"\\\x01\t\x7f\xc3\xa9");
  CHECK(stored_header(odd, "a") == "");
  CHECK(stored_header(R"({"content-encoding":"gzip"})", "content-encoding") == "gzip");
  CHECK(stored_header(R"({"x":"content-encoding"})", "content-encoding") == "");
  CHECK(stored_header("content-encoding, no JSON", "content-encoding") == "");
}

TEST_CASE("what a body names becomes looks at our chains", "[ingest]") {
  const ingest_rules rules{ingest_config()};
  const auto read = [&](std::string body, std::string source = "own-relay") {
    return read_hints(rules, {5, std::move(source), now, "{}", std::move(body)});
  };
  using tide::hint_state;
  SECTION("states of those that name nothing") {
    const std::pair<const char*, hint_state> rows[] = {
        {"not json", hint_state::unparsed},
        {R"([{"logIndex":"0x1","transactionHash":"0x12"}])", hint_state::unparsed},
        {"[]", hint_state::irrelevant},
    };
    for (const auto& [body, state] : rows) {
      INFO(body);
      const auto got = read(body);
      CHECK(got.webhook == 5);
      CHECK(got.hints.empty());
      CHECK(got.state_if_no_hints == state);
    }
    CHECK(read("[]", "gone").state_if_no_hints == hint_state::unparsed);
  }
  SECTION("the chain: the payload's number, its name as the source or the provider knows it, the "
          "source's") {
    const std::pair<const char*, std::optional<std::uint64_t>> rows[] = {
        {"", 1},
        {R"(,"chainId":1)", 1},
        {R"(,"chainId":5)", {}},
        {R"(,"network":"my-fork")", 1},
        {R"(,"network":"elsewhere")", {}},
        {R"(,"network":"nobody-knows")", {}},
    };
    for (const auto& [more, chain] : rows) {
      INFO(more);
      const auto got = read(log_json(1, more));
      REQUIRE(got.hints.size() == 1);
      CHECK(got.hints[0].chain_id == chain);
      CHECK(got.hints[0].log_index == 1);
      CHECK(got.hints[0].block == 16);
    }
    CHECK_FALSE(read(log_json(1), "token").hints.at(0).chain_id);
  }
  SECTION("each place once, and no more than so many") {
    CHECK(read("[" + log_json(1) + "," + log_json(1) + "," + log_json(2) + "]").hints.size() == 2);
    std::string many = "[";
    for (unsigned i = 0; i < 1'000; ++i)
      many += (i == 0 ? "" : ",") + log_json(i / 2);
    const auto got = read(many + "]");
    REQUIRE(got.hints.size() == max_lookups);
    CHECK(got.hints.back().tx == evm::parse_hash("0x" + std::string(61, '0') + "100"));
  }
}

TEST_CASE("counters are per source", "[ingest]") {
  ingest_counters counters{ingest_config()};
  counters.add("token", ingest_result::accepted, 5);
  counters.add("token", ingest_result::accepted, 6);
  counters.add("token", ingest_result::unauthorized, 7);
  counters.add("nobody", ingest_result::accepted, 8);
  counters.add("", ingest_result::malformed, 8);
  const auto got = counters.snapshot();
  REQUIRE(got.size() == 2);
  CHECK(got[0].source == "own-relay");
  CHECK(got[0].last_at == 0);
  CHECK(got[1].of(ingest_result::accepted) == 2);
  CHECK(got[1].of(ingest_result::unauthorized) == 1);
  CHECK(got[1].of(ingest_result::malformed) == 0);
  CHECK(got[1].last_at == 7);
  CHECK(to_text(got[1].last_result) == "unauthorized");
}
