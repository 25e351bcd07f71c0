// SPDX-License-Identifier: MIT
#include "tide/status.hpp"

namespace tidemark::tide {

std::string_view to_text(chain_state s) {
  switch (s) {
  case chain_state::starting:
    return "starting";
  case chain_state::following:
    return "following";
  case chain_state::catching_up:
    return "catching_up";
  case chain_state::degraded:
    return "degraded";
  case chain_state::halted:
    return "halted";
  }
  return "";
}

std::string_view to_text(endpoint_state s) {
  switch (s) {
  case endpoint_state::ok:
    return "ok";
  case endpoint_state::lagging:
    return "lagging";
  case endpoint_state::failing:
    return "failing";
  case endpoint_state::refused:
    return "refused";
  case endpoint_state::rate_limited:
    return "rate_limited";
  case endpoint_state::lying:
    return "lying";
  }
  return "";
}

std::string_view to_text(handler_state s) {
  switch (s) {
  case handler_state::active:
    return "active";
  case handler_state::paused:
    return "paused";
  case handler_state::broken:
    return "broken";
  }
  return "";
}

} // namespace tidemark::tide
