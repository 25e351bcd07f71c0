// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
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

/// Bounds lines of which each is another and none matters by itself, so that a flood costs neither
/// the processor nor the journal. Any thread.
class thinner {
public:
  static constexpr std::uint64_t most = 100; ///< a second

  struct verdict {
    bool write = false;
    std::uint64_t left_out = 0; ///< before this one, and not said yet
  };
  /// Of the next line; time as of `repeats`.
  verdict next(std::int64_t now_ms);

private:
  std::mutex mutex_;
  std::int64_t second_ = -1;
  std::uint64_t written_ = 0, left_out_ = 0;
};

} // namespace tidemark::app
