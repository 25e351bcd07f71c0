// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"

#include <caf/response_promise.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/stateful_actor.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tidemark::actors {

/// What a fake store answers; one that is not set fails.
struct store_script {
  template <class A, class Q> using answer = std::function<caf::result<A>(const Q&)>;
  answer<webhook_stored, put_webhook> put;
  answer<raw_webhooks, take_raw> raw;
  answer<extracted_stored, put_extracted> extracted;
  answer<chain_booted, boot_chain> boot;
  answer<set_answer, apply_set> apply;
  answer<hints_taken, take_hints> hints;
  answer<event_blocks_listed, list_event_blocks> event_blocks;
  answer<messages_taken, turn_order> turn;
  answer<order_done, pause_handler> pause;
  bool silent = false;                              ///< nothing is answered any more
  std::function<void(caf::response_promise&)> late; ///< what a tick makes of what was not answered
};

struct fake_store_state {
  std::vector<caf::response_promise> kept;
};

using fake_store_actor = store_actor::stateful_base<fake_store_state>;

inline caf::error store_fails() { return caf::make_error(caf::sec::runtime_error); }

inline store_actor::behavior_type
make_fake_store(store_actor::stateful_pointer<fake_store_state> self,
                const std::shared_ptr<store_script>& script) {
  const auto by = [self,
                   script]<class A, class Q>(store_script::answer<A, Q> store_script::*member) {
    return [self, script, member](const Q& q) -> caf::result<A> {
      if (script->silent) {
        self->state.kept.push_back(self->make_response_promise());
        return self->state.kept.back();
      }
      const auto& f = (*script).*member;
      return f ? f(q) : caf::result<A>{store_fails()};
    };
  };
  return {
      by(&store_script::put),
      by(&store_script::raw),
      by(&store_script::extracted),
      by(&store_script::boot),
      by(&store_script::apply),
      by(&store_script::hints),
      by(&store_script::event_blocks),
      by(&store_script::turn),
      by(&store_script::pause),
      [](const reprocess_webhooks&) -> caf::result<order_done> { return store_fails(); },
      [](const write_audit&) -> caf::result<order_done> { return store_fails(); },
      [](const change_list&) -> caf::result<list_changed> { return store_fails(); },
      [](const adopt_config&) -> caf::result<order_done> { return store_fails(); },
      [](const write_work&) -> caf::result<order_done> { return store_fails(); },
      [self, script](const tick&) {
        for (auto& k : std::exchange(self->state.kept, {}))
          if (script->late) script->late(k);
      },
  };
}

} // namespace tidemark::actors
