// SPDX-License-Identifier: MIT
#include "providers/chain_things.hpp"
#include "providers/reading.hpp"
#include "providers/rows.hpp"

#include <algorithm>

namespace tidemark::providers {

namespace json = boost::json;

namespace {

// README of the providers' facts: only ethereum-mainnet is sure; none of the others can be another
// chain's.
constexpr known_chain networks[] = {
    {"ethereum-mainnet", 1},        {"ethereum-sepolia", 11155111}, {"optimism-mainnet", 10},
    {"optimism-sepolia", 11155420}, {"matic-mainnet", 137},         {"polygon-mainnet", 137},
    {"polygon-amoy", 80002},        {"matic-amoy", 80002},          {"arbitrum-mainnet", 42161},
    {"arbitrum-sepolia", 421614},   {"base-mainnet", 8453},         {"base-sepolia", 84532},
    {"bnbchain-mainnet", 56},       {"avalanche-mainnet", 43114},   {"xdai", 100},
    {"xdai-mainnet", 100}};

/// A block that was displaced, unless what replaces it is in the body too.
evm::result<void> read_displaced(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  fields.block_number({"block_number"}).block_hash({"block_hash"});
  if (fields.trouble) return *fields.trouble;
  const bool replaced = std::any_of(out.begin(), out.end(), [&](const hint& other) {
    return h.block_number && other.block_number == h.block_number;
  });
  if (replaced || (!h.block_number && !h.block_hash)) return {};
  h.removed = true;
  return add(out, fields);
}

evm::result<hints> read(const json::value& body) {
  const auto* metadata = member(body, "metadata");
  const auto* data = member(body, "data");
  // A filter of the user's own gives anything.
  if (!metadata || !data) return find_chain_things(body);
  hint outer;
  hint_fields fields{*metadata, outer};
  fields.chain({"network"});
  if (fields.trouble) return *fields.trouble;
  auto found = find_chain_things(*data);
  if (!found) return found;
  for (auto& h : *found)
    if (!h.chain_id && h.network.empty()) h.network = outer.network;
  if (const auto* reorgs = member(*metadata, "reorgs"); reorgs && reorgs->is_array())
    if (auto done = read_each(*reorgs, outer, *found, read_displaced); !done) return done.error();
  return found;
}

scheme streams() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "x-qn-signature";
  s.parts = {{kind::header, "x-qn-nonce"}, {kind::header, "x-qn-timestamp"}, {kind::body, ""}};
  s.time.name = "x-qn-timestamp";
  return s;
}

} // namespace

provider quicknode() {
  static const scheme signs = streams();
  return {.name = "quicknode",
          .signs = &signs,
          .signs_inflated = true,
          .networks = networks,
          .read = read};
}

} // namespace tidemark::providers
