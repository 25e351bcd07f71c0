// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

evm::result<void> read_log(const json::value&, hint h, hints& out) {
  out.push_back(std::move(h)); // where it is in its block is not said
  return {};
}

evm::result<hints> read(const json::value& body) {
  hints out;
  // A test uses a transaction that is real and that nobody asked for.
  if (const auto* type = member(body, "event_type"); type && *type == "TEST") return out;
  const auto* tx = member(body, "transaction");
  if (!tx || !tx->is_object()) return evm::fail("there is no transaction");
  hint h;
  hint_fields fields{*tx, h};
  fields.chain({"network"}).block_number({"block_number"}).block_hash({"block_hash"}).tx({"hash"});
  if (fields.trouble) return *fields.trouble;
  if (auto done = read_each(*tx, "logs", h, out, read_log); !done) return done.error();
  if (out.empty()) out.push_back(h);
  return out;
}

/// The date is signed as it stands in the header, and stands there as Go prints it.
scheme alerts() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "x-tenderly-signature";
  s.parts = {{kind::body, ""}, {kind::header, "date"}};
  s.time = {.name = "date", .as = signed_time::form::date};
  return s;
}

} // namespace

provider tenderly() {
  static const scheme signs = alerts();
  return {.name = "tenderly", .signs = &signs, .read = read};
}

} // namespace tidemark::providers
