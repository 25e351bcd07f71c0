// SPDX-License-Identifier: MIT
#include "tide/fact.hpp"

#include "evm/hex.hpp"
#include "tide/event_json.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
namespace json = boost::json;

namespace {

evm::hash32 hash_of(std::uint8_t octet) {
  evm::hash32 h;
  h.octets.fill(octet);
  return h;
}

const std::string tx_hex = evm::to_hex(hash_of(0xab));

fact confirmed_fact() {
  fact f;
  f.seq = 41;
  f.chain_id = 1;
  f.tx = hash_of(0xab);
  f.log_index = 12;
  f.version = 2;
  f.status = status::confirmed;
  f.n = 1;
  f.block = {19'000'000, hash_of(0xcd)};
  f.time = 1'796'032'811;
  f.head = 19'000'012;
  f.first_seen = "webhook:alchemy-main";
  f.data = R"({"event_id":"1:x","args":{"value":"1"}})";
  return f;
}

const envelope app{"main", "app", "usdc-transfers", "1:0xcc:0xdd", 77, 1, false};

std::vector<std::string> members(const json::value& v) {
  std::vector<std::string> out;
  for (const auto& member : v.as_object())
    out.emplace_back(member.key());
  return out;
}

} // namespace

TEST_CASE("event_id names a log or the transaction, and is read back") {
  CHECK(event_id(1, hash_of(0xab), 12) == "1:" + tx_hex + ":12");
  CHECK(event_id(8453, hash_of(0xab), -1) == "8453:" + tx_hex + ":tx");
  CHECK(logical_id(1, hash_of(0xab), 3) == "1:" + tx_hex + ":o3");

  const auto log = parse_event_id("1:" + tx_hex + ":12");
  REQUIRE(log);
  CHECK(log->chain_id == 1);
  CHECK(log->tx == hash_of(0xab));
  CHECK(log->log_index == 12);
  const auto tx = parse_event_id("8453:" + tx_hex + ":tx");
  REQUIRE(tx);
  CHECK(tx->log_index == -1);
}

TEST_CASE("parse_event_id refuses what is none") {
  const std::string bad[] = {
      "",
      ":",
      "::",
      "1:" + tx_hex,
      ":" + tx_hex + ":12",
      "1:" + tx_hex + ":",
      "1:" + tx_hex + ":-1",
      "1:" + tx_hex + ":+1",
      "1:" + tx_hex + ":01",
      "1:" + tx_hex + ":2147483648",
      "1:" + tx_hex + ":o3",
      "1:" + tx_hex + ":12:13",
      "01:" + tx_hex + ":12",
      "1:" + tx_hex.substr(0, 64) + ":12",
      "1: " + tx_hex + ":12",
      "99999999999999999999:" + tx_hex + ":12",
  };
  for (const auto& text : bad) {
    INFO(text);
    CHECK_FALSE(parse_event_id(text));
  }
}

TEST_CASE("message_id depends on event, block, state and n alone") {
  auto f = confirmed_fact();
  CHECK(message_id(f) == "1_" + tx_hex + "_12_cdcdcdcdcdcdcdcd_c1");
  f.status = status::pending;
  f.version = 9;
  f.head = 1;
  CHECK(message_id(f) == "1_" + tx_hex + "_12_cdcdcdcdcdcdcdcd_p1");
  f.status = status::rolled_back;
  f.n = 12;
  f.log_index = -1;
  CHECK(message_id(f) == "1_" + tx_hex + "_tx_cdcdcdcdcdcdcdcd_r12");
}

