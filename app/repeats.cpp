// SPDX-License-Identifier: MIT
#include "app/repeats.hpp"

#include <utility>

namespace tidemark::app {

std::optional<std::uint64_t> repeats::seen(const std::string& text, std::int64_t now) {
  const auto at = known_.find(text);
  if (at == known_.end()) {
    if (known_.size() < most) known_.emplace(text, entry{now, 0});
    return 0;
  }
  auto& e = at->second;
  if (now - e.written_at < window_ms) {
    ++e.left_out;
    return std::nullopt;
  }
  e.written_at = now;
  return std::exchange(e.left_out, 0);
}

std::vector<repeats::ended> repeats::due(std::int64_t now) {
  std::vector<ended> out;
  for (auto at = known_.begin(); at != known_.end();) {
    const auto here = at++;
    if (now - here->second.written_at < window_ms) continue;
    if (here->second.left_out > 0) out.push_back({here->first, here->second.left_out});
    known_.erase(here);
  }
  return out;
}

std::vector<repeats::ended> repeats::end() {
  std::vector<ended> out;
  for (const auto& [text, e] : known_)
    if (e.left_out > 0) out.push_back({text, e.left_out});
  known_.clear();
  return out;
}

thinner::verdict thinner::next(std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  if (const auto now = now_ms / 1'000; now != second_) {
    second_ = now;
    written_ = 0;
  }
  if (written_ == most) {
    ++left_out_;
    return {};
  }
  ++written_;
  return {true, std::exchange(left_out_, 0)};
}

} // namespace tidemark::app
