// SPDX-License-Identifier: MIT
#include "evm/transaction.hpp"

#include "evm/keccak.hpp"
#include "evm/rlp.hpp"

#include <algorithm>

namespace tidemark::evm {
namespace {

constexpr std::uint64_t legacy = 0, with_access_list = 1, with_blobs = 3, with_code = 4;
constexpr std::uint64_t deposit = 0x7e;

/// RLP items, one after the other.
struct items {
  bytes out;

  void add(bytes_view v) { append_rlp(out, v); }
  void add(const bytes& v) { append_rlp(out, bytes_view(v)); }
  void add(std::uint64_t v) { append_rlp(out, v); }
  void add(const hash32& v) { append_rlp(out, v.view()); }
  void add(const address20& v) { append_rlp(out, v.view()); }
  void add(const std::optional<address20>& v) { append_rlp(out, v ? v->view() : bytes_view{}); }
  void add_list(const items& inner) { append_rlp_list(out, inner.out); }
};

void add_access_list(items& to, const transaction_fields& t) {
  items list;
  for (const auto& a : t.access_list) {
    items keys, one;
    for (const auto& k : a.keys)
      keys.add(k);
    one.add(a.address);
    one.add_list(keys);
    list.add_list(one);
  }
  to.add_list(list);
}

void add_deposit(items& to, const transaction_fields& t) {
  to.add(t.source);
  to.add(t.from);
  to.add(t.to);
  to.add(t.mint);
  to.add(t.value);
  to.add(t.gas);
  to.add(std::uint64_t{t.is_system});
  to.add(t.input);
}

void add_blobs(items& to, const transaction_fields& t) {
  to.add(t.blob_fee);
  items hashes;
  for (const auto& h : t.blob_hashes)
    hashes.add(h);
  to.add_list(hashes);
}

void add_authorizations(items& to, const transaction_fields& t) {
  items list;
  for (const auto& a : t.authorizations) {
    items one;
    one.add(a.chain_id);
    one.add(a.address);
    one.add(a.nonce);
    one.add(a.y_parity);
    one.add(a.r);
    one.add(a.s);
    list.add_list(one);
  }
  to.add_list(list);
}

void add_signed(items& to, const transaction_fields& t) {
  if (t.type != legacy) to.add(t.chain_id);
  to.add(t.nonce);
  if (t.type <= with_access_list) {
    to.add(t.gas_price);
  } else {
    to.add(t.priority_fee);
    to.add(t.max_fee);
  }
  to.add(t.gas);
  to.add(t.to);
  to.add(t.value);
  to.add(t.input);
  if (t.type != legacy) add_access_list(to, t);
  if (t.type == with_blobs) add_blobs(to, t);
  if (t.type == with_code) add_authorizations(to, t);
  to.add(t.v);
  to.add(t.r);
  to.add(t.s);
}

} // namespace

address20 created_address(const address20& from, std::uint64_t nonce) {
  items both;
  both.add(from);
  both.add(nonce);
  bytes list;
  append_rlp_list(list, both.out);
  const auto hash = keccak256(bytes_view(list));
  address20 a;
  std::copy(hash.octets.end() - address20::size, hash.octets.end(), a.octets.begin());
  return a;
}

bool is_known_transaction_type(std::uint64_t type) { return type <= with_code || type == deposit; }

bytes encoded(const transaction_fields& t) {
  items all;
  t.type == deposit ? add_deposit(all, t) : add_signed(all, t);
  bytes out;
  if (t.type != legacy) out.push_back(static_cast<std::uint8_t>(t.type));
  append_rlp_list(out, all.out);
  return out;
}

} // namespace tidemark::evm
