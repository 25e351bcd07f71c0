// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"

#include "store/types.hpp"
#include "tide/interest.hpp"

#include <memory>
#include <span>
#include <vector>

// What is subscribed in a run, and who is told.

namespace tidemark::sim {

struct order_of_handler {
  const char* name;
  tide::order_by order;
  bool pending;
};
std::span<const order_of_handler> handlers();
std::vector<store::handler_in> rows_of_handlers();

/// `latecomer`: with the subscription that only comes while the daemon runs.
std::shared_ptr<const tide::interest> interest_of(const plan& p, const tide::counting& counts,
                                                  bool latecomer);
/// The same as the config says it to the store.
store::counting_in counting_of(const plan& p, bool latecomer);

} // namespace tidemark::sim
