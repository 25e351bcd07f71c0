// SPDX-License-Identifier: MIT
#include "evm/hex.hpp"
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

/// The ids of entities and rows have the transaction's hash in them: 0x…-268, log_0x…_5.
std::optional<evm::hash32> tx_in_id(const json::value& row) {
  const auto* id = member(row, "id");
  const auto* text = id ? id->if_string() : nullptr;
  if (!text) return std::nullopt;
  const std::string_view all{text->data(), text->size()};
  const auto at = all.find("0x");
  return at == all.npos ? std::nullopt : evm::parse_hash(all.substr(at, 66));
}

/// The names are the user's own schema's: as most write them, and as rows of raw_logs have them.
evm::result<void> read_row(const json::value& row, hint h, hints& out) {
  hint_fields fields{row, h};
  fields.chain({"chain_id"}).block_number({"block_number", "blockNumber"});
  fields.block_hash({"block_hash", "blockHash"}).log_index({"log_index", "logIndex"});
  fields.tx({"transaction_hash", "transactionHash", "tx_hash"});
  if (!h.tx) h.tx = tx_in_id(row);
  if (!fields.trouble && !h.tx && !h.block_number && !h.block_hash)
    return evm::fail("a row without transaction and block");
  return add(out, fields);
}

/// A subgraph's webhook: one change of one entity. What is deleted or changed may be a reorg that
/// is rolled back, or the user's own mapping.
evm::result<hints> read(const json::value& body) {
  hints out;
  hint h;
  const auto* data = member(body, "data");
  const bool change = member(body, "op") && data && data->is_object();
  if (!change) {
    if (auto done = read_one_or_many(body, h, out, read_row); !done) return done.error();
    return out;
  }
  h.takes_back = *member(body, "op") != "INSERT";
  const auto* row = member(*data, "new");
  if (!row || row->is_null()) row = member(*data, "old");
  if (!row || !row->is_object()) return evm::fail("neither a new nor an old entity");
  if (auto done = read_row(*row, h, out); !done) return done.error();
  return out;
}

} // namespace

provider goldsky() {
  static const scheme signs{.header = "goldsky-webhook-secret", .by = mac::none};
  return {.name = "goldsky", .signs = &signs, .read = read};
}

} // namespace tidemark::providers
