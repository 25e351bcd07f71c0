// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

using tide::subscription;

/// What it asks of every event, and what of some.
struct demands {
  tide::needs always;
  std::vector<std::pair<std::string, tide::needs>> sometimes; ///< by the expression's text
  friend bool operator==(const demands&, const demands&) = default;
};

tide::needs asks_of(const subscription& s, const tide::policy& of_chain) {
  auto out = of_chain.asks();
  for (const auto& p : s.policies)
    out = out + p.asks();
  return out;
}

demands demands_of(const subscription& s, const tide::policy& of_chain) {
  demands out{asks_of(s, of_chain), {}};
  for (const auto& e : s.escalations) {
    if (out.always + e.adds.asks() != out.always)
      out.sometimes.emplace_back(e.when.text(), e.adds.asks());
  }
  std::sort(out.sometimes.begin(), out.sometimes.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  return out;
}

/// No log can have an address of each.
bool apart(const std::vector<evm::address20>& a, const std::vector<evm::address20>& b) {
  return !a.empty() && !b.empty() && std::none_of(a.begin(), a.end(), [&](const evm::address20& x) {
    return std::find(b.begin(), b.end(), x) != b.end();
  });
}

/// The number of the topic that holds an input; nothing for what is in the data.
std::optional<std::size_t> topic_of(const evm::abi_event& e, std::size_t input) {
  if (!e.inputs[input].indexed) return std::nullopt;
  std::size_t n = e.anonymous ? 0 : 1;
  for (std::size_t i = 0; i < input; ++i)
    n += e.inputs[i].indexed ? 1 : 0;
  return n;
}

/// Both look at one topic and want different values in it.
bool exclude_each_other(const subscription& a, const subscription& b) {
  const auto disjoint = [&](const tide::condition& x, const tide::condition& y) {
    const auto topic = topic_of(a.event, x.input);
    return topic && topic == topic_of(b.event, y.input) && x.lists.empty() && y.lists.empty() &&
           std::none_of(x.one_of.begin(), x.one_of.end(),
                        [&](const evm::hash32& h) { return y.one_of.contains(h); });
  };
  return std::any_of(a.where.begin(), a.where.end(), [&](const tide::condition& x) {
    return std::any_of(b.where.begin(), b.where.end(),
                       [&](const tide::condition& y) { return disjoint(x, y); });
  });
}

bool same_shape(const evm::abi_event& a, const evm::abi_event& b) {
  if (a.topic_count() != b.topic_count()) return false;
  return a.anonymous || b.anonymous || a.topic0() == b.topic0();
}

std::vector<const evm::abi_event*> events_of(const subscription& s) {
  std::vector<const evm::abi_event*> out{&s.event};
  if (s.batch) out.push_back(&*s.batch);
  return out;
}

bool can_meet(const subscription& a, const subscription& b, std::uint64_t chain_id) {
  if (a.transaction || b.transaction) {
    if (!a.transaction || !b.transaction) return false;
    const auto &x = *a.transaction, &y = *b.transaction;
    const bool to_listed = !x.to_lists.empty() || !y.to_lists.empty();
    const bool from_listed = !x.from_lists.empty() || !y.from_lists.empty();
    return (to_listed || !apart(x.to, y.to)) && (from_listed || !apart(x.from, y.from));
  }
  bool meet = false;
  for (const auto* of_a : events_of(a))
    for (const auto* of_b : events_of(b))
      meet = meet || same_shape(*of_a, *of_b);
  const bool listed = a.address_lists.contains(chain_id) || b.address_lists.contains(chain_id);
  return meet && (listed || !apart(a.chains.at(chain_id), b.chains.at(chain_id))) &&
         !exclude_each_other(a, b);
}

void warn_of_meetings(const builder& b, const chain& c, reading& r) {
  const auto& all = b.out.subscriptions;
  for (auto first = all.begin(); first != all.end(); ++first) {
    if (!first->chains.contains(c.id)) continue;
    for (auto second = first + 1; second != all.end(); ++second) {
      if (!second->chains.contains(c.id) || !can_meet(*first, *second, c.id)) continue;
      if (demands_of(*first, c.confirmations) == demands_of(*second, c.confirmations)) continue;
      r.warn(b.names.subscriptions.at(second->name),
             "'" + first->name + "' and '" + second->name + "' can fit the same " +
                 (first->transaction ? "transaction" : "log") + " on " + c.name +
                 " and ask for different confirmations; such an event waits for both");
    }
  }
}

void warn_of_weak_escalations(const builder& b, const subscription& s, const chain& c, reading& r) {
  const auto always = asks_of(s, c.confirmations);
  for (const auto& e : s.escalations) {
    if (always + e.adds.asks() != always) continue;
    r.warn(b.names.subscriptions.at(s.name),
           "'" + s.name + "': the escalation \"" + e.when.text() + "\" cannot matter on " + c.name +
               ": what holds for all of its events asks for as much or more");
  }
}

void warn_of_weak_policies(const builder& b, const chain& c, reading& r) {
  for (const auto& s : b.out.subscriptions) {
    if (!s.chains.contains(c.id)) continue;
    warn_of_weak_escalations(b, s, c, r);
    if (s.policies.empty() || asks_of(s, c.confirmations) != c.confirmations.asks()) continue;
    r.warn(b.names.subscriptions.at(s.name), "the confirmations of '" + s.name +
                                                 "' cannot matter on " + c.name +
                                                 ": the chain's own ask for as much or more");
  }
}

void say_what_transactions_are(const builder& b, reading& r) {
  for (const auto& s : b.out.subscriptions)
    if (s.transaction)
      r.warn(
          b.names.subscriptions.at(s.name),
          "'" + s.name +
              "' sees top-level transactions only: value moved by a call inside one, withdrawals "
              "and rewards are no events. It costs two full blocks a block of each of its chains");
}

} // namespace

void add_warnings(const builder& b, reading& r) {
  for (const auto& c : b.out.chains) {
    warn_of_meetings(b, c, r);
    warn_of_weak_policies(b, c, r);
  }
  say_what_transactions_are(b, r);
  if (b.out.chains.empty()) r.warn({}, "there are no chains, so nothing can become an event");
}

} // namespace tidemark::config
