// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"

#include <functional>
#include <string>

namespace tidemark::sim {

struct finding {
  plan how;
  std::string fault; ///< empty: none
};

/// Plays one plan; what is thrown is a fault too.
std::string play(const plan& p);

/// The simplest plan it finds that still fails: without the troubles that do not matter, with fewer
/// endpoints and steps. `said` hears of each step.
finding shrink(const plan& failing, const std::string& fault,
               const std::function<void(const std::string&)>& said);

} // namespace tidemark::sim
