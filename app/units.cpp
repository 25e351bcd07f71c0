// SPDX-License-Identifier: MIT
#include "app/units.hpp"

#include "app/clock.hpp"
#include "actors/chain.hpp"
#include "actors/delivery.hpp"
#include "actors/rpc.hpp"
#include "app/log.hpp"
#include "app/version.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <mutex>
#include <random>
#include <utility>

namespace tidemark::app {
namespace {

std::uint64_t seed() { return std::random_device{}(); }

std::function<void(net::client_request, net::http_client::callback)>
sender(net::http_client& client) {
  return [&client](net::client_request r, net::http_client::callback done) {
    client.send(std::move(r), std::move(done));
  };
}

/// A chain's status has two authors, the Tide and the endpoints' pool, on threads of their own.
class chain_board {
public:
  explicit chain_board(std::shared_ptr<api::live> board) : board_(std::move(board)) {}

  void put(tide::chain_status s) {
    const std::lock_guard lock(mutex_);
    s.endpoints = std::move(latest_.endpoints);
    latest_ = std::move(s);
    board_->put(latest_);
  }
  void put(std::vector<tide::endpoint_status> endpoints) {
    const std::lock_guard lock(mutex_);
    latest_.endpoints = std::move(endpoints);
    if (!latest_.name.empty()) board_->put(latest_);
  }

private:
  std::mutex mutex_;
  tide::chain_status latest_;
  std::shared_ptr<api::live> board_;
};

} // namespace

std::function<void(std::string_view)> warner(std::string part) {
  return [part = std::move(part)](std::string_view t) { log(level::warn, t, {{"part", part}}); };
}

actors::unit chain_unit(const unit_needs& needs, const config::chain& c) {
  const auto chain = std::make_shared<const config::chain>(c);
  const auto board = std::make_shared<chain_board>(needs.board);
  return {"chain " + c.name, [needs, chain, board] {
            actors::rpc_params r;
            r.chain = chain;
            r.send = sender(needs.nodes);
            r.now = now_ms;
            r.publish = [board](std::vector<tide::endpoint_status> s) { board->put(std::move(s)); };
            r.warn = warner("chain " + chain->name);
            r.seed = seed();
            const auto rpc = needs.system.spawn(actors::make_rpc, std::move(r));

            actors::chain_params p;
            p.settings = actors::tide_settings(*chain, *needs.config);
            p.wants = actors::interest_of(*chain, *needs.config);
            p.store = needs.store;
            p.rpc = rpc;
            p.now = now_ms;
            p.publish = [board](tide::chain_status s) { board->put(std::move(s)); };
            p.log = [name = chain->name](bool warning, std::string_view t) {
              log(warning ? level::warn : level::info, t, {{"chain", name}});
            };
            p.hold_back = [space = needs.space] {
              return space->enough() ? std::string() : space->text();
            };
            const auto a = needs.system.spawn(actors::make_chain, std::move(p));
            needs.switchboard.connect(chain->id, a);
            return std::vector{caf::actor_cast<caf::actor>(a), caf::actor_cast<caf::actor>(rpc)};
          }};
}

actors::unit delivery_unit(const unit_needs& needs, const config::handler& h) {
  const auto handler = std::make_shared<const config::handler>(h);
  return {"delivery " + h.name(),
          [needs, handler] {
            actors::delivery_params p;
            p.handler = handler;
            p.store = needs.store;
            p.send = sender(needs.handlers);
            p.now = now_ms;
            p.publish = [board = needs.board](tide::handler_status s) { board->put(std::move(s)); };
            p.warn = warner("delivery " + handler->name());
            p.version = version();
            p.seed = seed();
            const auto a = needs.system.spawn(actors::make_delivery, std::move(p));
            needs.switchboard.connect(handler->name(), a);
            return std::vector{caf::actor_cast<caf::actor>(a)};
          },
          false, true};
}

} // namespace tidemark::app
