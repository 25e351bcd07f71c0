// SPDX-License-Identifier: MIT
#include "tests/fuzz/config_input.hpp"
#include "tests/fuzz/replay.hpp"

#include <catch2/catch.hpp>

TEST_CASE("config fuzz: files changed at random break nothing that must hold", "[fuzz]") {
  const std::vector<std::string> seeds{
      tidemark::config::starter_yaml(),
      "confirmation_policy: {quick: 3, both: {blocks: 12, tag: safe}}\n"
      "chains:\n"
      "  - {name: e, id: 1, rpc: [{url: http://127.0.0.1:8545, timeout: 1s}], confirmations: "
      "quick}\n"
      "sources:\n"
      "  - {name: a, provider: alchemy, secret: \"${SET}\", chain: e}\n"
      "subscriptions:\n"
      "  - name: s\n"
      "    chains: [e]\n"
      "    event: Transfer(address indexed from, address indexed to, uint256 value)\n"
      "    where: {to: [\"0x000000000000000000000000000000000000dEaD\"]}\n"
      "    escalate: [{when: value >= 1e18, confirmations: both}]\n"
      "handlers:\n"
      "  - {name: h, url: https://fn.example.com/, secret: \"${SET}\", order_by: arg:to, rate: "
      "5}\n",
  };
  int good = 0;
  fuzz::replay(seeds, 1'200, [&](const std::string& text) {
    good += static_cast<int>(fuzz::config_input(text));
  });
  CHECK(good > 300);
  for (const auto& found : fuzz::regressions("config"))
    fuzz::config_input(found);
}
