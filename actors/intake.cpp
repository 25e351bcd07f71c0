// SPDX-License-Identifier: MIT
#include "actors/intake.hpp"

#include "actors/named_exceptions.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>

namespace tidemark::actors {

namespace {

using self_pointer = intake_actor::stateful_pointer<intake_state>;

constexpr std::size_t rows_at_once = 256, bytes_at_once = std::size_t{4} * 1024 * 1024;
constexpr std::chrono::seconds after_failure{1};

/// A bell before then is welcome: it says that the store commits again.
void wait_and_look(self_pointer self, const char* what) {
  auto& st = self->state;
  st.with.warn(std::string{"the store did not "} + what + " webhooks; again in 1 s");
  st.busy = false;
  self->delayed_send(self, after_failure, look{});
}

void take(self_pointer self);

void put(self_pointer self, const std::vector<store::raw_webhook>& raw) {
  std::vector<store::extracted> out;
  out.reserve(raw.size());
  for (const auto& w : raw)
    out.push_back(read_hints(*self->state.with.rules, w));
  self->request(self->state.with.store, caf::infinite, put_extracted{box(std::move(out))})
      .then([self](const extracted_stored&) { take(self); },
            [self](const caf::error&) { wait_and_look(self, "take what was read of"); });
}

void take(self_pointer self) {
  self->state.busy = true;
  self->state.again = false;
  self->request(self->state.with.store, caf::infinite, take_raw{rows_at_once, bytes_at_once})
      .then(
          [self](const raw_webhooks& raw) {
            if (!raw.rows->empty()) return put(self, *raw.rows);
            self->state.busy = false;
            if (self->state.again) take(self);
          },
          [self](const caf::error&) { wait_and_look(self, "give"); });
}

} // namespace

intake_actor::behavior_type make_intake(intake_actor::stateful_pointer<intake_state> self,
                                        intake_params params) {
  name_exceptions(self);
  self->state.with = std::move(params);
  self->send(self, look{});
  return {[self](look) {
    auto& st = self->state;
    if (st.busy)
      st.again = true;
    else
      take(self);
  }};
}

} // namespace tidemark::actors
