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
  evm::abi_type uint256;
  uint256.size = 256;
  if (auto wei = evm::parse_value(uint256, *text)) return std::get<evm::integer>(wei->is);
  v.wrong("expected an amount of wei: 1000, 1e18, 5gwei or 0.05ether, below 2^256");
  return std::nullopt;
}

} // namespace

std::optional<tide::transaction_filter> read_transaction(const value& v, const builder& b) {
  if (!v.is_map()) {
    v.wrong("expected {to: …, from: …, min_value: …, status: …}, each of them optional");
    return std::nullopt;
  }
  tide::transaction_filter out;
  section s(v);
  if (const auto to = s.find("to")) {
    auto found = read_addresses(*to, b, "leave it out for any receiver");
    out.to = std::move(found.fixed);
    out.to_lists = std::move(found.lists);
  }
  if (const auto from = s.find("from")) {
    auto found = read_addresses(*from, b, "leave it out for any sender");
    out.from = std::move(found.fixed);
    out.from_lists = std::move(found.lists);
  }
  s.read("min_value", out.min_value, as_wei);
  s.read("status", out.status, as_choice(outcomes));
  return out;
}

} // namespace tidemark::config
