// SPDX-License-Identifier: MIT
#include "tide/rpc_wire.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <algorithm>

using namespace tidemark::tide;
namespace json = boost::json;

namespace {

/// "1 2 !words": a result's JSON, or the error behind a '!'.
std::string show(const rpc_reply& r) {
  if (r.whole()) return "whole !" + r.whole()->message;
  std::string out;
  for (const auto& one : r.results()) {
    if (!out.empty()) out += ' ';
    out += one.value ? json::serialize(*one.value) : "!" + one.error.message;
  }
  return out;
}
std::string show(std::string_view body, std::size_t calls, int http = 200) {
  return show(rpc_reply(body, http, calls));
}

const std::string nothing = "!the answer has nothing for this call";

} // namespace

TEST_CASE("rpc body: one call goes bare, several as a batch with ids from 1") {
  CHECK(rpc_body({call_chain_id()}) ==
        R"({"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]})");
  const auto batch = json::parse(rpc_body({call_chain_id(), call_block_by_number(255)}));
  REQUIRE(batch.is_array());
  REQUIRE(batch.get_array().size() == 2);
  CHECK(batch.at(0).at("id") == 1);
  CHECK(batch.at(1).at("id") == 2);
  CHECK(json::serialize(batch.at(1).at("params")) == R"(["0xff",false])");
}

