// SPDX-License-Identifier: MIT
#include "app/chain_heads.hpp"

#include "app/clock.hpp"
#include "app/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <random>
#include <utility>

namespace tidemark::app {

std::vector<actors::heads_actor>
start_heads(const unit_needs& needs, const std::shared_ptr<const config::chain>& chain,
            const std::function<void(std::size_t, tide::endpoint_status)>& publish) {
  std::vector<actors::heads_actor> out;
  for (std::size_t i = 0; i < chain->heads.size(); ++i) {
    actors::heads_params p;
    p.endpoint = chain->heads[i];
    p.chain_id = chain->id;
    p.open = [&sockets = needs.sockets](net::socket_request r, net::web_socket::callback done) {
      return sockets.open(std::move(r), std::move(done));
    };
    p.now = now_ms;
    p.publish = [publish, i](tide::endpoint_status s) { publish(i, std::move(s)); };
    // Looked up each time: a chain that began anew has another handle.
    p.ring = [&board = needs.switchboard, id = chain->id] {
      if (const auto to = board.chain(id)) caf::anon_send(to, actors::head_heard{});
    };
    p.log = [name = chain->name](bool warning, std::string_view t) {
      log(warning ? level::warn : level::info, component::rpc, t, {{"chain", name}});
    };
    p.seed = std::random_device{}();
    auto& meters = needs.board->counted();
    p.counted = [chain, i, &meters](std::string_view method, std::string_view result,
                                    std::optional<double> seconds) {
      meters.count(api::meter::rpc_requests, {chain->name, chain->heads[i].name, method, result});
      if (seconds) meters.observe(api::meter::rpc_seconds, {chain->name, method}, *seconds);
    };
    out.push_back(needs.system.spawn(actors::make_heads, std::move(p)));
  }
  return out;
}

std::function<void(const std::vector<tide::endpoint_status>&)>
teller_of_heads(std::vector<actors::heads_actor> heads) {
  return [heads = std::move(heads),
          told = std::uint64_t{0}](const std::vector<tide::endpoint_status>& endpoints) mutable {
    std::uint64_t highest = 0;
    for (const auto& e : endpoints)
      if (e.state == tide::endpoint_state::ok) highest = std::max(highest, e.head.value_or(0));
    if (highest == 0 || highest == std::exchange(told, highest)) return;
    for (const auto& h : heads)
      caf::anon_send(h, actors::others_at{highest});
  };
}

} // namespace tidemark::app
