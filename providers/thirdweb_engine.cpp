// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

/// Logs and receipts that Engine was subscribed to (`data`), or what became of a transaction that
/// it sent (flat, without a hash until there is one).
evm::result<hints> read(const json::value& body) {
  const auto* data = member(body, "data");
  const auto& event = data && data->is_object() ? *data : body;
  if (!event.is_object()) return evm::fail("no event");
  hint h;
  hint_fields fields{event, h};
  fields.chain({"chainId"}).block_number({"blockNumber"}).block_hash({"blockHash"});
  fields.tx({"transactionHash"}).log_index({"logIndex"});
  hints out;
  if (fields.trouble) return *fields.trouble;
  if (h.tx || h.block_number || h.block_hash)
    out.push_back(h);
  else if (!member(event, "transactionHash") && !member(event, "queueId"))
    return evm::fail("neither a transaction nor a queue's");
  return out;
}

scheme engine() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "x-engine-signature";
  s.parts = {{kind::header, "x-engine-timestamp"}, {kind::text, "."}, {kind::body, ""}};
  s.time.name = "x-engine-timestamp";
  return s;
}

} // namespace

provider thirdweb_engine() {
  static const scheme signs = engine();
  return {.name = "thirdweb-engine", .signs = &signs, .read = read};
}

} // namespace tidemark::providers
