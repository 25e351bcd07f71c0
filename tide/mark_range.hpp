// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

namespace tidemark::tide {

/// How many blocks the mark's next range may have. What cannot be read may be one block of many:
/// after each failure it is half as many, so that the mark comes to stand just below that block and
/// `chain skip` can give up it alone; what is read widens it again.
class mark_range {
public:
  std::uint64_t most() const { return most_; } ///< blocks, at least 1
  void asked(std::uint64_t blocks) { asked_ = blocks; }

  void read() {
    if (most_ != no_limit) most_ = 2 * asked_;
    narrowed_ = 0;
    one_failed_ = false;
  }

  void failed() {
    if (asked_ > 1 && !one_failed_) {
      most_ = asked_ / 2;
      ++narrowed_;
      return;
    }
    // One block by turns with all of them: its height may be void, which only those above it show.
    most_ = asked_ > 1 ? 1 : no_limit;
    one_failed_ = true;
  }

  /// How many of the failures since the last reading made it narrower: no reason to wait longer.
  std::uint32_t narrowed() const { return narrowed_; }

private:
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = no_limit, asked_ = 1;
  std::uint32_t narrowed_ = 0;
  bool one_failed_ = false;
};

} // namespace tidemark::tide
