// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "actors/named_exceptions.hpp"

#include <caf/stateful_actor.hpp>

#include <memory>

namespace tidemark::actors {

struct reader_state {
  static inline const char* name = "reader";
  std::shared_ptr<store::reader> connection; ///< this actor's alone
};

/// Runs detached, since SQLite blocks.
inline reader_actor::behavior_type make_reader(reader_actor::stateful_pointer<reader_state> self,
                                               std::shared_ptr<store::reader> connection) {
  name_exceptions(self);
  self->state.connection = std::move(connection);
  return {[self](const read_work& r) { r.work(*self->state.connection); }};
}

} // namespace tidemark::actors
