// SPDX-License-Identifier: MIT
#include "actors/client_address.hpp"

#include "actors/ingest_rules.hpp"
#include "tests/actors/ingest_world.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::actors;

namespace {

std::vector<config::address_range> ranges(const std::vector<const char*>& texts) {
  std::vector<config::address_range> out;
  for (const char* t : texts)
    out.push_back(config::parse_range(t).value());
  return out;
}

request_ptr from(const char* peer, net::header_list headers = {}) {
  auto r = hook("/hooks/own-relay", "", std::move(headers));
  r->remote = boost::asio::ip::make_address(peer);
  return r;
}

} // namespace

TEST_CASE("who sent it, through proxies that are trusted", "[ingest]") {
  const auto trusted = ranges({"127.0.0.1", "10.0.0.0/8"});
  struct row {
    const char* peer;
    net::header_list headers;
    const char* is; ///< empty: nobody knows
  };
  const char* xff = "X-Forwarded-For";
  const row rows[] = {
      {"192.0.2.1", {}, "192.0.2.1"},
      {"192.0.2.1", {{xff, "203.0.113.9"}}, "192.0.2.1"}, // anybody can write that
      {"127.0.0.1", {}, "127.0.0.1"},
      {"127.0.0.1", {{xff, "203.0.113.9"}}, "203.0.113.9"},
      {"::ffff:127.0.0.1", {{"x-forwarded-for", "203.0.113.9"}}, "203.0.113.9"},
      {"127.0.0.1", {{xff, "198.51.100.1, 203.0.113.9 ,10.1.1.1"}}, "203.0.113.9"},
      {"127.0.0.1", {{xff, "198.51.100.1"}, {xff, "203.0.113.9"}}, "203.0.113.9"},
      {"127.0.0.1", {{xff, "10.2.2.2, 10.1.1.1"}}, "10.2.2.2"},
      {"127.0.0.1", {{xff, "203.0.113.9:4711"}}, "203.0.113.9"},
      {"127.0.0.1", {{xff, "[2001:db8::1]:4711"}}, "2001:db8::1"},
      {"127.0.0.1", {{xff, "2001:db8::1"}}, "2001:db8::1"},
      {"127.0.0.1", {{xff, "203.0.113.9, unknown"}}, ""},
      {"127.0.0.1", {{xff, ""}}, ""},
  };
  for (const auto& r : rows) {
    INFO(r.peer << " " << (r.headers.empty() ? "" : r.headers.front().second));
    const auto got = client_address(trusted, *from(r.peer, r.headers));
    if (*r.is == '\0')
      CHECK_FALSE(got);
    else
      CHECK(got == config::parse_ip(r.is));
  }
}

TEST_CASE("a source takes only from where it allows", "[ingest]") {
  auto c = ingest_config();
  c.sources[0].allow_from = ranges({"203.0.113.0/24", "2001:db8::/32"});
  c.ingest.trusted_proxies = ranges({"127.0.0.1"});
  const ingest_rules rules{c};
  const auto refused = [&](const net::request& r) {
    const auto got = check_sender(rules, r);
    if (!got) return false;
    CHECK(got->status == 401);
    const auto noted = refused_early(rules, r, *got);
    CHECK(noted.why == ingest_result::unauthorized);
    CHECK(noted.source == "own-relay");
    CHECK(noted.reason == "not from an address that this source allows");
    return true;
  };
  CHECK_FALSE(refused(*from("203.0.113.9")));
  CHECK_FALSE(refused(*from("::ffff:203.0.113.9")));
  CHECK_FALSE(refused(*from("2001:db8::7")));
  CHECK(refused(*from("198.51.100.1")));
  CHECK(refused(*from("127.0.0.1")));
  CHECK_FALSE(refused(*from("127.0.0.1", {{"X-Forwarded-For", "203.0.113.9"}})));
  CHECK(refused(*from("198.51.100.1", {{"X-Forwarded-For", "203.0.113.9"}})));
  CHECK(refused(*from("127.0.0.1", {{"X-Forwarded-For", "nonsense"}})));
  auto other = from("198.51.100.1");
  other->target = "/hooks/token";
  CHECK_FALSE(check_sender(rules, *other));
}

TEST_CASE("a source without a scheme takes what comes", "[ingest]") {
  auto c = ingest_config();
  c.sources[0].provider = "sim";
  c.sources[0].secrets.clear();
  c.sources[0].signature.reset();
  const ingest_rules rules{c};
  auto r = hook("/hooks/own-relay", R"({"balance_changes":[{"block_number":5}]})",
                {{"Dune-Webhook-Chain-Id", "99"}});
  const auto got = judge(rules, *r, 0);
  REQUIRE(std::holds_alternative<accepted_request>(got));
  const auto& taken = std::get<accepted_request>(got);
  CHECK(taken.hints == 1);
  const auto read = read_hints(rules, stored(taken));
  REQUIRE(read.hints.size() == 1);
  CHECK_FALSE(read.hints[0].chain_id); // the header names a chain that is not ours
  CHECK(read.hints[0].block == 5);
}
