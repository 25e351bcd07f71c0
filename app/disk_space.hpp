// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::app {

/// Whether the store's disk has `min_free` bytes left (contract §2). Looks at most once a second,
/// when it is asked, and logs each change. Any thread.
class disk_space {
public:
  disk_space(const std::filesystem::path& store, std::uint64_t min_free);

  /// Why nothing is taken in; empty: there is enough.
  std::string trouble();

private:
  const std::filesystem::path folder_;
  const std::uint64_t min_free_;
  std::atomic<std::int64_t> next_look_{0};
  std::atomic<bool> enough_{true};
};

} // namespace tidemark::app
