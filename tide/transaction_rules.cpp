// SPDX-License-Identifier: MIT
#include "tide/transaction_rules.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::tide {

void transaction_rules::add(std::size_t form, const transaction_filter& f, lists senders,
                            lists receivers) {
  rules_.push_back({form,
                    {{f.from.begin(), f.from.end()}, std::move(senders)},
                    {{f.to.begin(), f.to.end()}, std::move(receivers)},
                    f.min_value,
                    f.status});
}

bool transaction_rules::side::has(const evm::address20& a) const {
  return fixed.contains(a) || std::any_of(listed.begin(), listed.end(), [&](const auto& list) {
           return list->find(a) != nullptr;
         });
}

bool transaction_rules::by_value() const {
  return std::any_of(rules_.begin(), rules_.end(), [](const rule& r) { return r.min_value > 0; });
}

bool transaction_rules::rule::takes(const evm::address20& sender,
                                    const std::optional<evm::address20>& receiver) const {
  return (from.any() || from.has(sender)) && (to.any() || (receiver && to.has(*receiver)));
}

/// Before Byzantium a receipt does not say what came of it: only `any` takes that.
bool transaction_rules::rule::takes(std::optional<bool> success) const {
  if (status == outcome_wanted::any) return true;
  return success && *success == (status == outcome_wanted::success);
}

bool transaction_rules::may_want(const evm::transaction& t) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const rule& r) {
    return t.value >= r.min_value && r.takes(t.from, t.to);
  });
}

bool transaction_rules::may_want(const evm::receipt& r) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const rule& one) {
    return one.takes(r.success) && (!r.from || one.takes(*r.from, r.to));
  });
}

std::vector<std::size_t> transaction_rules::fits(const evm::transaction& t) const {
  std::vector<std::size_t> out;
  for (const auto& r : rules_)
    if (t.value >= r.min_value && r.takes(t.from, t.to) && r.takes(t.success))
      out.push_back(r.form);
  return out;
}

} // namespace tidemark::tide