TEST_CASE("rpc reply: one call") {
  struct row {
    const char* name;
    const char* body;
    std::string says;
    int http = 200;
  };
  const row rows[] = {
      {"a result", R"({"jsonrpc":"2.0","id":1,"result":"0x1"})", R"("0x1")"},
      {"a null", R"({"id":1,"result":null})", "null"},
      {"another id", R"({"id":77,"result":5})", "5"},
      {"an id as a string", R"({"id":"1","result":5})", "5"},
      {"no id", R"({"result":5})", "5"},
      {"as a batch of one", R"([{"id":1,"result":5}])", "5"},
      {"a null error beside it", R"({"id":1,"error":null,"result":5})", "5"},
      {"a result beside an error", R"({"id":1,"error":{"message":"no"},"result":5})", "!no"},
      {"an error", R"({"id":1,"error":{"code":-1,"message":"no"}})", "!no"},
      {"an error in data alone", R"({"id":1,"error":{"code":-1,"data":{"range":"N > M"}}})",
       R"(! {"range":"N > M"})"},
      {"an error and data", R"({"id":1,"error":{"message":"no","data":"because"}})",
       R"(!no "because")"},
      {"an error that is a text", R"({"id":1,"error":"no"})", "!no"},
      {"an error that is a number", R"({"id":1,"error":5})", "!an error without words"},
      {"an error without anything", R"({"id":1,"error":{}})", "!"},
      {"a message that is no text", R"({"id":1,"error":{"message":7}})", "!"},
      {"an error with 400", R"({"id":1,"error":{"message":"no"}})", "!no (HTTP 400)", 400},
      {"an error with 500", R"({"id":1,"error":{"message":"no"}})", "!no (HTTP 500)", 500},
      {"a result with 500", R"({"id":1,"result":5})", "5", 500},
      {"an empty batch", "[]", nothing},
      {"a batch of no object", "[1,null,[]]", nothing},
      {"HTML", "<html>\n<b>502</b></html>", "whole !no JSON (HTTP 502): <html> <b>502</b></html>",
       502},
      {"half a JSON", R"({"id":1,"resu)", R"(whole !half a JSON, or a broken one: {"id":1,"resu)"},
      {"two of them", "{}{}", "whole !half a JSON, or a broken one: {}{}"},
      {"nothing", "", "whole !an empty answer (HTTP 429)", 429},
      {"another object", R"({"status":"ok"})", "whole !no JSON-RPC answer (HTTP 200)"},
      {"a text", R"("busy")", "whole !no JSON-RPC answer (HTTP 200)"},
      {"a null body", "null", "whole !no JSON-RPC answer (HTTP 200)"},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    CHECK(show(r.body, 1, r.http) == r.says);
  }
}

TEST_CASE("rpc reply: the number and the status of an error are kept") {
  const rpc_reply r(R"({"id":1,"error":{"code":-32005,"message":"m"}})", 503, 1);
  CHECK(r.results().at(0).error.code == -32005);
  CHECK(r.results().at(0).error.http_status == 503);
  CHECK(rpc_reply("<", 413, 1).whole()->http_status == 413);
  CHECK(rpc_reply(R"({"id":1,"error":{"code":1.5}})", 200, 1).results().at(0).error.code == 0);
  CHECK(rpc_reply(R"({"id":1,"error":{"code":18446744073709551615}})", 200, 1)
            .results()
            .at(0)
            .error.code == 0);
}

TEST_CASE("rpc reply: a batch in any order") {
  std::vector<int> order{1, 2, 3, 4, 5};
  do {
    std::string body;
    for (const int i : order)
      body += (body.empty() ? "[" : ",") + std::string(R"({"id":)") + std::to_string(i) +
              R"(,"result":)" + std::to_string(i * 10) + "}";
    const rpc_reply r(body + "]", 200, 5);
    REQUIRE(show(r) == "10 20 30 40 50");
    REQUIRE(r.missing() == 0);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("rpc reply: what a batch lacks") {
  struct row {
    const char* name;
    const char* body;
    std::size_t missing;
    std::string says;
  };
  const row rows[] = {
      {"one", R"([{"id":2,"result":20}])", 1, nothing + " 20"},
      {"all", "[]", 2, nothing + " " + nothing},
      {"one twice", R"([{"id":2,"result":20},{"id":2,"result":20}])", 1, nothing + " 20"},
      {"ids as text", R"([{"id":"1","result":10},{"id":"2","result":20}])", 2,
       nothing + " " + nothing},
      {"ids out of range", R"([{"id":0,"result":1},{"id":3,"result":1},{"id":-1,"result":1}])", 2,
       nothing + " " + nothing},
      {"huge ids", R"([{"id":18446744073709551616,"result":1},{"id":1e300,"result":1}])", 2,
       nothing + " " + nothing},
      {"words of one", R"([{"id":1},{"id":2,"result":20}])", 0, nothing + " 20"},
      {"errors are no lack",
       R"([{"id":2,"error":{"message":"b"}},{"id":1,"error":{"message":"a"}}])", 0, "!a !b"},
      {"more than was asked", R"([{"id":1,"result":10},{"id":2,"result":20},{"id":3,"result":30}])",
       0, "10 20"},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    const rpc_reply reply(r.body, 200, 2);
    CHECK(reply.missing() == r.missing);
    CHECK(show(reply) == r.says);
    CHECK_FALSE(reply.refuses_batches());
  }
}

TEST_CASE("rpc reply: one object for a whole batch") {
  struct row {
    const char* body;
    int http;
    const char* says;
    bool refuses;
  };
  const row rows[] = {
      {R"({"id":null,"error":{"code":-32600,"message":"batch too large"}})", 200,
       "whole !batch too large", true},
      {R"([{"id":null,"error":{"message":"batch too large"}}])", 200, "whole !batch too large",
       true},
      {R"([{"error":{"message":"slow down"}}])", 429, "whole !slow down (HTTP 429)", true},
      {R"({"id":1,"result":"0x1"})", 200, "whole !one answer to a batch of calls", true},
      {R"({"error":{"message":"slow down"}})", 429, "whole !slow down (HTTP 429)", true},
      {R"({"message":"no"})", 404, "whole !no JSON-RPC answer (HTTP 404)", false},
      {"<html>", 413, "whole !no JSON (HTTP 413): <html>", false},
  };
  for (const auto& r : rows) {
    CAPTURE(r.body);
    const rpc_reply reply(r.body, r.http, 3);
    CHECK(show(reply) == r.says);
    CHECK(reply.refuses_batches() == r.refuses);
  }
}

TEST_CASE("rpc reply: nests no deeper than answers do") {
  const auto nested = [](std::size_t depth) {
    return R"({"id":1,"result":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  CHECK_FALSE(rpc_reply(nested(10), 200, 1).whole());
  CHECK(rpc_reply(nested(100), 200, 1).whole());
  CHECK(rpc_reply(nested(1'000'000), 200, 1).whole());
}

TEST_CASE("rpc reply: a long error is cut, and not within a character") {
  for (std::size_t before = 490; before < 505; ++before) {
    std::string text(before, 'a');
    while (text.size() < 3'000)
      text += "\xe2\x82\xac"; // €
    const rpc_reply r(R"({"id":1,"error":")" + text + R"("})", 200, 1);
    const auto& m = r.results().at(0).error.message;
    CAPTURE(before, m);
    CHECK(m.size() <= 500);
    CHECK(m.size() > 490);
    // Whatever is left is whole characters.
    CHECK(m.size() == (before >= 500 ? 500 : before + (500 - before) / 3 * 3));
  }
}

TEST_CASE("rpc reply: an excerpt of what is no JSON is printable and short") {
  const auto said = show(std::string("\0\x1b[2J", 5) + std::string(5'000, '\xff'), 1);
  CHECK(said.size() < 120);
  CHECK(std::all_of(said.begin(), said.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

TEST_CASE("rpc reply: results stay where they are when it is moved") {
  std::vector<rpc_reply> replies;
  for (int i = 0; i < 20; ++i)
    replies.emplace_back(R"([{"id":1,"result":{"n":)" + std::to_string(i) + "}}]", 200, 1);
  replies.emplace_back(R"({"id":1,"result":{"n":20}})", 200, 1);
  for (std::size_t i = 0; i < replies.size(); ++i)
    CHECK(show(replies[i]) == R"({"n":)" + std::to_string(i) + "}");
}

TEST_CASE("rpc reply: 20 MB") {
  std::string body = R"([{"id":1,"result":[)";
  while (body.size() < 20'000'000)
    body += R"("0x0123456789abcdef0123456789abcdef",)";
  body += R"(1]},{"id":2,"result":2}])";
  const rpc_reply r(body, 200, 2);
  REQUIRE(r.results().at(0).value);
  CHECK(r.results()[0].value->get_array().size() > 500'000);
  CHECK(r.results()[1].value->get_int64() == 2);
}
