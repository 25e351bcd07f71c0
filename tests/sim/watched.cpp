// SPDX-License-Identifier: MIT
#include "watched.hpp"

#include "audit.hpp"

#include <iterator>

namespace tidemark::sim {
namespace {

constexpr order_of_handler orders[] = {{"by-contract", tide::order_by::contract, false},
                                       {"by-argument", tide::order_by::argument, false},
                                       {"unordered", tide::order_by::none, false},
                                       {"with-pending", tide::order_by::chain, true}};

tide::subscription to_event(const char* name, const char* signature) {
  tide::subscription s;
  s.name = name;
  s.chains[chain_id] = {};
  s.event = evm::parse_event(signature).value();
  return s;
}

/// Payments to some receivers, of some value, that did not fail.
tide::subscription payments(const plan& p) {
  tide::subscription s;
  s.name = "payments";
  s.chains[chain_id] = {};
  s.transaction.emplace();
  s.transaction->to = {world::receiver(1), world::receiver(2), world::receiver(3)};
  s.transaction->min_value = 20;
  s.policies = {{std::nullopt, p.confirmations + 1, tide::tag::none}};
  return s;
}

/// All transfers; and with `strict` those to a third party once more, which need two blocks more,
/// and those to a fifth, which need four.
std::vector<tide::subscription> subscriptions_of(const plan& p, bool latecomer) {
  auto all =
      to_event("transfers", "Transfer(address indexed from, address indexed to, uint256 value)");
  auto some = all;
  if (p.strict) {
    const tide::policy four_more{std::nullopt, p.confirmations + 4, tide::tag::none};
    all.escalations.push_back(
        {tide::parse_when("to == 0x0000000000000000000000000000000000000005", all.event.inputs)
             .value(),
         four_more});
  }
  std::vector<tide::subscription> out{all};
  if (p.strict) {
    some.name = "strict";
    some.where = {{1, {world::topic(3)}}};
    some.policies = {{std::nullopt, p.confirmations + 2, tide::tag::none}};
    out.push_back(some);
  }
  if (p.transactions) out.push_back(payments(p));
  if (latecomer)
    out.push_back(
        to_event("others", "Other(address indexed from, address indexed to, uint256 value)"));
  return out;
}

} // namespace

std::span<const order_of_handler> handlers() { return orders; }

std::vector<store::handler_in> rows_of_handlers() {
  std::vector<store::handler_in> rows;
  for (const auto& o : orders)
    rows.push_back({o.name, o.pending, true, "any"});
  return rows;
}

std::shared_ptr<const tide::interest> interest_of(const plan& p, const tide::counting& counts,
                                                  bool latecomer) {
  const auto subscriptions = subscriptions_of(p, latecomer);
  std::vector<std::string> names;
  for (const auto& s : subscriptions)
    names.push_back(s.name);
  const tide::policy policy{std::nullopt, p.tags ? std::nullopt : std::optional(p.confirmations),
                            p.tags ? tide::tag::finalized : tide::tag::none};
  std::vector<tide::recipient> recipients;
  for (const auto& o : orders)
    recipients.push_back({o.name, names, o.pending, true, o.order, "to"});
  return std::make_shared<const tide::interest>(chain_id, "sim", policy, subscriptions, recipients,
                                                counts);
}

store::counting_in counting_of(const plan& p, bool latecomer) {
  store::counting_in out{chain_id, {}};
  for (const auto& s : subscriptions_of(p, latecomer))
    out.subscriptions.push_back(
        {s.name, tide::form_of(s, chain_id),
         s.name == "others" ? p.latecomer_from : std::optional<std::uint64_t>()});
  return out;
}

} // namespace tidemark::sim
