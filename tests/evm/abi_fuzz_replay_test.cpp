// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"
#include "tests/evm/show_result.hpp"
#include "tests/fuzz/abi_input.hpp"
#include "tests/fuzz/replay.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <string>

using namespace tidemark::evm;

namespace {

/// The vectors as inputs of the fuzzer.
std::vector<bytes> seeds() {
  std::ifstream in(TIDEMARK_SOURCE_DIR "/tests/evm/abi_vectors.txt");
  std::vector<bytes> out;
  std::string line;
  while (std::getline(in, line)) {
    const auto first = line.find('\t'), second = line.find('\t', first + 1);
    const auto third = std::min(line.find('\t', second + 1), line.size());
    bytes input(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(first));
    input.push_back(0);
    const auto data = parse_hex(line.substr(second + 1, third - second - 1)).value();
    input.insert(input.end(), data.begin(), data.end());
    out.push_back(std::move(input));
  }
  return out;
}

} // namespace

TEST_CASE("abi fuzz: inputs changed at random break nothing that must hold") {
  std::mt19937_64 random(99);
  const auto all = seeds();
  REQUIRE(all.size() >= 500);
  int good = 0;
  for (const auto& seed : all) {
    for (int round = 0; round < 20; ++round) {
      auto input = seed;
      for (int change = round % 4; change > 0 && !input.empty(); --change) {
        const auto at = random() % input.size();
        if (random() % 8 == 0)
          input.erase(input.begin() + static_cast<std::ptrdiff_t>(at));
        else if (random() % 2 == 0)
          input[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        else
          input[at] = static_cast<std::uint8_t>(random() % 4 * 32);
      }
      good += fuzz::abi_input(input) ? 1 : 0;
    }
  }
  CHECK(good > 1'000);
}

TEST_CASE("abi fuzz: what the fuzzer once found") {
  for (const auto& found : fuzz::regressions("abi"))
    fuzz::abi_input(bytes(found.begin(), found.end()));
}
