// SPDX-License-Identifier: MIT
#pragma once

#include "world.hpp"

#include "store/reader.hpp"
#include "store/store.hpp"
#include "tide/interest.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace tidemark::sim {

constexpr std::uint64_t chain_id = 1;
constexpr std::uint64_t finalized_depth = 8; ///< of the honest tag below the head

/// Holds what the store says against the world, commit by commit (contract §6, rpc.md §5.3).
class audit {
public:
  audit(const world& w, std::shared_ptr<const tide::interest> wants)
      : world_(w), wants_(std::move(wants)) {}

  /// After a write set was applied.
  void look(store::store& s, store::reader& r, const tide::write_set& set);
  /// A Tide begins from this: what was committed before it, and never answered, is in it.
  void begin_from(const tide::boot_state& state);
  std::string fault; ///< the first broken promise

private:
  struct life {
    std::uint32_t version = 0;
    tide::status status = tide::status::rolled_back;
    evm::block_id block;
  };
  void blame(const tide::fact& f, const std::string& what);
  void take(const tide::fact& f);
  void is_true(const tide::fact& f);
  void is_true_of_transaction(const tide::fact& f, const block& b);
  void is_late_enough(const tide::fact& f, const tide::needs& asks);
  void follow_chain(const tide::write_set& set);
  void holds_against_chain(std::uint64_t from);

  const world& world_;
  std::shared_ptr<const tide::interest> wants_;
  std::uint64_t seen_ = 0, looks_ = 0;
  std::unordered_map<std::string, life> lives_;
  std::map<std::uint64_t, std::map<std::string, evm::hash32>> confirmed_; ///< by height
  std::map<std::uint64_t, evm::hash32> chain_; ///< the headers that the store ever said are ours
  std::optional<evm::block_id> mark_, final_;
};

} // namespace tidemark::sim
