// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace tidemark::sim {

/// A clock that jumps from one thing to the next. Things of one moment happen in the order in which
/// they were put there.
class timeline {
public:
  explicit timeline(std::int64_t start) : now_(start) {}

  std::int64_t now() const { return now_; }
  /// `life`: of whom it belongs to; what belongs to a former life does not happen. 0: the world's.
  void after(std::int64_t ms, std::uint64_t life, std::function<void()> what) {
    queue_.push_back({now_ + std::max<std::int64_t>(ms, 0), ++n_, life, std::move(what)});
    std::push_heap(queue_.begin(), queue_.end(), later);
  }
  /// The next thing, if there is one until then; `life`: the present one.
  bool step(std::uint64_t life, std::int64_t until = INT64_MAX) {
    while (!queue_.empty() && queue_.front().at <= until) {
      std::pop_heap(queue_.begin(), queue_.end(), later);
      const auto next = std::move(queue_.back());
      queue_.pop_back();
      if (next.life != 0 && next.life != life) continue;
      now_ = next.at;
      next.what();
      return true;
    }
    return false;
  }
  /// Nothing happens until then.
  void wait_until(std::int64_t at) { now_ = std::max(now_, at); }

private:
  struct thing {
    std::int64_t at = 0;
    std::uint64_t n = 0, life = 0;
    std::function<void()> what;
  };
  static bool later(const thing& a, const thing& b) {
    return a.at != b.at ? a.at > b.at : a.n > b.n;
  }
  std::int64_t now_;
  std::uint64_t n_ = 0;
  std::vector<thing> queue_;
};

} // namespace tidemark::sim
