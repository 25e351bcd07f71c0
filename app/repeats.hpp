// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::app {

/// Collapses what is said again and again: a text is written once a minute, with how often it was
/// left out meanwhile. Time comes in as ms of a clock that is not set back. One thread.
class repeats {
public:
  static constexpr std::int64_t window_ms = 60'000;
  /// Texts that are remembered at once; with more of them each is written.
  static constexpr std::size_t most = 512;

  /// Absent: it is not to be written now. Else how many of its like were left out before it.
  std::optional<std::uint64_t> seen(const std::string& text, std::int64_t now);

  struct ended {
    std::string text;
    std::uint64_t left_out = 0;
  };
  /// What was left out and did not come again by itself, once its minute is over.
  std::vector<ended> due(std::int64_t now);
  /// The same at once, of all; nothing is remembered any more.
  std::vector<ended> end();

private:
  struct entry {
    std::int64_t written_at = 0;
    std::uint64_t left_out = 0;
  };
  std::unordered_map<std::string, entry> known_;
};

} // namespace tidemark::app
