// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

evm::result<void> read_item(const json::value& item, hint h, hints& out) {
  const auto* data = member(item, "data");
  if (!data || !data->is_object()) return evm::fail("an item without data");
  if (const auto* status = member(item, "status")) h.removed = *status == "reverted";
  hint_fields fields{*data, h};
  fields.chain({"chain_id"}).block_number({"block_number"}).block_hash({"block_hash"});
  fields.tx({"hash", "transaction_hash"}).log_index({"log_index"});
  return add(out, fields);
}

evm::result<hints> read(const json::value& body) {
  const auto* data = member(body, "data");
  if (!data) return evm::fail("there is no data");
  hints out;
  if (auto done = read_each(*data, {}, out, read_item); !done) return done.error();
  return out;
}

/// The time is in the body. The vendor's text names one header, its sample reads another.
scheme under(std::string header) {
  scheme s;
  s.header = std::move(header);
  s.time = {.in = signed_time::place::member, .name = "timestamp"};
  return s;
}

} // namespace

provider thirdweb_insight() {
  static const scheme signs = [] {
    auto s = under("x-webhook-signature");
    s.or_else.push_back(under("x-signature"));
    return s;
  }();
  return {.name = "thirdweb-insight", .signs = &signs, .read = read};
}

} // namespace tidemark::providers
