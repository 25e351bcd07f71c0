// SPDX-License-Identifier: MIT
#include "tide/delivery_codes.hpp"

namespace tidemark::tide {

std::string_view to_text(gap_reason r) {
  switch (r) {
  case gap_reason::exhausted:
    return "exhausted";
  case gap_reason::skipped:
    return "skipped";
  case gap_reason::expired:
    return "expired";
  case gap_reason::blocks:
    return "blocks";
  case gap_reason::away:
    break;
  }
  return "away";
}

} // namespace tidemark::tide
