// SPDX-License-Identifier: MIT
#include "tide/nearest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tidemark::tide {

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names) {
  // Levenshtein, one row at a time.
  const auto distance = [&](std::string_view name) {
    std::vector<std::size_t> row(name.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < text.size(); ++i) {
      auto diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < name.size(); ++j) {
        const auto above = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, above + 1, diagonal + (text[i] == name[j] ? 0 : 1)});
        diagonal = above;
      }
    }
    return row.back();
  };
  std::string_view best;
  auto least = std::numeric_limits<std::size_t>::max();
  for (const auto name : names) {
    const auto d = distance(name);
    if (d < least) {
      least = d;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view text, const std::vector<std::string_view>& names) {
  const auto name = nearest(text, names);
  return name.empty() ? std::string() : ", did you mean '" + std::string(name) + "'?";
}

} // namespace tidemark::tide
