// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

// The slugs are the user's own files'; these are those of the vendor's examples.
constexpr known_chain networks[] = {{"ethereum_mainnet", 1},     {"ethereum_sepolia", 11155111},
                                    {"optimism_mainnet", 10},    {"optimism_sepolia", 11155420},
                                    {"polygon_mainnet", 137},    {"polygon_amoy", 80002},
                                    {"arbitrum_mainnet", 42161}, {"arbitrum_sepolia", 421614},
                                    {"base_mainnet", 8453},      {"base_sepolia", 84532},
                                    {"bsc_mainnet", 56},         {"avalanche_mainnet", 43114}};

/// What a log leaves null is as its transaction has it.
evm::result<void> read_log(const json::value& log, hint h, hints& out) {
  hint_fields fields{log, h};
  fields.block_number({"blockNumber"}).block_hash({"blockHash"}).tx({"transactionHash"});
  return add(out, fields.log_index({"logIndex"}).removed({"removed"}));
}

evm::result<hints> read(const json::value& body) {
  hints out;
  const auto* match = member(body, "EVM");
  // The template mode sends prose.
  if (!match && member(body, "title") && member(body, "body")) return out;
  if (!match || !match->is_object()) return evm::fail("no match on an EVM chain");
  hint h;
  hint_fields slug{*match, h};
  slug.chain({"network_slug"});
  if (slug.trouble) return *slug.trouble;
  if (const auto* tx = member(*match, "transaction")) {
    hint_fields fields{*tx, h};
    fields.block_number({"blockNumber"}).block_hash({"blockHash"}).tx({"hash"});
    if (fields.trouble) return *fields.trouble;
  }
  if (auto done = read_each(*match, "logs", h, out, read_log); !done) return done.error();
  if (out.empty() && h.tx) out.push_back(h);
  return out;
}

scheme monitor() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "X-Signature";
  s.parts = {{kind::body, ""}, {kind::header, "X-Timestamp"}};
  s.time = {.name = "X-Timestamp", .as = signed_time::form::milliseconds};
  return s;
}

} // namespace

provider ozmonitor() {
  static const scheme signs = monitor();
  return {.name = "ozmonitor", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
