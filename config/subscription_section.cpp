// SPDX-License-Identifier: MIT
#include "config/subscription_parts.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <limits>

namespace tidemark::config {
namespace {

using addresses = std::vector<evm::address20>;

constexpr const char* any_contract = "leave it out for any contract";

std::optional<evm::address20> as_address(const value& v) {
  const auto text = v.text();
  if (!text) return std::nullopt;
  if (const auto address = evm::parse_user_address(*text)) return address;
  if (const auto address = evm::parse_address(*text)) {
    v.wrong("the EIP-55 checksum is wrong: mistyped, or else " + evm::to_checksum(*address));
  } else {
    v.wrong("expected an address: 0x and 40 hex digits");
  }
  return std::nullopt;
}

void put_addresses(const address_choice& found, std::uint64_t chain_id, tide::subscription& out) {
  out.chains[chain_id] = found.fixed;
  if (!found.lists.empty()) out.address_lists[chain_id] = found.lists;
}

/// {base: …, polygon: …}: every chain of the subscription, and no other.
void read_addresses_by_chain(const value& v, const builder& b, tide::subscription& out) {
  for (const auto& m : v.members()) {
    if (!b.names.chains.has(m.key)) {
      v.in().wrong(m.key_at, m.of.path() + ": " + b.names.chains.missing(m.key));
      continue;
    }
    const auto* c = b.find_chain(m.key);
    const auto on = c == nullptr ? out.chains.end() : out.chains.find(c->id);
    if (on == out.chains.end()) {
      v.in().wrong(m.key_at, m.of.path() + ": the subscription is not on this chain");
      continue;
    }
    put_addresses(read_addresses(m.of, b, any_contract), on->first, out);
  }
  for (const auto& c : b.out.chains) {
    if (out.chains.contains(c.id) && !v.has_key(c.name))
      v.wrong("has no address for the chain '" + c.name + "'");
  }
}

void read_address(const value& v, const builder& b, tide::subscription& out) {
  if (v.has_key("factory")) {
    out.factory = read_factory(v);
  } else if (v.is_map() && !v.has_key("list")) {
    read_addresses_by_chain(v, b, out);
  } else {
    const auto found = read_addresses(v, b, any_contract);
    for (auto& on : out.chains)
      put_addresses(found, on.first, out);
  }
}

std::optional<std::optional<std::uint64_t>> as_block(const value& v) {
  const auto n =
      count_between(v, 0, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!n) return std::nullopt;
  return n;
}

void read_chain_names(const value& v, const builder& b, tide::subscription& out) {
  const auto items = v.items();
  if (v.is_list() && items.empty()) v.wrong("is empty");
  for (const auto& item : items) {
    const auto* c = as_chain(item, b);
    if (c == nullptr) continue;
    if (!out.chains.emplace(c->id, addresses{}).second && c->id != 0)
      item.wrong("the chain '" + c->name + "' is there twice");
  }
}

void read_subscription(const value& v, builder& b) {
  tide::subscription out;
  section s(v);
  const auto name = s.need("name");
  if (name) out.name = as_name(*name).value_or("");
  if (const auto chains = s.need("chains")) read_chain_names(*chains, b, out);
  if (const auto address = s.find("address"); address && !v.has_key("transaction"))
    read_address(*address, b, out);
  const auto transaction = s.find("transaction");
  if (transaction) {
    out.transaction = read_transaction(*transaction, b);
    for (const char* of_logs : {"event", "preset", "abi", "address", "where"})
      if (const auto given = s.find(of_logs))
        given->wrong("is for logs; a transaction has to, from, min_value and status alone");
  }
  const bool has_event = !transaction && read_event(s, out);
  const auto where = s.find("where");
  if (where && has_event) read_where(*where, b, out);
  if (where && !has_event && !transaction) read_lists_of_where(*where, b);
  s.read("start_block", out.start_block, as_block);
  if (const auto escalate = s.find("escalate")) {
    argument_names names;
    if (has_event) names = out.event.inputs;
    if (transaction) names = tide::transaction_names();
    out.escalations = read_escalate(*escalate, names, b);
  }
  if (const auto confirmations = s.find("confirmations")) {
    if (auto policy = as_policy(*confirmations, b)) out.policies.push_back(std::move(*policy));
  }
  if (out.name.empty()) return;
  b.names.subscriptions.add(*name, out.name);
  b.out.subscriptions.push_back(std::move(out));
}

} // namespace

/// Never none, which would mean any.
std::vector<evm::address20> read_fixed_addresses(const value& v, const char* if_empty) {
  addresses out;
  const auto items = v.one_or_more();
  if (items.empty()) v.wrong("is empty; " + std::string(if_empty));
  for (const auto& item : items) {
    if (const auto address = as_address(item)) out.push_back(*address);
  }
  return out;
}

/// Never none, which would mean any.
address_choice read_addresses(const value& v, const builder& b, const char* if_empty) {
  address_choice out;
  const auto items = v.one_or_more();
  if (items.empty()) v.wrong("is empty; " + std::string(if_empty));
  for (const auto& item : items) {
    if (item.is_map()) {
      if (auto name = as_list_name(item, b)) out.lists.push_back(std::move(*name));
    } else if (const auto address = as_address(item)) {
      out.fixed.push_back(*address);
    }
  }
  return out;
}

void read_subscriptions(const value& v, builder& b) {
  for (const auto& item : v.items())
    read_subscription(item, b);
}

} // namespace tidemark::config
