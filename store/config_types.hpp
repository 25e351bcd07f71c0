// SPDX-License-Identifier: MIT
#pragma once

#include "store/delivery_types.hpp"
#include "tide/counting.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What a config, or a change of a list, asks of the store.

namespace tidemark::store {

/// The subscriptions of one chain, as the config has them.
struct counting_in {
  struct one {
    std::string subscription;
    tide::form is;
    std::optional<std::uint64_t> start_block;
  };
  std::uint64_t chain_id = 0;
  std::vector<one> subscriptions;
};

/// Where a list is used: what that subscription lets through changes with it.
struct list_use {
  std::uint64_t chain_id = 0;
  std::string subscription;
};
/// A list as its file has it.
struct file_list {
  std::string name;
  std::vector<evm::address20> addresses; ///< each once
  std::vector<list_use> uses;
};
/// A change of a list by API. What is there already, or not there, is passed over, unless
/// `from_block` is below where it counts from.
struct list_order {
  std::string name;
  std::vector<evm::address20> add, remove;
  std::optional<std::uint64_t> from_block; ///< absent: the block after each chain's mark
  std::vector<list_use> uses;
  std::string who;
};
struct list_result {
  std::uint64_t size = 0;
  std::map<std::uint64_t, std::uint64_t> from; ///< chain id → from where all of `add` counts
};
/// A source as the config says it.
struct source_in {
  std::string name;
  std::vector<std::uint64_t> chain_ids; ///< that it is known to speak of; others are learned
};

/// A handler that lacks its part of what is there already: a new one, or one that is told more than
/// before, which has no place yet in what waits for its confirmations.
struct unfilled_handler {
  std::string name;
  bool is_new = false;
  friend bool operator==(const unfilled_handler&, const unfilled_handler&) = default;
};

/// What the store has to know of a config.
struct config_in {
  std::map<std::uint64_t, std::string> chain_names; ///< by id
  std::vector<source_in> sources;
  std::vector<handler_in> handlers;
  std::vector<file_list> lists;
  std::vector<counting_in> chains;
};

struct list_row {
  evm::address20 address;
  std::map<std::uint64_t, std::uint64_t> from; ///< chain id → block; none: with its subscription
};

} // namespace tidemark::store
