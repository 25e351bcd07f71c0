// SPDX-License-Identifier: MIT
#pragma once

#include "store/types.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace tidemark::sim {

/// The user's code, idempotent by webhook-id, which keeps a ledger and holds every message against
/// the promises of contract §6.
class ledger_handler {
public:
  /// `by_block`: log indexes count within the block.
  explicit ledger_handler(std::string name, bool by_block = true)
      : name_(std::move(name)), by_block_(by_block) {}

  /// Takes one message; the first broken promise is kept in `fault`.
  void take(const store::message& m);
  /// event_id → the block it is confirmed in, as told and not taken back.
  const std::map<std::string, std::string>& confirmed() const { return confirmed_; }

  std::string fault;
  std::size_t told = 0, repeated = 0;

private:
  /// Block, transaction, log; what the chain does not order by is 0.
  using place = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;
  void blame(const std::string& what, const store::message& m);
  void keep_order(const store::message& m, const place& here);
  struct undoing {
    std::int64_t at = 0; ///< when it was concluded
    place where;
    evm::hash32 block;
  };
  bool from_the_top(const undoing& before, const evm::block_id& block, const place& here) const;

  std::string name_;
  bool by_block_;
  std::map<std::string, std::string> bodies_;         ///< webhook-id → bytes
  std::map<std::string, std::uint64_t> sequences_;    ///< key → the last sequence
  std::map<std::string, std::string> last_id_;        ///< event_id → the last message about it
  std::map<std::string, std::uint32_t> last_version_; ///< event_id → its version
  std::map<std::string, undoing> undone_;             ///< key → the last rollback
  /// key → the places that were confirmed in their turn and not taken back
  std::map<std::string, std::multiset<place>> standing_;
  std::map<std::string, std::string> confirmed_;
};

} // namespace tidemark::sim
