// SPDX-License-Identifier: MIT
#include "config_fixture.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace tidemark::config;
using namespace tidemark::config::testing;

namespace {

/// The YAML blocks of a page that are whole configs.
std::vector<std::string> configs_of(const std::string& page) {
  std::ifstream in(TIDEMARK_SOURCE_DIR "/docs/" + page);
  std::vector<std::string> out;
  std::string line, block;
  bool inside = false;
  while (std::getline(in, line)) {
    const bool fence = line.rfind("```", 0) == 0;
    if (fence && inside && block.rfind("chains:", 0) == 0) out.push_back(block);
    if (fence) {
      inside = line == "```yaml";
      block.clear();
    } else if (inside) {
      block += line + '\n';
    }
  }
  return out;
}

} // namespace

TEST_CASE("examples: each config of docs/subscriptions.md loads, and nothing in it is odd") {
  variables.clear();
  const auto all = configs_of("subscriptions.md");
  CHECK(all.size() == 3);
  for (const auto& text : all) {
    INFO(text);
    const auto l = parsed(text);
    CHECK(problems_of(l) == "");
    CHECK(warnings_of(l) == "");
    REQUIRE(l.value);
    CHECK_FALSE(l.value->subscriptions.empty());
    CHECK_FALSE(l.value->handlers.empty());
  }
}
