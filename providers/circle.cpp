// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr known_chain networks[] = {
    {"ETH", 1},     {"ETH-SEPOLIA", 11155111}, {"OP", 10},      {"OP-SEPOLIA", 11155420},
    {"MATIC", 137}, {"MATIC-AMOY", 80002},     {"ARB", 42161},  {"ARB-SEPOLIA", 421614},
    {"BASE", 8453}, {"BASE-SEPOLIA", 84532},   {"AVAX", 43114}, {"AVAX-FUJI", 43113}};

/// Notifications about wallets and tests name no place on a chain.
evm::result<hints> read(const json::value& body) {
  const auto* event = member(body, "notification");
  if (!event || !event->is_object()) return evm::fail("there is no notification");
  hint h;
  hint_fields fields{*event, h};
  fields.chain({"blockchain"}).block_number({"blockHeight"}).block_hash({"blockHash"});
  fields.tx({"txHash"});
  if (fields.trouble) return *fields.trouble;
  hints out;
  if (h.tx || h.block_number || h.block_hash) out.push_back(h);
  return out;
}

/// Asymmetric: what the user configures is Circle's public key of the X-Circle-Key-Id.
scheme monitors() {
  scheme s;
  s.header = "X-Circle-Signature";
  s.by = mac::ecdsa_p256;
  s.as = encoding::base64;
  s.key = key_form::p256_spki;
  return s;
}

} // namespace

provider circle() {
  static const scheme signs = monitors();
  return {.name = "circle", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
