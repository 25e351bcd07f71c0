// SPDX-License-Identifier: MIT
#include "app/disk_space.hpp"

#include "app/log.hpp"

#include <chrono>

namespace tidemark::app {

disk_space::disk_space(const std::filesystem::path& store, std::uint64_t min_free)
    : folder_(std::filesystem::absolute(store).parent_path()), min_free_(min_free) {}

std::string disk_space::trouble() {
  const auto text = [this] { // asked for each webhook, and hardly ever said
    return "the store's disk has less than min_free (" + std::to_string(min_free_) +
           " bytes) left; make room, or lower store.min_free";
  };
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  auto next = next_look_.load();
  constexpr std::int64_t a_second =
      std::chrono::steady_clock::duration(std::chrono::seconds(1)).count();
  if (now >= next && next_look_.compare_exchange_strong(next, now + a_second)) {
    std::error_code ec;
    const auto space = std::filesystem::space(folder_, ec);
    // What cannot be measured is not refused: the store itself says when it cannot write.
    const bool enough = ec || space.available >= min_free_;
    if (enough_.exchange(enough) != enough)
      log(enough ? level::info : level::warn, component::store,
          enough ? "the store's disk has min_free again: webhooks and scans go on"
                 : "webhooks are answered 503 and scans wait: " + text());
  }
  return enough_ ? std::string() : text();
}

} // namespace tidemark::app
