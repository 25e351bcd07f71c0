// SPDX-License-Identifier: MIT
#pragma once

#include "evm/chain_data.hpp"
#include "evm/transaction.hpp"
#include "tide/lists.hpp"
#include "tide/subscription.hpp"

#include <cstddef>
#include <memory>
#include <unordered_set>
#include <vector>

namespace tidemark::tide {

/// Which transactions of one chain are events: the `transaction` of its subscriptions, compiled.
class transaction_rules {
public:
  using lists = std::vector<std::shared_ptr<const address_list>>;
  /// `form` is what `fits` calls it; ascending. The lists are the filter's; from where an address
  /// of theirs counts is not looked at here.
  void add(std::size_t form, const transaction_filter& f, lists senders = {}, lists receivers = {});
  bool empty() const { return rules_.empty(); }
  /// Some rule asks for a value: a receipt alone does not say whether it holds.
  bool by_value() const;

  /// False is certain; what came of it is not looked at.
  bool may_want(const evm::transaction& t) const;
  /// False is certain; its value is not in the receipt.
  bool may_want(const evm::receipt& r) const;
  /// The rules that hold, by their forms, ascending.
  std::vector<std::size_t> fits(const evm::transaction& t) const;

private:
  /// One side of a transaction: any address, one of these, or one in a list.
  struct side {
    std::unordered_set<evm::address20> fixed;
    lists listed;
    bool any() const { return fixed.empty() && listed.empty(); }
    bool has(const evm::address20& a) const;
  };
  struct rule {
    std::size_t form = 0;
    side from, to;
    evm::integer min_value;
    outcome_wanted status = outcome_wanted::success;

    bool takes(const evm::address20& sender, const std::optional<evm::address20>& receiver) const;
    bool takes(std::optional<bool> success) const;
  };
  std::vector<rule> rules_;
};

} // namespace tidemark::tide
