// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tidemark::tide {

/// Who is heard about finality. A final block that is the head itself is a tag that means nothing,
/// and behind one address may stand several nodes: where the tag and the head come from two of
/// them, it can not be seen any more. So an endpoint is heard once a few looks have not shown it to
/// be one of those, and not for a while where one did.
class final_words {
public:
  static constexpr std::uint32_t looks_first = 8;
  static constexpr std::int64_t unheard_for = std::int64_t{10} * 60'000; ///< ms

  /// Does it count that a block of height `final` is final? `endpoint`: who says so alone; absent:
  /// a quorum does. Numbers are heights, `now` ms since 1970.
  bool count(std::optional<std::size_t> endpoint, std::uint64_t head, std::uint64_t final,
             std::int64_t now) {
    if (!endpoint) return final < head;
    auto& e = by_endpoint_[*endpoint];
    if (final == head) e = {0, now + unheard_for};
    return final < head && ++e.looks >= looks_first && now >= e.not_before;
  }

private:
  struct word {
    std::uint32_t looks = 0;
    std::int64_t not_before = 0;
  };
  std::map<std::size_t, word> by_endpoint_;
};

} // namespace tidemark::tide
