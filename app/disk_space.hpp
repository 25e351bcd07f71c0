// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::app {

/// Whether the store's disk has `min_free` bytes left (contract §2). Looks at most once a second.
/// Any thread.
class disk_space {
public:
  disk_space(const std::filesystem::path& store, std::uint64_t min_free)
      : folder_(std::filesystem::absolute(store).parent_path()), min_free_(min_free) {}

  bool enough() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    auto next = next_look_.load();
    constexpr std::int64_t a_second =
        std::chrono::steady_clock::duration(std::chrono::seconds(1)).count();
    if (now >= next && next_look_.compare_exchange_strong(next, now + a_second)) {
      std::error_code ec;
      const auto space = std::filesystem::space(folder_, ec);
      // What cannot be measured is not refused: the store itself says when it cannot write.
      enough_ = ec || space.available >= min_free_;
    }
    return enough_;
  }
  std::string text() const {
    return "the store's disk has less than min_free (" + std::to_string(min_free_) +
           " bytes) left; make room, or lower store.min_free";
  }

private:
  const std::filesystem::path folder_;
  const std::uint64_t min_free_;
  std::atomic<std::int64_t> next_look_{0};
  std::atomic<bool> enough_{true};
};

} // namespace tidemark::app
