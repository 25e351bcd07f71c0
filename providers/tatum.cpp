// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr known_chain networks[] = {
    {"ethereum-mainnet", 1},  {"ethereum-sepolia", 11155111}, {"optimism-mainnet", 10},
    {"polygon-mainnet", 137}, {"polygon-amoy", 80002},        {"arb-one-mainnet", 42161},
    {"base-mainnet", 8453},   {"base-sepolia", 84532},        {"bsc-mainnet", 56},
    {"bsc-testnet", 97},      {"avax-mainnet", 43114},        {"avax-testnet", 43113}};

/// `reorg` says that the transaction was mined again: the place is the new one.
evm::result<hints> read(const json::value& body) {
  if (!member(body, "txId")) return evm::fail("there is no txId");
  hint h;
  hint_fields fields{body, h};
  fields.chain({"chain"}).block_number({"blockNumber"}).tx({"txId"});
  if (const auto* reorg = member(body, "reorg")) h.takes_back = *reorg == true;
  hints out;
  if (auto done = add(out, fields); !done) return done.error();
  return out;
}

} // namespace

provider tatum() {
  static const scheme signs{
      .header = "x-payload-hash", .by = mac::hmac_sha512, .as = encoding::base64};
  return {.name = "tatum", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
