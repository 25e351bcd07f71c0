// SPDX-License-Identifier: MIT
#include "tide/head_message.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::tide;

namespace {

const std::string hash = "0x" + std::string(64, 'a');

std::string notification(const std::string& number, const std::string& of) {
  return R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x9","result":)"
         R"({"number":)" +
         number + R"(,"hash":)" + of + "}}}";
}

std::string show(std::string_view text) {
  const auto m = read_head_message(text);
  using kind = head_message::kind;
  switch (m.is) {
  case kind::answer:
    return "answer " + std::to_string(m.id) + " " + m.text;
  case kind::refusal:
    return "refusal " + std::to_string(m.id) + " " + std::to_string(m.error.code) + " " +
           m.error.message;
  case kind::head:
    return "head " + std::to_string(m.number) + " of " + m.subscription;
  case kind::other:
    return "other";
  default:
    return "garbage: " + m.text;
  }
}

} // namespace

TEST_CASE("what a WebSocket endpoint says", "[heads]") {
  struct row {
    const char* name;
    std::string text, expected;
  };
  const row rows[] = {
      {"a chain id", R"({"jsonrpc":"2.0","id":1,"result":"0x7a69"})", "answer 1 0x7a69"},
      {"a subscription", R"({"id":2,"result":"0xcd0c"})", "answer 2 0xcd0c"},
      {"a subscription as a number", R"({"id":2,"result":7})", "answer 2 7"},
      {"null is an answer", R"({"id":2,"result":null})", "answer 2 null"},
      {"no error is null", R"({"id":1,"error":null,"result":"0x1"})", "answer 1 0x1"},
      {"a refusal", R"({"id":2,"error":{"code":-32601,"message":"no such method"}})",
       "refusal 2 -32601 no such method"},
      {"a refusal in words alone", R"({"id":2,"error":"no"})", R"(refusal 2 0 "no")"},
      {"of the connection", R"({"id":null,"error":{"code":-32005,"message":"too many"}})",
       "refusal 0 -32005 too many"},
      {"a head", notification("\"0x10\"", '"' + hash + '"'), "head 16 of 0x9"},
      {"a number that is none", notification("16", '"' + hash + '"'),
       "garbage: a header without number and hash"},
      {"a number out of range", notification("\"0x8000000000000000\"", '"' + hash + '"'),
       "garbage: a header whose number is none"},
      {"a hash that is none", notification("\"0x10\"", "\"0xaa\""),
       "garbage: a header whose hash is none"},
      {"a notification of logs",
       R"({"method":"eth_subscription","params":{"subscription":"0x9","result":[]}})",
       "garbage: a notification without a header"},
      {"another notification", R"({"method":"welcome","params":{}})", "other"},
      {"somebody's greeting", R"({"hello":"you"})", "other"},
      {"an id of none of our calls", R"({"id":"x","result":1})", "other"},
      {"an answer that says nothing", R"({"id":1})",
       "garbage: an answer with neither result nor error"},
      {"a list", "[]", "garbage: JSON that is no object"},
      {"half a JSON", R"({"id":1,)", "garbage: what is no JSON"},
      {"nothing", "", "garbage: what is no JSON"},
      {"deep", std::string(100'000, '['), "garbage: what is no JSON"},
      {"bytes", std::string("\x00\xff\x7f", 3), "garbage: what is no JSON"},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    CHECK(show(r.text) == r.expected);
  }
}
