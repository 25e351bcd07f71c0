// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// What the ordinary tests replay of the fuzzers: seeds changed at random, and every input that a
// fuzzer once found, in tests/fuzz/regressions/<fuzzer>/, a file each.

namespace fuzz {

inline std::vector<std::string> regressions(const char* fuzzer) {
  const std::filesystem::path folder =
      std::filesystem::path(TIDEMARK_SOURCE_DIR) / "tests/fuzz/regressions" / fuzzer;
  std::vector<std::string> all;
  if (!std::filesystem::exists(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    std::ifstream in{entry.path(), std::ios::binary};
    all.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
  }
  return all;
}

/// A byte, a piece cut out, doubled, or brought in from another seed.
inline void change(std::string& text, const std::string& other, std::mt19937_64& random) {
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

/// Each seed `rounds` times, changed up to three times, through `input`.
template <class Input>
void replay(const std::vector<std::string>& seeds, int rounds, const Input& input) {
  std::mt19937_64 random(7);
  for (const auto& seed : seeds)
    for (int round = 0; round < rounds; ++round) {
      auto text = seed;
      for (int changes = round % 4; changes > 0; --changes)
        change(text, seeds[random() % seeds.size()], random);
      input(text);
    }
}

} // namespace fuzz
