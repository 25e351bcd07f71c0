// SPDX-License-Identifier: MIT
#include "evm/seal.hpp"

#include "evm/keccak.hpp"
#include "evm/rlp.hpp"
#include "evm/trie.hpp"

#include <string_view>

namespace tidemark::evm {
namespace {

constexpr std::uint8_t deposit_type = 0x7e; // the OP stack's

void append_item(bytes& out, bytes_view v) { append_rlp(out, v); }
void append_item(bytes& out, std::uint64_t v) { append_rlp(out, v); }
void append_item(bytes& out, const hash32& v) { append_rlp(out, v.view()); }

/// The fields that forks added, from the last: one that is absent before one that is present is the
/// empty item, as geth writes it.
class optional_fields {
public:
  template <class T> void add(const std::optional<T>& v) {
    if (v) {
      append_item(items_, *v);
      used_ = items_.size();
    } else {
      append_rlp(items_, bytes_view{});
    }
  }
  bytes_view items() const { return bytes_view(items_).first(used_); }

private:
  bytes items_;
  std::size_t used_ = 0; ///< up to the last that is present
};

void append(bytes& out, bytes_view v) { out.insert(out.end(), v.begin(), v.end()); }

void append_log(bytes& out, const log& l) {
  bytes topics, items;
  for (const auto& t : l.topics)
    append_rlp(topics, t.view());
  append_rlp(items, l.address.view());
  append_rlp_list(items, topics);
  append_rlp(items, l.data);
  append_rlp_list(out, items);
}

bytes encoded(const receipt_fields& r) {
  bytes logs, items, out;
  for (const auto& l : r.logs)
    append_log(logs, l);
  if (r.post_state)
    append_rlp(items, r.post_state->view());
  else
    append_rlp(items, std::uint64_t{r.success});
  append_rlp(items, r.cumulative_gas);
  append_rlp(items, r.logs_bloom.bits.view());
  append_rlp_list(items, logs);
  // op-geth leaves the nonce out of the root where there is no version: between Regolith and
  // Canyon it is stored and answered, but not proved.
  if (r.type == deposit_type && r.deposit_version) {
    optional_fields deposit;
    deposit.add(r.deposit_nonce);
    deposit.add(r.deposit_version);
    append(items, deposit.items());
  }
  if (r.type != 0) out.push_back(r.type);
  append_rlp_list(out, items);
  return out;
}

} // namespace

hash32 header_hash(const header_fields& h) {
  bytes items, out;
  append_rlp(items, h.parent.view());
  append_rlp(items, h.uncles.view());
  append_rlp(items, h.miner.view());
  append_rlp(items, h.state_root.view());
  append_rlp(items, h.transactions_root.view());
  append_rlp(items, h.receipts_root.view());
  append_rlp(items, h.logs_bloom.bits.view());
  append_rlp(items, h.difficulty);
  append_rlp(items, h.number);
  append_rlp(items, h.gas_limit);
  append_rlp(items, h.gas_used);
  append_rlp(items, h.time);
  append_rlp(items, h.extra_data);
  append_rlp(items, h.mix_hash.view());
  append_rlp(items, h.nonce);
  optional_fields later;
  later.add(h.base_fee);
  later.add(h.withdrawals_root);
  later.add(h.blob_gas_used);
  later.add(h.excess_blob_gas);
  later.add(h.parent_beacon_root);
  later.add(h.requests_hash);
  append(items, later.items());
  append_rlp_list(out, items);
  return keccak256(out);
}

hash32 receipts_root(const std::vector<receipt_fields>& receipts) {
  std::vector<bytes> values;
  values.reserve(receipts.size());
  for (const auto& r : receipts)
    values.push_back(encoded(r));
  return ordered_trie_root(values);
}

bool is_state_sync(const hash32& tx, const block_id& block) {
  constexpr std::string_view prefix = "matic-bor-receipt-";
  bytes key(prefix.begin(), prefix.end());
  for (int shift = 56; shift >= 0; shift -= 8)
    key.push_back(static_cast<std::uint8_t>(block.number >> shift));
  append(key, block.hash.view());
  return keccak256(key) == tx;
}

} // namespace tidemark::evm
