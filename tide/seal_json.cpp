// SPDX-License-Identifier: MIT
#include "tide/seal_json.hpp"

#include "evm/seal.hpp"
#include "tide/json_fields.hpp"
#include "tide/rpc_json.hpp"
#include "tide/whole.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

/// The members that are in the RLP, and those that are known not to be: sizes and lists, what is
/// told twice (author, sealFields), and what Arbitrum and BNB Smart Chain make of other fields.
constexpr std::string_view known[] = {
    // in the RLP
    "parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot",
    "logsBloom", "difficulty", "number", "gasLimit", "gasUsed", "timestamp", "extraData", "mixHash",
    "nonce", "baseFeePerGas", "withdrawalsRoot", "blobGasUsed", "excessBlobGas",
    "parentBeaconBlockRoot", "requestsHash",
    // not in it
    "hash", "size", "totalDifficulty", "transactions", "uncles", "withdrawals", "author",
    "sealFields", "l1BlockNumber", "sendCount", "sendRoot", "milliTimestamp"};

/// What the forks added, in their order.
constexpr std::string_view later[] = {"baseFeePerGas", "withdrawalsRoot",       "blobGasUsed",
                                      "excessBlobGas", "parentBeaconBlockRoot", "requestsHash"};

constexpr std::size_t most_named = 8, longest_name = 32;

/// A name goes into logs and texts for people, and comes from outside.
std::string printable(std::string_view name) {
  std::string out(name.substr(0, longest_name));
  for (auto& c : out) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!plain && c != '_') c = '?';
  }
  return out;
}

std::string listed(const std::set<std::string>& names) {
  std::string out;
  std::size_t named = 0;
  for (const auto& n : names) {
    if (!out.empty()) out += ',';
    if (named++ == most_named) return out + "and more";
    out += n;
  }
  return out;
}

std::string unknown_of(const json::object& header) {
  std::set<std::string> names;
  for (const auto& member : header)
    if (!member.value().is_null() && std::find(std::begin(known), std::end(known),
                                               std::string_view(member.key())) == std::end(known))
      names.insert(printable(member.key()));
  // One that is absent before one that is present: geth writes it as an empty item, reth not at
  // all.
  bool behind = false;
  for (auto name = std::rbegin(later); name != std::rend(later); ++name) {
    const auto* v = header.if_contains(*name);
    if (v && !v->is_null())
      behind = true;
    else if (behind)
      names.insert(std::string(*name));
  }
  return listed(names);
}

void read_sealed(json_fields& f, evm::header_fields& s) {
  f.hex("sha3Uncles", s.uncles);
  f.hex("miner", s.miner);
  f.hex("stateRoot", s.state_root);
  f.hex("transactionsRoot", s.transactions_root);
  f.hex("receiptsRoot", s.receipts_root);
  f.quantity("difficulty", s.difficulty);
  f.quantity("gasLimit", s.gas_limit);
  f.quantity("gasUsed", s.gas_used);
  f.hex("extraData", s.extra_data);
  f.hex("mixHash", s.mix_hash);
  f.hex("nonce", s.nonce);
  if (f.has("baseFeePerGas")) f.quantity("baseFeePerGas", s.base_fee.emplace());
  if (f.has("withdrawalsRoot")) f.hex("withdrawalsRoot", s.withdrawals_root.emplace());
  if (f.has("blobGasUsed")) f.quantity("blobGasUsed", s.blob_gas_used.emplace());
  if (f.has("excessBlobGas")) f.quantity("excessBlobGas", s.excess_blob_gas.emplace());
  if (f.has("parentBeaconBlockRoot"))
    f.hex("parentBeaconBlockRoot", s.parent_beacon_root.emplace());
  if (f.has("requestsHash")) f.hex("requestsHash", s.requests_hash.emplace());
}

struct placed_receipt {
  std::uint32_t tx_index = 0;
  evm::receipt_fields fields;
};

evm::result<placed_receipt> placed(const json::value& v, evm::receipt&& r) {
  placed_receipt p;
  p.tx_index = r.tx_index;
  p.fields.logs = std::move(r.logs);
  json_fields f(v, "the receipt of transaction " + std::to_string(r.tx_index));
  if (f.has("type")) f.quantity("type", p.fields.type);
  if (r.success)
    p.fields.success = *r.success;
  else if (f.has("root"))
    f.hex("root", p.fields.post_state.emplace());
  else
    f.wrong("status");
  f.quantity("cumulativeGasUsed", p.fields.cumulative_gas);
  f.hex("logsBloom", p.fields.logs_bloom.bits);
  if (f.has("depositNonce")) f.quantity("depositNonce", p.fields.deposit_nonce.emplace());
  if (f.has("depositReceiptVersion"))
    f.quantity("depositReceiptVersion", p.fields.deposit_version.emplace());
  if (f.good() && bloom_of(p.fields.logs) != p.fields.logs_bloom)
    return evm::fail("the receipt of transaction " + std::to_string(r.tx_index) +
                     " has a logsBloom that its logs do not make");
  if (!f.good()) return evm::fail(f.trouble());
  return p;
}

