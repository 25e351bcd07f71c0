// SPDX-License-Identifier: MIT
#include "tests/fuzz/providers_input.hpp"

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

/// A byte, a piece cut out, doubled, or brought in from another seed.
void change(std::string& text, const std::string& other, std::mt19937_64& random) {
  const auto at = random() % (text.size() + 1);
  const auto length = random() % (std::min<std::size_t>(text.size() - at, 64) + 1);
  switch (random() % 4) {
  case 0:
    if (at < text.size()) text[at] = static_cast<char>(random() % 256);
    return;
  case 1:
    text.erase(at, length);
    return;
  case 2:
    text.insert(at, text.substr(at, length));
    return;
  default:
    text.insert(at, other.substr(random() % (other.size() + 1), random() % 64));
  }
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
        change(input, all[random() % all.size()], random);
      understood += fuzz::providers_input(input);
    }
  }
  CHECK(understood > 500);
}
