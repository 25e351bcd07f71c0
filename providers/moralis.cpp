// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

evm::result<void> read_log(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  return add(out, fields.tx({"transactionHash"}).log_index({"logIndex"}));
}

evm::result<void> read_transaction(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  return add(out, fields.tx({"hash"}));
}

evm::result<void> read_internal(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  return add(out, fields.tx({"transactionHash"}));
}

/// `erc20Transfers` and its like repeat what is in `logs`. The body that tests a new stream has
/// empty texts and lists throughout.
evm::result<hints> read(const json::value& body) {
  if (!member(body, "logs") && !member(body, "txs") && !member(body, "txsInternal"))
    return evm::fail("neither logs, txs nor txsInternal");
  hint h;
  hint_fields stream{body, h};
  stream.chain({"chainId"});
  if (stream.trouble) return *stream.trouble;
  if (const auto* block = member(body, "block")) {
    hint_fields fields{*block, h};
    fields.block_number({"number"}).block_hash({"hash"});
    if (fields.trouble) return *fields.trouble;
  }
  hints out;
  auto done = read_each(body, "logs", h, out, read_log);
  if (done) done = read_each(body, "txs", h, out, read_transaction);
  if (done) done = read_each(body, "txsInternal", h, out, read_internal);
  if (!done) return done.error();
  return out;
}

/// No HMAC: the hash of the body with the secret behind it.
scheme streams() {
  using kind = signed_part::kind;
  scheme s;
  s.header = "x-signature";
  s.by = mac::keccak256;
  s.prefix = "0x";
  s.parts = {{kind::body, ""}, {kind::secret, ""}};
  return s;
}

} // namespace

provider moralis() {
  static const scheme signs = streams();
  return {.name = "moralis", .signs = &signs, .read = read};
}

} // namespace tidemark::providers
