// SPDX-License-Identifier: MIT
#pragma once

#include "actors/ingest_rules.hpp"
#include "actors/interfaces.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace tidemark::actors {

struct intake_params {
  store_actor store;
  std::shared_ptr<const ingest_rules> rules;
  std::function<void(std::string_view)> warn; ///< a line for the log
};

struct intake_state {
  static inline const char* name = "intake";
  intake_params with;
  bool busy = false;  ///< a request is with the store
  bool again = false; ///< the bell rang meanwhile
};

/// Extraction: raw bytes above the store's cursor, in id order → hints. Begins by itself.
intake_actor::behavior_type make_intake(intake_actor::stateful_pointer<intake_state> self,
                                        intake_params params);

} // namespace tidemark::actors
