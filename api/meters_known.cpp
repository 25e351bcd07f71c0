// SPDX-License-Identifier: MIT
#include "api/codes.hpp"
#include "api/meters.hpp"

// Which series there are before anything has happened.

namespace tidemark::api {
namespace {

constexpr std::array<std::string_view, 6> rpc_methods{
    "eth_chainId", "eth_getBlockByNumber", "eth_getBlockByHash",
    "eth_getLogs", "eth_getBlockReceipts", "eth_getTransactionReceipt"};
/// Of a WebSocket endpoint; the last one is a head that it told of.
constexpr std::array<std::string_view, 3> socket_methods{"eth_chainId", "eth_subscribe",
                                                         "eth_subscription"};
constexpr std::array<std::string_view, 3> lie_kinds{"block", "logs", "fork"};
constexpr std::array<std::string_view, 3> reconcile_results{"equal", "differed", "failed"};
constexpr std::array outcomes{tide::outcome::ok,     tide::outcome::later,
                              tide::outcome::failed, tide::outcome::handler_bad,
                              tide::outcome::gone,   tide::outcome::unknown};

} // namespace

void meters::know_chain(const config::chain& c) {
  const std::string_view name = c.name;
  for (const auto s : statuses)
    at(meter::events, {name, tide::to_text(s)});
  for (const auto m : {meter::events_compensated, meter::logs_undecodable, meter::chain_head_block,
                       meter::chain_head_timestamp, meter::chain_mark_block, meter::reorgs,
                       meter::reorg_depth, meter::reconcile_last_success})
    at(m, {name});
  for (const auto s : chain_state_words)
    at(meter::chain_state, {name, s});
  for (const auto r : reconcile_results)
    at(meter::reconcile_runs, {name, r});
  for (const auto method : rpc_methods) {
    at(meter::rpc_seconds, {name, method});
    for (const auto& e : c.rpc)
      for (const auto result : rpc_result_words)
        at(meter::rpc_requests, {name, e.name, method, result});
  }
  for (const auto& e : c.heads)
    for (const auto method : socket_methods)
      for (const auto result : rpc_result_words)
        at(meter::rpc_requests, {name, e.name, method, result});
  if (!c.heads.empty()) at(meter::rpc_seconds, {name, "eth_subscribe"});
  for (const auto& e : c.rpc)
    for (const auto lie : lie_kinds)
      at(meter::rpc_lies, {name, e.name, lie});
}

void meters::know_handler(const std::string& handler) {
  const std::string_view name = handler;
  for (const auto o : outcomes)
    at(meter::delivery_attempts, {name, tide::to_text(o)});
  for (const auto m : {meter::delivery_seconds, meter::event_latency, meter::outbox_oldest,
                       meter::blocked_keys, meter::gaps})
    at(m, {name});
  for (const auto s : outbox_words)
    at(meter::outbox_messages, {name, s});
  for (const auto s : handler_state_words)
    at(meter::handler_state, {name, s});
}

void meters::know(const config::config& c, std::string_view version) {
  const std::lock_guard lock(mutex_);
  at(meter::build_info, {version}).value = 1;
  for (const auto m :
       {meter::ingest_commit, meter::store_commit_batch, meter::store_free_bytes,
        meter::backup_last_success, meter::config_reload_success, meter::config_reload_timestamp})
    at(m, {});
  for (const auto part : {"database", "log"})
    at(meter::store_bytes, {part});
  for (const auto& source : c.sources) {
    for (const auto result : ingest_words)
      at(meter::ingest_requests, {source.name, result});
    at(meter::source_last_received, {source.name});
    at(meter::webhook_lead, {source.name});
    for (const auto state : hint_states)
      at(meter::hints, {source.name, tide::to_text(state)});
  }
  // Families without a member would not be printed at all.
  for (const auto m : {meter::ingest_requests, meter::source_last_received, meter::webhook_lead,
                       meter::hints, meter::delivery_attempts})
    families_[m];
  for (const auto& chain : c.chains)
    know_chain(chain);
  for (const auto& handler : c.handlers)
    know_handler(handler.name());
}

} // namespace tidemark::api
