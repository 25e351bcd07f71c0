// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::actors {

/// Actors that live and die together.
struct unit {
  std::string name;
  /// Spawns them and connects whoever has to know; also after a death.
  std::function<std::vector<caf::actor>()> start;
  bool vital = false;  ///< without it nothing is true: its death ends the process
  bool drains = false; ///< it understands `drain` and ends by itself
  /// Clears up behind those that ended, before others start. Not when the daemon stops.
  std::function<void()> ended = {};
};

struct supervisor_params {
  std::vector<unit> units; ///< in the order in which they start; they end in the reverse one
  std::function<void(bool warning, std::string_view)> log;
  std::function<void(std::string_view)> fatal; ///< a vital unit died; does not return
};

struct supervisor_state {
  static inline const char* name = "supervisor";

  explicit supervisor_state(supervisor_actor::pointer self_) : self(self_) {}
  ~supervisor_state() { refuse_changes(); } ///< or who waits for one waits for its whole time

  std::int64_t steady_ms() const;
  void start(std::size_t i);
  void died(const caf::actor_addr& who, const std::string& why);
  void stop_next();
  void change(const unit_change& c);
  std::size_t place_for(const unit& u);
  void settle(std::size_t i);
  void end(std::size_t i);
  void changed();
  void refuse_changes();

  struct running {
    std::vector<caf::actor> alive;
    std::uint64_t life = 0;
    std::uint32_t deaths = 0; ///< in a row
    std::int64_t started_at = 0;
    std::optional<unit_change> changing; ///< once it has ended
    bool gone = false;
  };

  supervisor_actor::pointer self;
  supervisor_params with;
  std::vector<running> units;
  bool stopping = false;
  bool refusing = false; ///< no change is begun or waited for any more
  std::size_t left = 0;  ///< units still to stop
  std::int64_t give_up_at = 0;
  std::vector<caf::typed_response_promise<order_done>> waiting; ///< for what is changing
};

supervisor_actor::behavior_type
make_supervisor(supervisor_actor::stateful_pointer<supervisor_state> self,
                supervisor_params params);

} // namespace tidemark::actors
