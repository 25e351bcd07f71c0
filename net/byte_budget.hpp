// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace tidemark::net {

/// A bound on bytes held by many owners at once. Any thread.
class byte_budget {
public:
  explicit byte_budget(std::size_t limit) : limit_(limit) {}

  /// All of `n` or nothing.
  bool take(std::size_t n) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (n > limit_ || used > limit_ - n) return false;
    } while (!used_.compare_exchange_weak(used, used + n, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::size_t n) { used_.fetch_sub(n, std::memory_order_relaxed); }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

/// What one owner holds of a budget; given back at the latest when it dies. Any thread.
class byte_lease {
public:
  byte_lease() = default;
  explicit byte_lease(std::shared_ptr<byte_budget> from) : from_(std::move(from)) {}
  byte_lease(const byte_lease&) = delete;
  byte_lease& operator=(const byte_lease&) = delete;
  ~byte_lease() { release(); }

  /// A lease of no budget (a request made by a test) has no bound.
  bool grow(std::size_t more) {
    if (from_ && !from_->take(more)) return false;
    held_ += more;
    return true;
  }
  void release() {
    const std::size_t n = held_.exchange(0);
    if (from_ && n != 0) from_->give_back(n);
  }
  std::size_t held() const { return held_; }

private:
  std::shared_ptr<byte_budget> from_;
  std::atomic<std::size_t> held_{0};
};

} // namespace tidemark::net
