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
#include <span>
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

/// `transaction: {…}`: top-level transactions that are events.
enum class outcome_wanted : std::uint8_t { success, failed, any };
struct transaction_filter {
  std::vector<evm::address20> from, to; ///< none, no lists either: any; `to` of some: no creation
  evm::integer min_value = 0;           ///< wei
  outcome_wanted status = outcome_wanted::success;
  std::vector<std::string> from_lists = {}, to_lists = {}; ///< by name; theirs too
  friend bool operator==(const transaction_filter&, const transaction_filter&) = default;
};

/// What `when` may name of a transaction: its value.
std::span<const evm::abi_parameter> transaction_names();

/// `address: {factory: …}`: the contracts that these have made, as their log names them.
struct factory {
  std::vector<evm::address20> addresses;
  evm::abi_event event;
  std::size_t input = 0;             ///< of `event`: the child, an address
  std::optional<std::uint64_t> from; ///< absent: where the subscription counts from
  friend bool operator==(const factory&, const factory&) = default;
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
  std::optional<std::uint64_t> start_block;  ///< absent: the chain's
  std::vector<policy> policies;              ///< added to the chain's
  std::vector<escalation> escalations;       ///< each that holds adds
  std::optional<tide::factory> factory = {}; ///< then its children, not an address of `chains`
  std::optional<transaction_filter> transaction = {}; ///< then `event` and `where` say nothing
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
