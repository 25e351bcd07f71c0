// SPDX-License-Identifier: MIT
#pragma once

#include "feature.hpp"
#include "stream.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::sim {

/// The troubles of one endpoint or handler: each kind comes and goes by itself, in episodes drawn
/// from its own stream, so that they overlap.
class troubles {
public:
  /// `gap`: between two episodes of a kind, and `length` of one, on average, in ms.
  troubles(std::uint64_t seed, std::string_view whose, std::uint64_t n, feature_set can,
           std::int64_t start, std::int64_t gap, std::int64_t length)
      : can_(can), gap_(gap), length_(length) {
    for (std::size_t i = 0; i < features; ++i)
      all_.push_back({stream(seed, whose, n * features + i), start, start, 0});
  }

  /// Asked with times that do not go back.
  bool on(feature f, std::int64_t now) {
    if (!can_.has(f)) return false;
    auto& e = all_[static_cast<std::size_t>(f)];
    while (now >= e.to) {
      e.from = e.to + e.draw.about(gap_);
      e.to = e.from + e.draw.about(length_);
      e.value = e.draw();
    }
    return now >= e.from;
  }
  /// Drawn with the episode, and the same while it lasts.
  std::uint64_t value(feature f) const { return all_[static_cast<std::size_t>(f)].value; }
  /// Chance within an episode.
  stream& draw(feature f) { return all_[static_cast<std::size_t>(f)].draw; }
  void end() { can_ = {}; }

private:
  struct episode {
    stream draw;
    std::int64_t from = 0, to = 0;
    std::uint64_t value = 0;
  };
  feature_set can_;
  std::int64_t gap_, length_;
  std::vector<episode> all_;
};

} // namespace tidemark::sim
