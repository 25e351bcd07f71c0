// SPDX-License-Identifier: MIT
#include "tests/providers/words.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace tidemark;
using namespace tidemark::providers;
using namespace tidemark::providers::testing;

namespace {

const std::string a_log = R"({"topics":[],"blockNumber":"0x5","blockHash":$B,"transactionHash":$T,)"
                          R"("logIndex":"0x7","data":"0x"})";

} // namespace

TEST_CASE("what a node gives, for raw and standard-webhooks") {
  const std::vector<row> rows = {
      {a_log, "-/5/B/T/7"},
      {"[" + a_log + "," + a_log + "]", "-/5/B/T/7 -/5/B/T/7"},
      {R"({"jsonrpc":"2.0","id":1,"result":[)" + a_log + "]}", "-/5/B/T/7"},
      {R"({"jsonrpc":"2.0","id":1,"result":)" + a_log + "}", "-/5/B/T/7"},
      {R"([{"id":1,"result":[)" + a_log + R"(]},{"id":2,"result":[]}])", "-/5/B/T/7"},
      {R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":)" +
           a_log + "}}",
       "-/5/B/T/7"},
      {R"({"transactionHash":$T,"blockHash":$B,"blockNumber":"0x5","logs":[{"topics":[],)"
       R"("logIndex":"0x1"},{"topics":[],"logIndex":"0x2"}]})",
       "-/5/B/T/1 -/5/B/T/2"},
      {R"({"transactionHash":$T,"blockHash":$B,"blockNumber":"0x5","logs":[]})", "-/5/B/T/-"},
      {R"({"result":[{"transactionHash":$T,"logs":[]},{"transactionHash":$U,)"
       R"("logs":[{"topics":[],"logIndex":3}]}]})",
       "-/-/-/T/- -/-/-/U/3"},
      {R"({"logs":[)" + a_log + "]}", "-/5/B/T/7"},
      {R"({"transactionHash":$T,"logIndex":"0x9","removed":true,"logs":[{"topics":[]}]})",
       "-/-/-/T/-"},
      {R"({"receipts":[{"transactionHash":$T}]})", "-/-/-/T/-"},
      {R"({"transactionHash":$T})", "-/-/-/T/-"},
      {R"({"hash":$T})", "-/-/-/T/-"},
      {R"({"hash":$T,"blockNumber":"0x5","blockHash":$B,"chainId":"0x1","transactionIndex":"0x0"})",
       "1/5/B/T/-"},
      {"[$T,$U]", "-/-/-/T/- -/-/-/U/-"},
      {R"({"transactions":[$T]})", "-/-/-/T/-"},
      {R"({"number":"0x5","hash":$B,"parentHash":$U,"transactions":[$T]})", "-/5/B/-/-"},
      {R"({"topics":[],"blockNumber":null,"blockHash":null,"transactionHash":null,)"
       R"("logIndex":null})",
       "-/-/-/-/-"},
      {R"({"topics":[],"transactionHash":$T,"logIndex":"0x1","removed":true})", "-/-/-/T/1!"},
      {R"({"chainId":10,"logs":[)" + a_log + R"(,{"topics":[],"chainId":137}]})",
       "10/5/B/T/7 137/-/-/-/-"},
      {R"({"network":"my-net","data":{"log":)" + a_log + "}}", "my-net/5/B/T/7"},
      {R"({"type":"x","data":[)" + a_log + "]}", "-/5/B/T/7"},
      {R"({"type":"x","data":)" + a_log + "}", "-/5/B/T/7"},
      {"[]", ""},
      {"null", ""},
      {R"({"logs":[]})", ""},
      {R"({"jsonrpc":"2.0","id":1,"result":null})", ""},
      {R"({"jsonrpc":"2.0","id":1,"result":[]})", ""},
      {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}})", ""},
      {"{}", "error"},
      {"17", "error"},
      {"true", "error"},
      {R"("text")", "error"},
      {R"({"result":"0x1"})", "error"},
      {R"({"error":"no"})", "error"},
      {R"({"hello":"world"})", "error"},
      {"[" + a_log + R"(,{"hello":"world"}])", "error"},
      {R"({"topics":[],"transactionHash":"0x12"})", "error"},
      {R"({"topics":[],"transactionHash":17})", "error"},
      {R"({"topics":[],"transactionHash":$T,"logIndex":2147483648})", "error"},
      {R"({"topics":[],"transactionHash":$T,"logIndex":-1})", "error"},
      {R"({"topics":[],"transactionHash":$T,"removed":"true"})", "error"},
      {R"({"hash":$T,"blockNumber":9223372036854775808})", "error"},
      {R"({"number":true,"hash":$B,"parentHash":$U})", "error"},
      {R"({"hash":$T,"hash":$T})", "error"},
      {R"({"hash":$T,"value":123456789012345678901234567890,"x":1e400})", "-/-/-/T/-"},
  };
  check("raw", rows);
  check("standard-webhooks", rows);
}

