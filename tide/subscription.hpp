// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"
#include "evm/chain_data.hpp"
#include "tide/policy.hpp"
#include "tide/when.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tidemark::tide {

/// `where: {to: …}`: the argument is one of these, compared as the topic that it is or would be
/// (evm::topic_of).
struct condition {
  std::size_t input = 0; ///< index into event.inputs
  std::set<evm::hash32> one_of;
  std::vector<std::size_t> members = {}; ///< of a tuple's field: as argument::members
  std::vector<std::string> lists = {};   ///< or in one of these, by name: an address
  friend bool operator==(const condition&, const condition&) = default;
};

/// `escalate`: one more policy for the events for which `when` holds, or may hold.
struct escalation {
  when_expression when;
  policy adds;
  friend bool operator==(const escalation&, const escalation&) = default;
};

/// What is an event, as the config says it; addresses and names already resolved.
struct subscription {
  std::string name;
  /// Chain id → the contracts there; an empty list is any contract.
  std::map<std::uint64_t, std::vector<evm::address20>> chains;
  /// Chain id → the lists, by name, whose contracts count there too.
  std::map<std::uint64_t, std::vector<std::string>> address_lists;
  evm::abi_event event;
  /// A second event that tells several of the first at once: the same inputs, of which the last
  /// `batched` are arrays of the first's. `where` and `when` speak of the first, and hold for a
  /// batch if they hold for one item of it.
  std::optional<evm::abi_event> batch;
  static constexpr std::size_t batched = 2;
  std::vector<condition> where;
  std::optional<std::uint64_t> start_block; ///< absent: the chain's
  std::vector<policy> policies;             ///< added to the chain's
  std::vector<escalation> escalations;      ///< each that holds adds
  friend bool operator==(const subscription&, const subscription&) = default;
};

/// A handler, as far as the rules need it: which events it gets, and under which key.
enum class order_by : std::uint8_t { chain, contract, subscription, argument, none };
struct recipient {
  std::string name;
  std::vector<std::string> subscriptions; ///< in the config's order
  bool pending = false, confirmed = true; ///< `send`; rolled_back goes for whatever was sent
  tide::order_by order = order_by::contract;
  std::string argument; ///< of order_by: arg:NAME
  friend bool operator==(const recipient&, const recipient&) = default;
};

} // namespace tidemark::tide
