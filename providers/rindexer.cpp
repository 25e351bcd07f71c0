// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

// The names are the user's own manifest's; these are those of the vendor's examples.
constexpr known_chain networks[] = {{"ethereum", 1},  {"mainnet", 1},   {"sepolia", 11155111},
                                    {"optimism", 10}, {"polygon", 137}, {"arbitrum", 42161},
                                    {"base", 8453},   {"bsc", 56},      {"avalanche", 43114},
                                    {"gnosis", 100}};

evm::result<void> read_event(const json::value& event, hint h, hints& out) {
  const auto* place = member(event, "transaction_information");
  if (!place || !place->is_object()) return evm::fail("an event without transaction_information");
  hint_fields fields{*place, h};
  fields.chain({"network", "chain_id"}).block_number({"block_number"}).block_hash({"block_hash"});
  return add(out, fields.tx({"transaction_hash"}).log_index({"log_index"}));
}

/// What left the chain, by transaction; without one, the first block of the fork.
evm::result<void> read_reorg(const json::value& notice, hint h, hints& out) {
  h.removed = true;
  hint_fields outer{notice, h};
  outer.chain({"network"});
  if (outer.trouble) return *outer.trouble;
  const auto* affected = member(notice, "affected_tx_hashes");
  const auto* hashes = affected ? affected->if_array() : nullptr;
  if (!hashes || hashes->empty()) return add(out, outer.block_number({"fork_block"}));
  for (const auto& hash : *hashes) {
    const json::value one{{"tx", hash}};
    hint each = h;
    hint_fields fields{one, each};
    if (auto done = add(out, fields.tx({"tx"})); !done) return done;
  }
  return {};
}

/// Two shapes: `event_data` is a list in the vendor's code, one object in its documents.
evm::result<hints> read(const json::value& body) {
  const auto* name = member(body, "event_name");
  const auto* data = member(body, "event_data");
  if (!name || !data) return evm::fail("neither event_name nor event_data");
  hint h;
  hint_fields fields{body, h};
  fields.chain({"network"});
  if (fields.trouble) return *fields.trouble;
  hints out;
  const auto as = *name == "__rindexer_reorg" ? read_reorg : read_event;
  if (auto done = read_one_or_many(*data, h, out, as); !done) return done.error();
  return out;
}

} // namespace

provider rindexer() {
  static const scheme signs{.header = "x-rindexer-shared-secret", .by = mac::none};
  return {.name = "rindexer", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