bool log_indexes_count(const std::vector<evm::receipt_fields>& receipts) {
  bool by_block = true, by_transaction = true;
  std::size_t in_block = 0;
  for (const auto& r : receipts)
    for (std::size_t i = 0; i < r.logs.size(); ++i) {
      by_block = by_block && r.logs[i].log_index == in_block++;
      by_transaction = by_transaction && r.logs[i].log_index == i;
    }
  return by_block || by_transaction;
}

bool known_type(std::uint64_t type) {
  return type <= 4 || (type >= 0x64 && type <= 0x6a) /* Arbitrum */ || type == 0x7e /* OP stack */;
}

} // namespace

evm::result<void> seal(evm::header& h, const json::value& v) {
  json_fields f(v, "the block header");
  if (!f.good()) return evm::fail(f.trouble());
  h.unknown_fields = unknown_of(v.get_object());
  // AuRa's own seal is in their place, and some clients then leave them out.
  if (!h.unknown_fields.empty() && (!f.has("mixHash") || !f.has("nonce"))) return {};
  evm::header_fields s;
  s.parent = h.parent;
  s.logs_bloom = h.logs_bloom;
  s.number = h.number;
  s.time = h.time;
  read_sealed(f, s);
  if (!f.good()) return evm::fail(f.trouble());
  h.sealed = evm::header_hash(s);
  h.transactions_root = s.transactions_root;
  return {};
}

evm::result<evm::hash32> receipts_root_from(const json::array& receipts,
                                            const evm::block_id& block) {
  std::vector<placed_receipt> all;
  all.reserve(receipts.size());
  for (const auto& v : receipts) {
    auto r = receipt_from(v);
    if (!r) return r.error();
    if (r->block != block) return evm::fail("a receipt is of another block");
    if (evm::is_state_sync(r->tx, block)) continue;
    auto p = placed(v, std::move(*r));
    if (!p) return p.error();
    all.push_back(std::move(*p));
  }
  std::sort(all.begin(), all.end(), [](const placed_receipt& a, const placed_receipt& b) {
    return a.tx_index < b.tx_index;
  });
  std::vector<evm::receipt_fields> fields;
  fields.reserve(all.size());
  for (auto& p : all) {
    if (p.tx_index != fields.size())
      return evm::fail("there are " + std::to_string(all.size()) +
                       " receipts, and their transactionIndex is not 0 and up");
    if (!fields.empty() && p.fields.cumulative_gas < fields.back().cumulative_gas)
      return evm::fail("the receipt of transaction " + std::to_string(p.tx_index) +
                       " has a cumulativeGasUsed below the one before it");
    fields.push_back(std::move(p.fields));
  }
  if (!log_indexes_count(fields))
    return evm::fail("the receipts' logs have a logIndex out of their order");
  return evm::receipts_root(fields);
}

std::vector<std::uint64_t> receipt_types_of(const json::array& receipts,
                                            const evm::block_id& block) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> placed_types;
  for (const auto& v : receipts) {
    json_fields f(v, "a receipt");
    std::uint64_t at = 0, type = 0;
    evm::hash32 tx;
    f.hex("transactionHash", tx);
    f.quantity("transactionIndex", at);
    if (f.has("type")) f.quantity("type", type);
    if (f.good() && !evm::is_state_sync(tx, block)) placed_types.emplace_back(at, type);
  }
  std::sort(placed_types.begin(), placed_types.end());
  std::vector<std::uint64_t> out;
  out.reserve(placed_types.size());
  for (const auto& [at, type] : placed_types)
    out.push_back(type);
  return out;
}

std::string unknown_receipt_types(const json::array& receipts) {
  std::set<std::string> types;
  for (const auto& v : receipts) {
    json_fields f(v, "a receipt");
    std::uint64_t type = 0;
    if (f.has("type")) f.quantity("type", type);
    if (f.good() && !known_type(type)) types.insert(evm::to_quantity(type));
  }
  return listed(types);
}

} // namespace tidemark::tide
