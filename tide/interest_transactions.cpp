// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/digest.hpp"
#include "evm/hex.hpp"
#include "tide/event_json.hpp"
#include "tide/fact.hpp"

#include <algorithm>
#include <tuple>

// Transactions as events (contract §4.1 and §4.2): sightings with log index −1, before their logs.

namespace tidemark::tide {
namespace {

constexpr std::int32_t transaction_itself = -1;

bool contains(const std::vector<evm::address20>& all, const evm::address20& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// What it was sent to, what it created, or, where it failed to, would have.
evm::address20 address_of(const evm::transaction& t) {
  if (t.to) return *t.to;
  return t.created ? *t.created : evm::created_address(t.from, t.nonce);
}

} // namespace

std::span<const evm::abi_parameter> transaction_names() {
  static const std::vector<evm::abi_parameter> names = [] {
    evm::abi_parameter value;
    value.name = "value";
    value.type.size = 256;
    return std::vector{value};
  }();
  return names;
}

std::uint64_t digest_of(const evm::transaction& t) {
  evm::bytes all(t.from.octets.begin(), t.from.octets.end());
  const auto address = address_of(t);
  all.insert(all.end(), address.octets.begin(), address.octets.end());
  all.push_back(t.to ? 1 : 0);
  all.push_back(t.success ? (*t.success ? 1 : 0) : 2);
  const auto numbers = evm::to_decimal(t.value) + ' ' + std::to_string(t.nonce) + ' ';
  all.insert(all.end(), numbers.begin(), numbers.end());
  all.insert(all.end(), t.input.begin(), t.input.end());
  return evm::digest64(all);
}

std::string interest::key(const recipient& r, std::size_t first, const evm::transaction& t) const {
  auto chain = std::to_string(chain_id_);
  switch (r.order) {
  case order_by::chain:
    return chain;
  case order_by::subscription:
    return chain + ':' + forms_[first].source.name;
  case order_by::none:
    return event_id(chain_id_, t.hash, transaction_itself);
  case order_by::contract:
  case order_by::argument: // it has none
    break;
  }
  return chain + ':' + evm::to_hex(address_of(t));
}

interest::indexes interest::fits(const evm::transaction& t) const {
  if (!transactions_) return {};
  auto fitting = transactions_->fits(t);
  std::erase_if(fitting, [&](std::size_t index) {
    const auto& f = forms_[index];
    const auto& about = *f.source.transaction;
    list_gate gate(f.from.value_or(0), f.base, list_starts());
    if (!f.senders.empty() && !contains(about.from, t.from)) gate.pass(f.senders, t.from);
    if (!f.receivers.empty() && t.to && !contains(about.to, *t.to)) gate.pass(f.receivers, *t.to);
    return t.block.number < gate.from();
  });
  return fitting;
}

std::optional<sighting> interest::match(const evm::transaction& t, std::uint64_t block_time,
                                        std::string origin) const {
  const auto fitting = fits(t);
  if (fitting.empty()) return std::nullopt;
  sighting out;
  out.block = t.block;
  out.time = block_time;
  out.tx = t.hash;
  out.tx_index = t.index;
  out.log_index = transaction_itself;
  out.address = address_of(t);
  out.digest = digest_of(t);
  out.origin = std::move(origin);
  std::vector<policy> applied{chain_policy_};
  const auto add = [&applied](const policy& p) {
    if (std::find(applied.begin(), applied.end(), p) == applied.end()) applied.push_back(p);
  };
  const evm::abi_value value{t.value};
  const std::vector<const evm::abi_value*> values{&value}; // as transaction_names()
  for (const auto index : fitting) {
    const auto& s = forms_[index].source;
    out.subscriptions.push_back(s.name);
    for (const auto& p : s.policies)
      add(p);
    for (const auto& e : s.escalations)
      if (e.when.holds(values).value_or(true)) add(e.adds);
  }
  for (const auto& p : applied)
    out.asks = out.asks + p.asks();
  for (std::size_t i = 0; i < recipients_.size(); ++i) {
    const auto& r = recipients_[i];
    const auto first = std::find_if(fitting.begin(), fitting.end(),
                                    [&](std::size_t index) { return wants_[i][index]; });
    if (first == fitting.end()) continue;
    out.routes.push_back(
        {r.name, key(r, *first, t), forms_[*first].source.name, r.pending, r.confirmed});
  }
  out.data =
      render_transaction({chain_id_, chain_name_, t, block_time, out.subscriptions, applied});
  return out;
}

void in_order(std::vector<sighting>& seen) {
  if (std::none_of(seen.begin(), seen.end(), [](const sighting& s) { return s.log_index < 0; }))
    return;
  std::stable_sort(seen.begin(), seen.end(), [](const sighting& a, const sighting& b) {
    return std::tuple(a.block.number, a.tx_index, a.log_index) <
           std::tuple(b.block.number, b.tx_index, b.log_index);
  });
}

} // namespace tidemark::tide
