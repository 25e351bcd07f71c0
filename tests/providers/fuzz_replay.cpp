// SPDX-License-Identifier: MIT
#include "tests/fuzz/providers_input.hpp"
#include "tests/fuzz/replay.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace {

std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> names;
  for (const auto& entry :
       std::filesystem::directory_iterator{TIDEMARK_SOURCE_DIR "/tests/providers/vectors"})
    names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  std::vector<std::string> out;
  for (const auto& name : names) {
    std::ifstream in{name, std::ios::binary};
    std::string all{std::istreambuf_iterator<char>{in}, {}};
    if (all.size() <= 20'000) out.push_back(std::move(all));
  }
  return out;
}

} // namespace

TEST_CASE("providers fuzz: inputs changed at random break nothing that must hold") {
  std::mt19937_64 random(7);
  const auto all = seeds();
  REQUIRE(all.size() >= 80);
  int understood = 0;
  for (const auto& seed : all) {
    for (int round = 0; round < 12; ++round) {
      auto input = seed;
      for (int changes = round % 4; changes > 0; --changes)
        fuzz::change(input, all[random() % all.size()], random);
      understood += fuzz::providers_input(input);
    }
  }
  CHECK(understood > 500);
}

TEST_CASE("providers fuzz: what the fuzzer once found") {
  for (const auto& found : fuzz::regressions("providers"))
    fuzz::providers_input(found);
}
