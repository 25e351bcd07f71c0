// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"
#include "config/config.hpp"
#include "tide/tide.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::actors {

/// What a Tide needs of a config.
tide::settings tide_settings(const config::chain& c, const config::config& all);
std::shared_ptr<const tide::interest> interest_of(const config::chain& c, const config::config& all,
                                                  tide::counting counts);
/// What the store is told of it, so that it knows from where each subscription counts.
store::counting_in counting_of(const config::chain& c, const config::config& all);

struct chain_params {
  tide::settings settings;
  /// What is an event, with what the store says of it.
  std::function<std::shared_ptr<const tide::interest>(const tide::counting&)> wants;
  store_actor store;
  rpc_actor rpc;
  std::function<std::int64_t()> now; ///< ms since 1970
  std::function<void(tide::chain_status)> publish;
  std::function<void(bool warning, std::string_view)> log;
  std::function<std::string()> hold_back; ///< why no pass may begin now; empty: they may
  /// How an ordered range goes on; on the actor's thread.
  std::function<void(const tide::reconcile_progress&)> progress = {};
};

/// Carries a Tide's effects out and its answers in. Decides nothing.
struct chain_state {
  static inline const char* name = "chain";

  explicit chain_state(chain_actor::pointer self_) : self(self_) {}
  ~chain_state();

  void boot();
  void recount();
  void order_lost();
  void carry_out(tide::tide::effects effects);
  void act(tide::ask& a);
  void act(tide::conclude& c);
  void act(tide::want_hints& w);
  void act(tide::want_event_blocks&);
  void act(tide::said& s);
  void act(tide::caught_lying& c);
  void act(tide::resume_answered& r);
  void act(tide::skip_answered& r);
  void act(tide::reconcile_progress& p);
  void publish();
  void arm();

  chain_actor::pointer self;
  chain_params with;
  std::optional<tide::tide> machine;
  using resume_promise = caf::typed_response_promise<chain_resumed>;
  using skip_promise = caf::typed_response_promise<blocks_skipped>;
  std::optional<resume_promise> order;       ///< the open `chain resume`
  std::optional<skip_promise> skipping;      ///< the open `chain skip`
  std::vector<tide::reconcile_order> ranges; ///< ordered and not ended: for the next Tide
  /// The store did not take the last set, and nothing else since: not what the Tide thinks is so.
  bool unstored = false;
  std::uint64_t generation = 0,
                life = 0; ///< of the timer · of the Tide: an answer to an older one is void
};

chain_actor::behavior_type make_chain(chain_actor::stateful_pointer<chain_state> self,
                                      chain_params params);

} // namespace tidemark::actors
