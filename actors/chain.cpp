// SPDX-License-Identifier: MIT
#include "actors/chain.hpp"

#include "actors/named_exceptions.hpp"
#include "store/packing.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace tidemark::actors {
namespace {

constexpr auto boot_again_after = std::chrono::seconds(1);
constexpr std::int64_t longest_sleep = 60'000;

} // namespace

tide::settings tide_settings(const config::chain& c, const config::config& all) {
  tide::settings s;
  s.pack = store::pack;
  s.chain_id = c.id;
  s.name = c.name;
  s.confirmations = c.confirmations.asks();
  s.start_block = c.start_block;
  s.follow = c.follow;
  s.instant = c.instant;
  s.integrity = c.integrity;
  s.backfill = c.backfill_integrity;
  s.endpoints = c.rpc.size();
  s.quorum = c.quorum;
  s.poll = c.poll_interval.count();
  s.reorg_interval = c.reorg_interval.count();
  s.reconcile_interval = c.reconcile_interval.count();
  s.max_depth = c.max_depth;
  s.max_range = c.reconcile_max_range;
  s.overlap = c.reconcile_overlap;
  s.strongest_tag = s.confirmations.at_least;
  for (const auto& sub : all.subscriptions) {
    if (!sub.chains.count(c.id)) continue;
    for (const auto& p : sub.policies)
      s.strongest_tag = std::max(s.strongest_tag, p.at_least);
    for (const auto& e : sub.escalations)
      s.strongest_tag = std::max(s.strongest_tag, e.adds.at_least);
  }
  return s;
}

std::shared_ptr<const tide::interest> interest_of(const config::chain& c, const config::config& all,
                                                  tide::counting counts) {
  std::vector<tide::recipient> recipients;
  for (const auto& h : all.handlers)
    recipients.push_back(h.recipient);
  return std::make_shared<const tide::interest>(c.id, c.name, c.confirmations, all.subscriptions,
                                                std::move(recipients), std::move(counts));
}

store::counting_in counting_of(const config::chain& c, const config::config& all) {
  store::counting_in out;
  out.chain_id = c.id;
  for (const auto& s : all.subscriptions)
    if (s.chains.count(c.id))
      out.subscriptions.push_back({s.name, tide::form_of(s, c.id), s.start_block});
  return out;
}

chain_state::~chain_state() { order_lost(); }

/// Whoever waits for an order that nobody carries out any more hears so.
void chain_state::order_lost() {
  const auto again =
      caf::make_error(caf::sec::runtime_error, "the chain is starting again; ask once more");
  if (auto lost = std::exchange(order, std::nullopt)) lost->deliver(again);
  if (auto lost = std::exchange(skipping, std::nullopt)) lost->deliver(again);
}

/// Everything that a Tide knows comes from the store, so this is also how it recovers from whatever
/// went wrong.
void chain_state::boot() {
  ++life;
  ++generation;
  machine.reset();
  order_lost();
  self->request(with.store, caf::infinite, boot_chain{with.settings.chain_id})
      .then(
          [this, n = life](const chain_booted& b) {
            if (n != life) return;
            machine.emplace(with.settings, with.wants(b.state->counting), *b.state, with.now());
            for (const auto& range : std::vector(ranges)) {
              carry_out(machine->reconcile(range, with.now()));
              if (!machine) return; // it begins again, and so do they
            }
            carry_out(machine->tick(with.now()));
          },
          [this, n = life](const caf::error&) {
            if (n != life) return;
            with.log(true, "the store could not say where the chain stands; asking again");
            self->delayed_send(self, boot_again_after, tick{++generation});
          });
}

/// What counts now, for the passes to come; one that is booting reads it anyway.
void chain_state::recount() {
  self->request(with.store, caf::infinite, boot_chain{with.settings.chain_id})
      .then(
          [this, n = life](const chain_booted& b) {
            if (n == life && machine)
              carry_out(machine->renew(with.wants(b.state->counting), *b.state, with.now()));
          },
          [this, n = life](const caf::error&) {
            if (n == life) boot();
          });
}

void chain_state::carry_out(tide::tide::effects effects) {
  for (auto& e : effects)
    std::visit([this](auto& what) { act(what); }, e);
  if (machine->ended()) return boot();
  for (auto& e : machine->meanwhile(with.now())) // after the store was given what is its to do
    std::visit([this](auto& what) { act(what); }, e);
  publish();
  arm();
}

void chain_state::publish() {
  auto now = machine->status();
  if (unstored && now.state != tide::chain_state::halted) {
    now.state = tide::chain_state::degraded;
    now.reason = "the store does not take what the chain has: the log says why";
  }
  with.publish(std::move(now));
}

void chain_state::act(tide::ask& a) { self->send(with.rpc, asked{box(std::move(a))}); }

