// SPDX-License-Identifier: MIT
#include "app/reconcile_orders.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace tidemark::app {
namespace {

using waiter = caf::typed_actor<caf::reacts_to<actors::look>>;
using answer_with = std::function<net::response(std::int64_t)>;

/// The job's row and the audit's first; then the chain hears of it.
struct beginning {
  actors::chain_actor to;
  std::string chain, who;
  tide::reconcile_order order;
  net::reply_slot slot;
  answer_with make;
};

std::string said(const beginning& b) {
  return b.chain + ' ' + std::to_string(b.order.from) + '-' + std::to_string(b.order.to) +
         (b.order.apply ? " apply" : "");
}

void begin(caf::actor_system& system, const actors::store_actor& store, beginning b) {
  const auto with = std::make_shared<beginning>(std::move(b));
  const auto work = [with](store::store& file, std::int64_t now) -> store::result<void> {
    const auto id = file.begin_job("reconcile", now);
    if (!id) return id.error();
    with->order.job = *id;
    return file.audit(with->who, "reconcile", said(*with), now);
  };
  system.spawn([with, work, store](waiter::pointer self) -> waiter::behavior_type {
    self->request(store, caf::infinite, actors::write_work{work})
        .then(
            [self, with](const actors::order_done&) {
              caf::anon_send(with->to, actors::reconcile_range{actors::box(with->order)});
              with->slot.deliver(with->make(with->order.job));
              self->quit();
            },
            [self, with](const caf::error& e) {
              with->slot.deliver(net::problem(503, self->system().render(e)));
              self->quit();
            });
    return {[](actors::look) {}};
  });
}

} // namespace

void add_reconcile_order(api::orders& to, const config::config& c, const actors::switchboard& board,
                         const actors::store_actor& store, caf::actor_system& system) {
  to.reconcile = [&c, &board, store, &system](const std::string& name, tide::reconcile_order order,
                                              const std::string& who, net::reply_slot slot,
                                              const answer_with& make) {
    const auto chain = std::find_if(c.chains.begin(), c.chains.end(),
                                    [&](const config::chain& x) { return x.name == name; });
    if (chain == c.chains.end()) return slot.deliver(net::problem(404, "no such chain"));
    const auto at = board.chain(chain->id);
    if (!at) return slot.deliver(net::problem(503, "the chain is starting; ask once more"));
    begin(system, store, {at, name, who, std::move(order), std::move(slot), make});
  };
}

std::function<void(const tide::reconcile_progress&)>
note_progress(std::uint64_t chain_id, const actors::switchboard& board, actors::store_actor store) {
  return [chain_id, &board, store = std::move(store)](const tide::reconcile_progress& p) {
    const auto work = [p, chain_id, &board](store::store& file,
                                            std::int64_t now) -> store::result<void> {
      const auto runs = file.job_runs(p.at.job);
      if (!runs) return runs.error();
      const auto chain = board.chain(chain_id);
      if (!*runs && !p.ended && chain) caf::anon_send(chain, actors::stop_range{p.at.job});
      if (!*runs) return {};
      if (auto put = file.note_job(p.at.job, {p.at.missing, p.at.extra, p.at.equal}); !put)
        return put;
      if (!p.ended) return {};
      const auto how = p.trouble.empty() ? tide::job_state::done : tide::job_state::failed;
      return file.end_job(p.at.job, how, p.trouble.empty() ? p.at.left_out : p.trouble, now);
    };
    caf::anon_send(store, actors::write_work{work});
  };
}

} // namespace tidemark::app
