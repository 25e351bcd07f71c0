// SPDX-License-Identifier: MIT
#include "app/orders.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace tidemark::app {
namespace {

using courier = caf::typed_actor<caf::reacts_to<actors::look>>;

net::response failed(caf::actor_system& system, const caf::error& e) {
  return net::problem(503, system.render(e));
}

/// One request to an actor, for the time of its answer.
template <class Answer, class To, class Message, class Make>
void carry(caf::actor_system& system, To to, Message message, net::reply_slot slot, Make make) {
  system.spawn([to = std::move(to), message = std::move(message), slot = std::move(slot),
                make = std::move(make)](courier::pointer self) -> courier::behavior_type {
    self->request(to, std::chrono::seconds(50), message)
        .then([self, slot, make](const Answer& a) { slot.deliver(make(a)), self->quit(); },
              [self, slot](const caf::error& e) {
                slot.deliver(failed(self->system(), e)), self->quit();
              });
    return {[](actors::look) {}};
  });
}

} // namespace

api::orders make_orders(const config::config& c, const actors::switchboard& board,
                        const actors::store_actor& store, caf::actor_system& system) {
  api::orders o;
  o.resume = [&c, &board, &system,
              store](const std::string& chain, bool accept, const std::string& who,
                     net::reply_slot slot,
                     const std::function<net::response(const tide::resume_report&)>& make) {
    for (const auto& one : c.chains) {
      if (one.name != chain) continue;
      const auto to = board.chain(one.id);
      if (!to) return slot.deliver(net::problem(503, "the chain is starting; ask once more"));
      caf::anon_send(
          store,
          actors::write_audit{who, accept ? "chain resume --accept-reorg" : "chain resume", chain});
      return carry<actors::chain_resumed>(
          system, to, actors::resume_chain{accept, who}, std::move(slot),
          [make](const actors::chain_resumed& a) { return make(*a.report); });
    }
    slot.deliver(net::problem(404, "no such chain"));
  };
  o.skip = [&c, &board, &system,
            store](const std::string& chain, tide::skip_order order, net::reply_slot slot,
                   const std::function<net::response(const tide::skip_answered&)>& make) {
    const auto one = std::find_if(c.chains.begin(), c.chains.end(),
                                  [&](const config::chain& x) { return x.name == chain; });
    if (one == c.chains.end()) return slot.deliver(net::problem(404, "no such chain"));
    const auto to = board.chain(one->id);
    if (!to) return slot.deliver(net::problem(503, "the chain is starting; ask once more"));
    caf::anon_send(store, actors::write_audit{order.who, "chain skip",
                                              chain + " " + std::to_string(order.from) + "-" +
                                                  std::to_string(order.to) + ": " + order.reason});
    carry<actors::blocks_skipped>(system, to, actors::skip_blocks{actors::box(std::move(order))},
                                  std::move(slot),
                                  [make](const actors::blocks_skipped& b) { return make(*b.how); });
  };
  o.pause = [&board, &system, store](const std::string& handler, bool paused,
                                     const std::string& reason, const std::string& who,
                                     net::reply_slot slot,
                                     const std::function<net::response()>& make) {
    carry<actors::order_done>(system, store, actors::pause_handler{handler, paused, reason, who},
                              std::move(slot), [make, &board, handler](const actors::order_done&) {
                                if (const auto d = board.delivery(handler))
                                  caf::anon_send(d, actors::look{});
                                return make();
                              });
  };
  o.reprocess = [&system, store](std::vector<std::int64_t> webhooks, const std::string& who,
                                 net::reply_slot slot,
                                 const std::function<net::response(std::uint64_t)>& make) {
    carry<actors::order_done>(system, store, actors::reprocess_webhooks{std::move(webhooks), who},
                              std::move(slot),
                              [make](const actors::order_done& d) { return make(d.count); });
  };
  return o;
}

} // namespace tidemark::app
