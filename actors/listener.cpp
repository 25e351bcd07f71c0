// SPDX-License-Identifier: MIT
#include "actors/listener.hpp"

#include "actors/named_exceptions.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <utility>

namespace tidemark::actors {

namespace {

void refused(const ingest_door_params& with, const refused_request& r, std::int64_t now) {
  with.counters->add(r.source, r.why, now);
  if (with.note && !r.source.empty()) with.note({r.source, r.why, r.reason});
}

void judge_and_hand_over(const ingest_door_params& with, net::request& r, net::reply_slot slot) {
  const auto now = with.now();
  auto verdict = judge(*with.rules, r, now);
  if (auto* no = std::get_if<refused_request>(&verdict)) {
    refused(with, *no, now);
    return slot.deliver(std::move(no->answer));
  }
  auto& taken = std::get<accepted_request>(verdict);
  const auto hints = taken.hints;
  auto hook =
      box(webhook{std::move(taken.source), now, std::move(taken.headers), std::move(taken.body)});
  const auto source = hook;
  if (!with.door->hand_over({std::move(hook), hints, std::move(slot)}))
    refused(with, {source->source, ingest_result::unavailable, {}}, now);
}

void count(const listener_state& st, const incoming& in, ingest_result how, std::int64_t id = 0) {
  st.with.counters->add(in.hook->source, how, st.with.now());
  if (st.with.note) st.with.note({in.hook->source, how, {}, id, in.hints});
}

} // namespace

listener_actor::behavior_type make_listener(listener_actor::stateful_pointer<listener_state> self,
                                            listener_params params) {
  name_exceptions(self);
  self->state.with = std::move(params);
  return {[self](const incoming& in) {
    // No time-out: CAF would keep each answered request until it is due, and the store always
    // answers; the session has its own timer.
    self->request(self->state.with.store, caf::infinite, put_webhook{in.hook})
        .then(
            [self, in, began = std::chrono::steady_clock::now()](const webhook_stored& stored) {
              const auto how =
                  stored.duplicate ? ingest_result::duplicate : ingest_result::accepted;
              count(self->state, in, how, stored.id);
              if (const auto& tell = self->state.with.committed)
                tell(std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
                         .count());
              in.slot.deliver(acknowledged(stored.id, in.hints, stored.duplicate));
            },
            [self, in](const caf::error&) {
              count(self->state, in, ingest_result::unavailable);
              in.slot.deliver(unavailable("the store cannot commit now"));
            });
  }};
}

void listener_door::set(listener_actor l) {
  const std::lock_guard lock{mutex_};
  std::swap(listener_, l); // the old handle dies after the lock
}

void listener_door::clear() { set(listener_actor{}); }

bool listener_door::hand_over(incoming in) const {
  listener_actor to;
  {
    const std::lock_guard lock{mutex_};
    to = listener_;
  }
  if (!to) return false;
  caf::anon_send(to, std::move(in));
  return true;
}

ingest_callbacks make_ingest_callbacks(ingest_door_params params) {
  const auto with = std::make_shared<const ingest_door_params>(std::move(params));
  return {
      [with](const net::request& r) -> std::optional<net::response> {
        if (auto answer = check_head(*with->rules, r)) return answer;
        if (auto answer = check_sender(*with->rules, r)) return answer;
        auto lacking = with->unable ? with->unable() : std::string{};
        if (lacking.empty()) return std::nullopt;
        return unavailable(lacking);
      },
      [with](const std::shared_ptr<net::request>& r, net::reply_slot slot) {
        with->work([with, r, slot = std::move(slot)]() mutable {
          judge_and_hand_over(*with, *r, std::move(slot));
        });
      },
      [with](const net::request& r, const net::response& answer) {
        refused(*with, refused_early(*with->rules, r, answer), with->now());
      },
  };
}

} // namespace tidemark::actors