void chain_state::act(tide::conclude& c) {
  store::pack_data(c.set);
  self->request(with.store, caf::infinite, apply_set{box(std::move(c.set))})
      .then(
          [this, n = life](const set_answer& a) {
            unstored = false;
            if (n == life && machine) carry_out(machine->stored(*a.answer, with.now()));
          },
          [this, n = life](const caf::error&) {
            // Whether it was written is not known; the store will say.
            if (n != life) return;
            with.log(true, "a conclusion was not stored; beginning again from the store");
            unstored = true;
            publish();
            machine.reset();
            order_lost();
            ++life;
            self->delayed_send(self, boot_again_after, tick{++generation});
          });
}

void chain_state::act(tide::want_hints& w) {
  self->request(with.store, caf::infinite, take_hints{with.settings.chain_id, w.limit})
      .then(
          [this, n = life](const hints_taken& t) {
            if (n == life && machine)
              carry_out(machine->hinted(t.batch->hints, t.batch->next_due, with.now()));
          },
          [this, n = life](const caf::error&) {
            if (n == life && machine)
              carry_out(machine->hinted({}, with.now() + 1'000, with.now()));
          });
}

void chain_state::act(tide::want_event_blocks&) {
  self->request(with.store, caf::infinite, list_event_blocks{with.settings.chain_id})
      .then(
          [this, n = life](const event_blocks_listed& l) {
            if (n == life && machine) carry_out(machine->event_blocks(*l.blocks, with.now()));
          },
          [this, n = life](const caf::error&) {
            if (n == life) boot();
          });
}

void chain_state::act(tide::said& s) { with.log(s.warning, s.text); }

void chain_state::act(tide::caught_lying& c) {
  self->send(with.rpc, caught_lying{c.endpoint, std::move(c.kind), std::move(c.evidence)});
}

void chain_state::act(tide::resume_answered& r) {
  if (auto open = std::exchange(order, std::nullopt))
    open->deliver(chain_resumed{box(std::move(r.report))});
}

void chain_state::act(tide::skip_answered& r) {
  if (auto open = std::exchange(skipping, std::nullopt))
    open->deliver(blocks_skipped{box(std::move(r))});
}

void chain_state::act(tide::reconcile_progress& p) {
  const auto of_job = [&p](const tide::reconcile_order& o) { return o.job == p.at.job; };
  if (p.ended)
    std::erase_if(ranges, of_job);
  else if (const auto at = std::find_if(ranges.begin(), ranges.end(), of_job); at != ranges.end())
    *at = p.at;
  if (with.progress) with.progress(p);
}

void chain_state::arm() {
  const auto wait = std::clamp<std::int64_t>(machine->next_tick() - with.now(), 1, longest_sleep);
  self->delayed_send(self, std::chrono::milliseconds(wait), tick{++generation});
}

chain_actor::behavior_type make_chain(chain_actor::stateful_pointer<chain_state> self,
                                      chain_params params) {
  name_exceptions(self);
  self->state.with = std::move(params);
  self->state.boot();
  return {[self](look) {
            auto& s = self->state;
            if (s.machine) s.carry_out(s.machine->bell(s.with.now()));
          },
          [self](head_heard) {
            auto& s = self->state;
            if (s.machine) s.carry_out(s.machine->look(s.with.now()));
          },
          [self](const tick& t) {
            auto& s = self->state;
            if (t.generation != s.generation) return;
            if (!s.machine) return s.boot();
            s.machine->hold(s.with.hold_back());
            s.carry_out(s.machine->tick(s.with.now()));
          },
          [self](const answered& a) {
            auto& s = self->state;
            if (s.machine) s.carry_out(s.machine->answered(*a.answer, s.with.now()));
          },
          [self](recount) { self->state.recount(); },
          [self](const resume_chain& r) {
            auto& s = self->state;
            auto promise = self->make_response_promise<chain_state::resume_promise>();
            if (!s.machine || s.order) {
              promise.deliver(caf::make_error(
                  caf::sec::runtime_error, s.machine ? "another resume of this chain is under way"
                                                     : "the chain is starting; ask once more"));
              return promise;
            }
            s.order = promise;
            s.carry_out(s.machine->resume(r.accept_reorg, s.with.now()));
            return promise;
          },
          [self](const skip_blocks& b) {
            auto& s = self->state;
            auto promise = self->make_response_promise<chain_state::skip_promise>();
            if (!s.machine || s.skipping) {
              promise.deliver(caf::make_error(caf::sec::runtime_error,
                                              s.machine ? "another skip of this chain is under way"
                                                        : "the chain is starting; ask once more"));
              return promise;
            }
            s.skipping = promise;
            s.carry_out(s.machine->skip(*b.order, s.with.now()));
            return promise;
          },
          [self](const reconcile_range& r) {
            auto& s = self->state;
            s.ranges.push_back(*r.order);
            if (s.machine) s.carry_out(s.machine->reconcile(*r.order, s.with.now()));
          },
          [self](const stop_range& r) {
            auto& s = self->state;
            const auto of_job = [&r](const tide::reconcile_order& o) { return o.job == r.job; };
            std::erase_if(s.ranges, of_job);
            if (s.machine) s.carry_out(s.machine->stop_reconcile(r.job, s.with.now()));
          }};
}

} // namespace tidemark::actors
