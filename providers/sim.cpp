// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr known_chain networks[] = {
    {"ethereum", 1},  {"sepolia", 11155111}, {"base", 8453},     {"base_sepolia", 84532},
    {"optimism", 10}, {"polygon", 137},      {"arbitrum", 42161}};

evm::result<void> read_log(const json::value&, hint h, hints& out) {
  out.push_back(std::move(h)); // where it is in its block is not said
  return {};
}

evm::result<void> read_item(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  fields.chain({"chain", "chain_id"}).block_number({"block_number"}).block_hash({"block_hash"});
  fields.tx({"hash", "tx_hash", "transaction_hash"});
  if (fields.trouble) return *fields.trouble;
  const auto before = out.size();
  if (auto done = read_each(one, "logs", h, out, read_log); !done) return done;
  return out.size() > before ? evm::result<void>{} : add(out, fields);
}

evm::result<hints> read(const json::value& body) {
  static constexpr std::string_view kinds[] = {"transactions", "activities", "balance_changes"};
  hints out;
  bool any = false;
  for (const auto kind : kinds) {
    any = any || member(body, kind);
    if (auto done = read_each(body, kind, {}, out, read_item); !done) return done.error();
  }
  if (!any) return evm::fail("neither transactions, activities nor balance_changes");
  return out;
}

} // namespace

provider sim() {
  return {.name = "sim",
          .takes_unsigned = true,
          .networks = networks,
          .chain_header = "dune-webhook-chain-id",
          .read = read};
}

} // namespace tidemark::providers
