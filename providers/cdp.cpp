// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr known_chain networks[] = {{"base-mainnet", 8453}, {"base-sepolia", 84532}};

/// As the API reference has it, flat; or as the older guide has it, in `data`.
evm::result<hints> read(const json::value& body) {
  const auto* data = member(body, "data");
  const auto& event = data && data->is_object() ? *data : body;
  hint h;
  hint_fields fields{event, h};
  fields.chain({"network", "networkId"}).block_number({"block_number", "blockNumber"});
  fields.block_hash({"block_hash", "blockHash"}).tx({"transaction_hash", "transactionHash"});
  fields.log_index({"log_index", "logIndex"});
  if (!fields.trouble && !h.tx && !h.block_number && !h.block_hash)
    return evm::fail("neither a transaction nor a block");
  hints out;
  if (auto done = add(out, fields); !done) return done.error();
  return out;
}

/// Hook0's header: `t=…,h=names of headers,v1=…`. Its v0 covers no header, so v1 alone counts.
scheme hook0() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "X-Hook0-Signature";
  s.look = layout::fields;
  s.field = "v1";
  s.parts = {{kind::field, "t"},  {kind::text, "."}, {kind::field, "h"}, {kind::text, "."},
             {kind::listed, "h"}, {kind::text, "."}, {kind::body, ""}};
  s.time = {.in = signed_time::place::field, .name = "t"};
  return s;
}

} // namespace

provider cdp() {
  static const scheme signs = hook0();
  return {.name = "cdp", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
