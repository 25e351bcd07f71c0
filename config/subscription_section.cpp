// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include "evm/hex.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

using addresses = std::vector<evm::address20>;

constexpr std::array<std::pair<std::string_view, const char*>, 4> presets{
    {{"erc20-transfer", "Transfer(address indexed from, address indexed to, uint256 value)"},
     {"erc20-approval", nullptr}, // not yet, as the others without a signature
     {"erc721-transfer", nullptr},
     {"erc1155-transfer", nullptr}}};

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

/// One or a list; never none, which would mean any contract.
addresses read_addresses(const value& v) {
  addresses out;
  const auto items = v.one_or_more();
  if (items.empty()) v.wrong("is empty; leave it out for any contract");
  for (const auto& item : items) {
    if (item.is_map())
      item.wrong("not yet: a list of addresses by name");
    else if (const auto address = as_address(item))
      out.push_back(*address);
  }
  return out;
}

/// {base: …, polygon: …}: every chain of the subscription, and no other.
void read_addresses_by_chain(const value& v, const builder& b, tide::subscription& out) {
  for (const auto& m : v.members()) {
    if (!b.names.chains.has(m.key)) {
      v.in().wrong(m.key_at, m.of.path() + ": there is no chain '" + m.key + "'");
      continue;
    }
    const auto* c = b.find_chain(m.key);
    const auto on = c == nullptr ? out.chains.end() : out.chains.find(c->id);
    if (on == out.chains.end()) {
      v.in().wrong(m.key_at, m.of.path() + ": the subscription is not on this chain");
      continue;
    }
    on->second = read_addresses(m.of);
  }
  for (const auto& c : b.out.chains) {
    if (out.chains.contains(c.id) && !v.has_key(c.name))
      v.wrong("has no address for the chain '" + c.name + "'");
  }
}

void read_address(const value& v, const builder& b, tide::subscription& out) {
  if (v.has_key("list") || v.has_key("factory")) {
    v.wrong(v.has_key("list") ? "not yet: a list of addresses by name" : "not yet: factory");
  } else if (v.is_map()) {
    read_addresses_by_chain(v, b, out);
  } else {
    const auto found = read_addresses(v);
    for (auto& on : out.chains)
      on.second = found;
  }
}

std::optional<evm::abi_event> event_from(const value& v, const std::string& text) {
  auto event = evm::parse_event(text);
  if (!event) {
    v.wrong(event.error().text + " (at character " + std::to_string(event.error().at + 1) + ")");
    return std::nullopt;
  }
  return std::move(*event);
}

std::optional<evm::abi_event> read_event(section& s) {
  s.not_yet("abi");
  s.not_yet("transaction");
  const auto event = s.find("event");
  const auto preset = s.find("preset");
  if (event && preset) {
    preset->wrong("give event or preset, not both");
    return std::nullopt;
  }
  if (event) {
    const auto text = as_filled(*event);
    return text ? event_from(*event, *text) : std::nullopt;
  }
  if (!preset) {
    const auto& of = s.of();
    if (of.is_map() && !of.has_key("abi") && !of.has_key("transaction"))
      of.wrong("'event' or 'preset' is missing");
    return std::nullopt;
  }
  const auto signature = choose(*preset, presets);
  if (!signature) return std::nullopt;
  if (*signature == nullptr) {
    preset->wrong("not yet; only erc20-transfer works so far");
    return std::nullopt;
  }
  return event_from(*preset, *signature);
}

std::optional<tide::condition> as_condition(const value& v, std::size_t input,
                                            const evm::abi_type& type) {
  tide::condition out;
  out.input = input;
  const auto items = v.one_or_more();
  if (items.empty()) v.wrong("is empty, so nothing could match");
  for (const auto& item : items) {
    if (item.is_map()) {
      item.wrong("not yet: a list of addresses by name");
      continue;
    }
    const auto text = item.text();
    if (!text) continue;
    const auto parsed = evm::parse_value(type, *text);
    if (parsed)
      out.one_of.insert(evm::topic_of(type, *parsed));
    else
      item.wrong(parsed.error().text);
  }
  return out;
}

void read_where(const value& v, tide::subscription& out) {
  const auto& inputs = out.event.inputs;
  for (const auto& m : v.members()) {
    const auto named = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const evm::abi_parameter& p) { return p.name == m.key; });
    if (named == inputs.end()) {
      std::vector<std::string_view> names;
      names.reserve(inputs.size());
      for (const auto& input : inputs)
        names.push_back(input.name);
      v.in().wrong(m.key_at, v.path() + ": " + out.event.name + " has no argument '" + m.key + "'" +
                                 suggestion(m.key, names));
      continue;
    }
    auto c = as_condition(m.of, static_cast<std::size_t>(named - inputs.begin()), named->type);
    if (c) out.where.push_back(std::move(*c));
  }
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
  if (const auto address = s.find("address")) read_address(*address, b, out);
  const auto event = read_event(s);
  if (event) out.event = *event;
  if (const auto where = s.find("where"); where && event) read_where(*where, out);
  s.not_yet("start_block");
  s.not_yet("escalate");
  if (const auto confirmations = s.find("confirmations")) {
    if (auto policy = as_policy(*confirmations, b)) out.policies.push_back(std::move(*policy));
  }
  if (out.name.empty()) return;
  b.names.subscriptions.add(*name, out.name);
  b.out.subscriptions.push_back(std::move(out));
}

} // namespace

void read_subscriptions(const value& v, builder& b) {
  for (const auto& item : v.items())
    read_subscription(item, b);
}

} // namespace tidemark::config
