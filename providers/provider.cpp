// SPDX-License-Identifier: MIT
#include "providers/provider.hpp"

#include "providers/json.hpp"
#include "providers/rows.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::providers {

std::span<const provider> all() {
  static const std::array table{
      alchemy(),
      quicknode(),
      quickalerts(),
      moralis(),
      tenderly(),
      goldsky(),
      cdp(),
      thirdweb_insight(),
      thirdweb_engine(),
      tatum(),
      nodit(),
      ozmonitor(),
      rindexer(),
      circle(),
      sim(),
      standard_webhooks(),
      raw(),
  };
  return table;
}

const provider* find(std::string_view name) {
  for (const auto& row : all())
    if (row.name == name) return &row;
  return nullptr;
}

evm::result<hints> extract(const provider& p, std::string_view body, std::string_view chain) {
  const auto parsed = parse_json(body);
  if (!parsed) return parsed.error();
  auto found = p.read(*parsed);
  if (!found) return found;
  if (found->size() > max_hints)
    return evm::fail("it names more than " + std::to_string(max_hints) + " places");
  const boost::json::object header{{"chain", boost::json::string_view{chain.data(), chain.size()}}};
  for (auto& h : *found) {
    if (h.removed.value_or(false)) h.takes_back = true;
    if (chain.empty() || h.chain_id || !h.network.empty()) continue;
    hint_fields fields{header, h};
    if (fields.chain({"chain"}).trouble) return *fields.trouble;
  }
  return found;
}

std::optional<std::uint64_t> known_network(const provider& p, std::string_view network) {
  const auto row = std::find_if(p.networks.begin(), p.networks.end(),
                                [&](const known_chain& c) { return c.network == network; });
  if (row == p.networks.end()) return std::nullopt;
  return row->id;
}

} // namespace tidemark::providers