TEST_CASE("alchemy") {
  const auto event = [](const std::string& inner) {
    return R"({"webhookId":"wh_1","id":"whevt_1","type":"X","event":)" + inner + "}";
  };
  check(
      "alchemy",
      {
          {event(R"({"network":"ETH_MAINNET","activity":[{"blockNum":"0x5","hash":$T,)"
                 R"("value":1e400,"log":{"blockNumber":"0x5","blockHash":$B,"transactionHash":$T,)"
                 R"("logIndex":"0x7","removed":true}},{"blockNum":"0x6","hash":$U,"log":null}]})"),
           "ETH_MAINNET/5/B/T/7! ETH_MAINNET/6/-/U/-"},
          {event(R"({"network":"X","activity":[]})"), ""},
          {event(R"({"network":"X","activity":null})"), ""},
          {event(R"({"error":"Monthly capacity limit exceeded."})"), ""},
          {event(R"({"network":"OPT_MAINNET","transaction":{"hash":$T,"blockNumber":null,)"
                 R"("blockHash":null,"chainId":"0xa"}})"),
           "OPT_MAINNET10/-/-/T/-"},
          {event(R"({"data":{"block":{"number":5,"hash":$B,"logs":[{"index":7,)"
                 R"("transaction":{"hash":$T}},{"index":8}]}}})"),
           "-/5/B/T/7 -/5/B/-/8"},
          {event(R"({"data":{"block":{"number":5,"logs":[],"transactions":[{"hash":$T},)"
                 R"({"hash":$U,"logs":[{"index":1}]},{"hash":$T,"logs":[]}]}}})"),
           "-/5/-/T/- -/5/-/U/1 -/5/-/T/-"},
          {event(R"({"data":{"block":{"hash":$B,"logs":[]}}})"), ""},
          {event(R"({"data":{"block":{"number":5}}})"), "-/5/-/-/-"},
          {event(R"({"data":{"block":null}})"), ""},
          {R"({"network":"MAINNET","webhookType":"MINED_TRANSACTION",)"
           R"("fullTransaction":{"hash":$T,"blockHash":$B,"blockNumber":"0x5"}})",
           "MAINNET/5/B/T/-"},
          {R"({"network":"MAINNET","webhookType":"ADDRESS_ACTIVITY",)"
           R"("activity":[{"blockNum":"0x5","hash":$T}]})",
           "MAINNET/5/-/T/-"},
          {event("{}"), "error"},
          {event(R"({"network":"X"})"), "error"},
          {event(R"({"activity":{}})"), "error"},
          {event(R"({"activity":[17]})"), "error"},
          {event(R"({"activity":[{"hash":"0x12"}]})"), "error"},
          {event(R"({"activity":[{"hash":$T,"log":{"logIndex":"0x80000000"}}]})"), "error"},
          {event(R"({"transaction":[]})"), "error"},
          {event(R"({"data":{}})"), "error"},
          {event(R"({"data":{"block":{"timestamp":1}}})"), "error"},
          {event(R"({"data":{"block":{"number":5,"logs":{}}}})"), "error"},
          {"[]", "error"},
          {"{}", "error"},
          {"null", "error"},
      });
}

TEST_CASE("a body names so much and no more") {
  const auto many = [](std::size_t n) {
    std::string body = "[";
    for (std::size_t i = 0; i < n; ++i)
      body += i ? R"(,{"topics":[]})" : R"({"topics":[]})";
    return body + "]";
  };
  const auto& raw = *find("raw");
  const auto most = extract(raw, many(max_hints));
  REQUIRE(most.has_value());
  CHECK(most->size() == max_hints);
  CHECK_FALSE(extract(raw, many(max_hints + 1)).has_value());
}

TEST_CASE("alchemy's names of chains") {
  const auto& alchemy = *find("alchemy");
  CHECK(known_network(alchemy, "ETH_MAINNET") == 1U);
  CHECK(known_network(alchemy, "MAINNET") == 1U);
  CHECK(known_network(alchemy, "MATICMAINNET") == 137U);
  CHECK(known_network(alchemy, "BASE_SEPOLIA") == 84532U);
  CHECK_FALSE(known_network(alchemy, ""));
  CHECK_FALSE(known_network(alchemy, "eth_mainnet"));
  CHECK_FALSE(known_network(alchemy, "NEW_MAINNET"));
  CHECK_FALSE(known_network(*find("raw"), "ETH_MAINNET"));
}

TEST_CASE("the table") {
  std::set<std::string_view> names;
  for (const auto& p : all()) {
    CHECK(names.insert(p.name).second);
    CHECK(find(p.name) == &p);
    CHECK(p.read);
  }
  for (const auto& p : all())
    CHECK((p.signs || p.takes_unsigned || p.name == "raw"));
  CHECK(names.size() == 17);
  CHECK_FALSE(find("Alchemy"));
  CHECK_FALSE(find(""));
}
