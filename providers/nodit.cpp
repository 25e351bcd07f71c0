// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"
#include "providers/rows.hpp"

namespace tidemark::providers {

namespace json = boost::json;

namespace {

constexpr known_chain networks[] = {
    {"ETHEREUM/MAINNET", 1},  {"ETHEREUM/SEPOLIA", 11155111}, {"POLYGON/MAINNET", 137},
    {"POLYGON/AMOY", 80002},  {"ARBITRUM/MAINNET", 42161},    {"ARBITRUM/SEPOLIA", 421614},
    {"OPTIMISM/MAINNET", 10}, {"OPTIMISM/SEPOLIA", 11155420}, {"BASE/MAINNET", 8453},
    {"BASE/SEPOLIA", 84532},  {"KAIA/MAINNET", 8217}};

/// The names in a message are not confirmed by the vendor: both of the usual ones.
evm::result<void> read_message(const json::value& one, hint h, hints& out) {
  hint_fields fields{one, h};
  fields.block_number({"block_number", "blockNumber"}).block_hash({"block_hash", "blockHash"});
  fields.tx({"hash", "transaction_hash", "transactionHash"}).log_index({"log_index", "logIndex"});
  fields.removed({"removed"});
  return add(out, fields);
}

std::string text_of(const json::value& body, std::string_view name) {
  const auto* v = member(body, name);
  const auto* text = v ? v->if_string() : nullptr;
  return text ? std::string{text->data(), text->size()} : std::string{};
}

evm::result<hints> read(const json::value& body) {
  const auto* event = member(body, "event");
  const auto* messages = event ? member(*event, "messages") : nullptr;
  if (!messages) return evm::fail("there are no event.messages");
  hint outer;
  if (auto protocol = text_of(body, "protocol"); !protocol.empty())
    outer.network = protocol + "/" + text_of(body, "network");
  hints out;
  if (auto done = read_one_or_many(*messages, outer, out, read_message); !done) return done.error();
  return out;
}

} // namespace

provider nodit() {
  static const scheme signs{.header = "x-signature"};
  return {.name = "nodit", .signs = &signs, .networks = networks, .read = read};
}

} // namespace tidemark::providers
