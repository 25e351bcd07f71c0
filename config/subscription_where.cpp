// SPDX-License-Identifier: MIT
#include "config/subscription_parts.hpp"

namespace tidemark::config {
namespace {

std::optional<tide::condition> as_condition(const value& v, const tide::argument& of,
                                            const evm::abi_type& type, const builder& b) {
  tide::condition out;
  out.input = of.input;
  out.members = of.members;
  const auto items = v.one_or_more();
  if (items.empty()) v.wrong("is empty, so nothing could match");
  for (const auto& item : items) {
    if (item.is_map()) {
      auto name = as_list_name(item, b);
      if (name && type.canonical() != "address")
        item.wrong("a list has addresses, and this is " + type.canonical());
      else if (name)
        out.lists.push_back(std::move(*name));
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

std::optional<tide::escalation> as_escalation(const value& v, const argument_names& names,
                                              const builder& b) {
  section s(v);
  const auto when = s.need("when");
  const auto confirmations = s.need("confirmations");
  auto policy = confirmations ? as_policy(*confirmations, b) : std::nullopt;
  const auto text = when ? as_filled(*when) : std::nullopt;
  if (!text || !names) return std::nullopt;
  auto expression = tide::parse_when(*text, *names);
  if (!expression) {
    const auto& wrong = expression.error();
    when->in().wrong(when->inside(wrong.at), when->path() + ": " + wrong.text + " (at character " +
                                                 std::to_string(wrong.at + 1) + ")");
    return std::nullopt;
  }
  if (!policy) return std::nullopt;
  return tide::escalation{std::move(*expression), std::move(*policy)};
}

} // namespace

void read_where(const value& v, const builder& b, tide::subscription& out) {
  const auto& inputs = out.event.inputs;
  for (const auto& m : v.members()) {
    const auto of = tide::find_argument(inputs, m.key);
    if (!of) {
      v.in().wrong(m.key_at, v.path() + ": " + of.error().text);
      continue;
    }
    auto c = as_condition(m.of, *of, tide::type_of(*of, inputs), b);
    if (c) out.where.push_back(std::move(*c));
  }
}

void read_lists_of_where(const value& v, const builder& b) {
  for (const auto& m : v.members())
    for (const auto& item : m.of.one_or_more())
      if (item.is_map()) as_list_name(item, b);
}

std::vector<tide::escalation> read_escalate(const value& v, const argument_names& names,
                                            const builder& b) {
  std::vector<tide::escalation> out;
  for (const auto& item : v.items()) {
    if (auto e = as_escalation(item, names, b)) out.push_back(std::move(*e));
  }
  return out;
}

} // namespace tidemark::config
