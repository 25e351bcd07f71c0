// SPDX-License-Identifier: MIT
#include "tide/held.hpp"

namespace tidemark::tide {

std::uint64_t held_headers::linked_down_to() const {
  if (by_number_.empty()) return 0;
  auto it = by_number_.rbegin();
  std::uint64_t low = it->first;
  for (auto below = std::next(it); below != by_number_.rend(); ++it, ++below) {
    if (below->second.id.hash != it->second.parent) break; // heights between them are void
    low = below->first;
  }
  return low;
}

} // namespace tidemark::tide
