// SPDX-License-Identifier: MIT
#include "tide/event_json.hpp"

#include "evm/hex.hpp"
#include "tide/fact.hpp"

namespace tidemark::tide {
namespace {

void append_member(std::string& out, std::string_view name, evm::bytes_view hex) {
  out += ",\"";
  out += name;
  out += "\":\"";
  evm::append_hex(out, hex);
  out += '"';
}

void append_address(std::string& out, std::string_view name,
                    const std::optional<evm::address20>& a) {
  if (a) return append_member(out, name, a->view());
  out += ",\"";
  out += name;
  out += "\":null";
}

} // namespace

std::string render_transaction(const transaction_story& s) {
  const auto& t = s.transaction;
  const auto id = event_id(s.chain_id, t.hash, -1);
  std::string out;
  out.reserve(1'024 + 2 * t.input.size());
  out += R"({"event_id":")" + id + R"(","logical_id":")" + id;
  out += R"(","kind":"transaction","chain":)";
  append_json_string(out, s.chain);
  out += R"(,"chain_id":)" + std::to_string(s.chain_id);
  out += R"(,"subscriptions":[)";
  for (std::size_t i = 0; i < s.subscriptions.size(); ++i) {
    if (i != 0) out += ',';
    append_json_string(out, s.subscriptions[i]);
  }
  out += R"(],"block":{"number":)" + std::to_string(t.block.number);
  append_member(out, "hash", t.block.hash.view());
  out += R"(,"timestamp":)" + std::to_string(s.block_time);
  out += R"(},"transaction":{"hash":")";
  evm::append_hex(out, t.hash.view());
  out += R"(","index":)" + std::to_string(t.index) + '}';
  append_member(out, "from", t.from.view());
  append_address(out, "to", t.to);
  append_address(out, "created", t.created);
  out += R"(,"value":")" + evm::to_decimal(t.value) + '"';
  append_member(out, "input", evm::bytes_view(t.input));
  out += R"(,"nonce":)" + std::to_string(t.nonce);
  out += R"(,"receipt_status":)";
  out += !t.success ? "null" : *t.success ? R"("success")" : R"("failed")";
  append_confirmations(out, s.confirmations);
  out += '}';
  return out;
}

} // namespace tidemark::tide
