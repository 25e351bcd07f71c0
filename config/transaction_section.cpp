// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <algorithm>
#include <string>

namespace tidemark::config {
namespace {

using tide::outcome_wanted;

constexpr std::array<std::pair<std::string_view, outcome_wanted>, 3> outcomes{
    {{"success", outcome_wanted::success},
     {"failed", outcome_wanted::failed},
     {"any", outcome_wanted::any}}};

std::optional<evm::integer> as_wei(const value& v) {
  const auto text = v.text();
  if (!text) return std::nullopt;
  auto wei = parse_wei(*text);
  if (wei) return std::move(*wei);
  v.wrong(wei.error().text);
  return std::nullopt;
}

} // namespace

std::optional<tide::transaction_filter> read_transaction(const value& v) {
  if (!v.is_map()) {
    v.wrong("expected {to: …, from: …, min_value: …, status: …}, each of them optional");
    return std::nullopt;
  }
  tide::transaction_filter out;
  section s(v);
  if (const auto to = s.find("to"))
    out.to = read_fixed_addresses(*to, "leave it out for any receiver");
  if (const auto from = s.find("from"))
    out.from = read_fixed_addresses(*from, "leave it out for any sender");
  s.read("min_value", out.min_value, as_wei);
  s.read("status", out.status, as_choice(outcomes));
  return out;
}

} // namespace tidemark::config
