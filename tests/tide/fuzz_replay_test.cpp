// SPDX-License-Identifier: MIT
#include "tests/fuzz/replay.hpp"
#include "tests/fuzz/rpc_input.hpp"
#include "tests/fuzz/when_input.hpp"
#include "tests/tide/rpc_world.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::rpc_test;

TEST_CASE("when fuzz: expressions changed at random break nothing that must hold", "[fuzz]") {
  const std::vector<std::string> seeds{
      "value >= 1_000_000e6 and not open or small < 7",
      "(order.maker == 0x52908400098527886e0f7030069857d2e4169ee7)",
      "order.inner.arg0 == true and delta <= -3",
      "note == \"it's\" or name != 'alice' and tag == 0xdeadbeef",
      "not (not (value == 0x10 and (small > 1 or open)))",
      "Wed, 21 Oct 2015 07:28:00 GMT",
      "120",
  };
  int good = 0;
  fuzz::replay(seeds, 2'000,
               [&](const std::string& text) { good += static_cast<int>(fuzz::when_input(text)); });
  CHECK(good > 2'000);
  for (const auto& found : fuzz::regressions("when"))
    fuzz::when_input(found);
}

TEST_CASE("rpc fuzz: answers changed at random break nothing that must hold", "[fuzz]") {
  const auto block = block_of(18, 2);
  const auto header = to_json(block.header), log = to_json(block.logs[1]);
  const auto receipt = receipt_json(block, 1);
  const auto answer = [](const std::string& id, const std::string& result) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
  };
  // The first octet: how many calls, under which status.
  const std::vector<std::string> seeds{
      "\x01" + answer("1", header),
      "\x05[" + answer("1", header) + "," + answer("2", "[" + log + "," + log + "]") + "]",
      "\x09[" + answer("2", receipt) + "," + answer("1", "[" + receipt + "]") + "]",
      "\x02{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32005,\"message\":\"query returned "
      "more "
      "than 10000 results. Try with this block range [0x1, 0x20].\"}}",
      "\x03<html>502</html>",
  };
  int good = 0;
  fuzz::replay(seeds, 800, [&](const std::string& text) { good += fuzz::rpc_input(text); });
  CHECK(good > 500);
  for (const auto& found : fuzz::regressions("rpc"))
    fuzz::rpc_input(found);
}