TEST_CASE("a message is the CloudEvent of the contract") {
  const auto f = confirmed_fact();
  const auto text = compose_message(f, app);
  CHECK(text == compose_message(f, app));
  const auto v = json::parse(text);
  const std::vector<std::string> order{
      "specversion",  "id",           "source",          "type",
      "subject",      "time",         "datacontenttype", "dataschema",
      "subscription", "partitionkey", "sequence",        "epoch",
      "data"};
  CHECK(members(v) == order);
  CHECK(v.at("specversion") == "1.0");
  CHECK(v.at("id") == json::string(message_id(f)));
  CHECK(v.at("source") == "/tidemark/main/app");
  CHECK(v.at("type") == "tidemark.event.confirmed");
  CHECK(v.at("subject") == json::string("1:" + tx_hex + ":12"));
  CHECK(v.at("time") == "2026-11-30T10:00:11Z");
  CHECK(v.at("datacontenttype") == "application/json");
  CHECK(v.at("dataschema") == "urn:tidemark:event:1");
  CHECK(v.at("subscription") == "usdc-transfers");
  CHECK(v.at("partitionkey") == "1:0xcc:0xdd");
  CHECK(v.at("sequence") == "00000000000000000077");
  CHECK(v.at("epoch") == 1);
  const auto& data = v.at("data");
  CHECK(data.at("version") == 2);
  CHECK(data.at("status") == "confirmed");
  CHECK(data.at("first_seen") == "webhook:alchemy-main");
  CHECK(data.at("replaces").is_null());
  CHECK(data.at("head") == 19'000'012);
  CHECK(data.at("event_id") == "1:x");
  CHECK(data.at("args").at("value") == "1");
  CHECK_FALSE(data.as_object().contains("undoes"));
  CHECK_FALSE(data.as_object().contains("why"));
}

TEST_CASE("late is said only where it is true") {
  auto e = app;
  e.late = true;
  const auto v = json::parse(compose_message(confirmed_fact(), e));
  CHECK(v.at("late") == true);
}

TEST_CASE("a rolled_back says what it undoes and why") {
  auto f = confirmed_fact();
  f.status = status::rolled_back;
  f.why = why::corrected;
  f.undoes = "1_0xab_12_cd_c1";
  f.replaces = "1:0xab:11";
  const auto v = json::parse(compose_message(f, app));
  CHECK(v.at("type") == "tidemark.event.rolled_back");
  CHECK(v.at("data").at("status") == "rolled_back");
  CHECK(v.at("data").at("undoes") == "1_0xab_12_cd_c1");
  CHECK(v.at("data").at("why") == "corrected");
  CHECK(v.at("data").at("replaces") == "1:0xab:11");
  CHECK(v.at("data").at("event_id") == "1:x");
}

TEST_CASE("a feed item has seq and nothing of a handler") {
  const auto f = confirmed_fact();
  const auto v = json::parse(compose_feed_item(f, "main"));
  const std::vector<std::string> order{"seq",        "specversion", "id",   "source",
                                       "type",       "subject",     "time", "datacontenttype",
                                       "dataschema", "data"};
  CHECK(members(v) == order);
  CHECK(v.at("seq") == 41);
  CHECK(v.at("source") == "/tidemark/main");
  CHECK(v.at("id") == json::string(message_id(f)));
  CHECK(v.at("data").at("version") == 2);
}

TEST_CASE("to_rfc3339") {
  CHECK(to_rfc3339(0) == "1970-01-01T00:00:00Z");
  CHECK(to_rfc3339(951'782'399) == "2000-02-28T23:59:59Z");
  CHECK(to_rfc3339(951'782'400) == "2000-02-29T00:00:00Z");
  CHECK(to_rfc3339(4'107'542'400) == "2100-03-01T00:00:00Z");
  CHECK(to_rfc3339(253'402'300'799) == "9999-12-31T23:59:59Z");
  CHECK(to_rfc3339(~std::uint64_t{0}) == "9999-12-31T23:59:59Z");
}

TEST_CASE("append_json_string escapes what JSON cannot hold") {
  struct row {
    std::string text, expected;
  };
  const row rows[] = {
      {"", R"("")"},
      {"plain \x7f", "\"plain \x7f\""},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"\n\r\t", R"("\n\r\t")"},
      {std::string("\0\x01\x1f", 3), R"("\u0000\u0001\u001f")"},
      {"€ 😀", "\"€ 😀\""},
      {"a\x80z", "\"a\xef\xbf\xbdz\""},
      {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
  };
  for (const auto& r : rows) {
    std::string out;
    append_json_string(out, r.text);
    CHECK(out == r.expected);
  }
}

TEST_CASE("is_utf8 is RFC 3629's") {
  for (const char* good : {"", "a", "\x7f", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xef\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    CHECK_FALSE(is_utf8(bad));
}
