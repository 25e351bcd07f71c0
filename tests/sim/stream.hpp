// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::sim {

/// What is drawn for one concern of a run. Each has its own, so that switching one off leaves what
/// the others draw as it was: a failing seed stays one while it is made shorter. (splitmix64)
class stream {
public:
  stream(std::uint64_t seed, std::string_view concern, std::uint64_t n = 0)
      : state_(seed * 0x9e3779b97f4a7c15 + n * 0xd1342543de82ef95) {
    for (const char c : concern)
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    (void)(*this)();
  }

  std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15;
    auto z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 … n−1; n at least 1.
  std::uint64_t below(std::uint64_t n) { return (*this)() % n; }
  /// Both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// A span around it, from a quarter to seven quarters.
  std::int64_t about(std::int64_t mean) { return between(mean / 4, mean * 7 / 4); }
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  std::uint64_t state_;
};

} // namespace tidemark::sim
