// SPDX-License-Identifier: MIT
#include "tide/release.hpp"

#include <algorithm>

namespace tidemark::tide {

dispatch dispatch_fact(status s, const route& r, bool late, bool lane_waits) {
  switch (s) {
  case status::pending:
    return {.send = r.pending, .hold = r.confirmed};
  case status::confirmed:
    if (!r.confirmed) return {};
    return late || !lane_waits ? dispatch{.send = true} : dispatch{.hold = true};
  case status::rolled_back:
    break; // goes by take_back
  }
  return {};
}

std::size_t released(std::span<const held_message> front) {
  const auto stop =
      std::find_if(front.begin(), front.end(), [](const held_message& m) { return !m.confirmed; });
  return static_cast<std::size_t>(stop - front.begin());
}

std::vector<told_message> taken_back(std::span<const told_message> latest_first) {
  std::vector<told_message> last;
  for (const told_message& m : latest_first) {
    const bool known = std::any_of(last.begin(), last.end(),
                                   [&](const told_message& k) { return k.handler == m.handler; });
    if (!known) last.push_back(m);
  }
  return last;
}

} // namespace tidemark::tide
