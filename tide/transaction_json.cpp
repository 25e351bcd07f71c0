// SPDX-License-Identifier: MIT
#include "tide/transaction_json.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"
#include "evm/seal.hpp"
#include "evm/trie.hpp"
#include "tide/json_fields.hpp"

#include <boost/json/array.hpp>

#include <set>
#include <string>

namespace tidemark::tide {
namespace {

namespace json = boost::json;

const json::array& list_of(const json::value& block) {
  static const json::array none;
  const auto* o = block.if_object();
  const auto* list = o ? o->if_contains("transactions") : nullptr;
  return list && list->is_array() ? list->get_array() : none;
}

std::string name_of(const evm::header& h, std::size_t i) {
  return "transaction " + std::to_string(i) + " of block " + std::to_string(h.number);
}

evm::integer number_of(const evm::bytes& big_endian) {
  evm::integer n = 0;
  for (const auto octet : big_endian)
    n = (n << 8) | octet;
  return n;
}

/// Older nodes say `data`.
std::string_view input_of(const json_fields& f) { return f.has("input") ? "input" : "data"; }

void read_receiver(json_fields& f, std::optional<evm::address20>& to) {
  if (f.has("to")) f.hex("to", to.emplace());
}

std::uint64_t type_of(json_fields& f) {
  std::uint64_t type = 0;
  if (f.has("type")) f.quantity("type", type);
  return type;
}

std::vector<evm::hash32> hashes_of(json_fields& f, const json::object& o, std::string_view name) {
  std::vector<evm::hash32> out;
  const auto* list = o.if_contains(name);
  if (!list || !list->is_array()) return f.wrong(name), out;
  for (const auto& v : list->get_array()) {
    const auto h = v.is_string() ? evm::parse_hash(v.get_string()) : std::nullopt;
    if (!h) return f.wrong(name), out;
    out.push_back(*h);
  }
  return out;
}

void read_access_list(json_fields& f, evm::transaction_fields& t) {
  const auto* list = f.find("accessList");
  if (!list || list->is_null()) return;
  if (!list->is_array()) return f.wrong("accessList");
  for (const auto& v : list->get_array()) {
    json_fields one(v, "an access");
    auto& a = t.access_list.emplace_back();
    one.hex("address", a.address);
    if (one.good()) a.keys = hashes_of(one, v.get_object(), "storageKeys");
    if (!one.good()) return f.wrong("accessList");
  }
}

void read_authorizations(json_fields& f, evm::transaction_fields& t) {
  const auto* list = f.find("authorizationList");
  if (!list || !list->is_array()) return f.wrong("authorizationList");
  for (const auto& v : list->get_array()) {
    json_fields one(v, "an authorization");
    auto& a = t.authorizations.emplace_back();
    one.quantity("chainId", a.chain_id);
    one.hex("address", a.address);
    one.quantity("nonce", a.nonce);
    one.quantity(one.has("yParity") ? "yParity" : "v", a.y_parity);
    one.quantity("r", a.r);
    one.quantity("s", a.s);
    if (!one.good()) return f.wrong("authorizationList");
  }
}

void read_deposit(json_fields& f, evm::transaction_fields& t) {
  f.hex("sourceHash", t.source);
  f.hex("from", t.from);
  if (f.has("mint")) f.quantity("mint", t.mint);
  const auto* system = f.find("isSystemTx");
  t.is_system = system && system->is_bool() && system->get_bool();
}

void read_signed(json_fields& f, const json::object& o, evm::transaction_fields& t) {
  f.quantity("nonce", t.nonce);
  if (t.type <= 1) {
    f.quantity("gasPrice", t.gas_price);
  } else {
    f.quantity("maxPriorityFeePerGas", t.priority_fee);
    f.quantity("maxFeePerGas", t.max_fee);
  }
  if (t.type != 0) {
    f.quantity("chainId", t.chain_id);
    read_access_list(f, t);
  }
  if (t.type == 3) {
    f.quantity("maxFeePerBlobGas", t.blob_fee);
    t.blob_hashes = hashes_of(f, o, "blobVersionedHashes");
  }
  if (t.type == 4) read_authorizations(f, t);
  // Typed ones say the parity under both names, or under the old one alone.
  f.quantity(t.type != 0 && f.has("yParity") ? "yParity" : "v", t.v);
  f.quantity("r", t.r);
  f.quantity("s", t.s);
}

} // namespace

evm::result<std::vector<evm::transaction>>
transactions_from(const json::value& block, const evm::header& h, const transaction_rules& rules) {
  std::vector<evm::transaction> out;
  const auto& list = list_of(block);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object())
      return evm::fail(name_of(h, i) + " is a hash alone, where it was asked for as a whole");
    json_fields f(list[i], name_of(h, i));
    evm::transaction t;
    evm::bytes value;
    t.block = h.id();
    t.index = static_cast<std::uint32_t>(i);
    f.hex("hash", t.hash);
    f.hex("from", t.from);
    read_receiver(f, t.to);
    f.quantity("value", value);
    f.quantity("nonce", t.nonce);
    if (f.has("transactionIndex")) f.quantity("transactionIndex", t.index);
    if (f.has("blockHash")) {
      evm::hash32 in;
      f.hex("blockHash", in);
      if (f.good() && in != h.hash) f.wrong("blockHash");
    }
    t.value = number_of(value);
    if (f.good() && !rules.may_want(t)) continue;
    f.hex(input_of(f), t.input);
    if (!f.good()) return evm::fail(f.trouble());
    out.push_back(std::move(t));
  }
  return out;
}

evm::result<void> seal_transactions(evm::header& h, const json::value& block) {
  std::set<std::string> unknown;
  std::vector<evm::bytes> all;
  const auto& list = list_of(block);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* o = list[i].if_object();
    if (!o) {
      h.unproved_transactions = "the endpoint says their hashes alone";
      return {};
    }
    json_fields f(list[i], name_of(h, i));
    evm::transaction_fields t;
    t.type = type_of(f);
    if (!f.good()) return evm::fail(f.trouble());
    if (evm::is_state_sync(h.transactions[i], h.id())) continue; // in no root
    h.transaction_types.push_back(t.type);
    if (!evm::is_known_transaction_type(t.type)) {
      unknown.insert(evm::to_quantity(t.type));
      continue;
    }
    f.quantity("gas", t.gas);
    f.quantity("value", t.value);
    f.hex(input_of(f), t.input);
    read_receiver(f, t.to);
    t.type == 0x7e ? read_deposit(f, t) : read_signed(f, *o, t);
    if (f.has("transactionIndex")) {
      std::size_t at = 0;
      f.quantity("transactionIndex", at);
      if (f.good() && at != i) f.wrong("transactionIndex");
    }
    if (!f.good()) return evm::fail(f.trouble());
    all.push_back(evm::encoded(t));
    if (evm::keccak256(evm::bytes_view(all.back())) != h.transactions[i])
      return evm::fail(name_of(h, i) + " has fields that do not make its hash " +
                       evm::to_hex(h.transactions[i]));
  }
  if (unknown.empty()) {
    h.made_transactions_root = evm::ordered_trie_root(all);
    return {};
  }
  h.unproved_transactions = "types that this version cannot encode:";
  for (const auto& u : unknown)
    h.unproved_transactions += ' ' + u;
  return {};
}

} // namespace tidemark::tide
