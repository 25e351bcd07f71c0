// SPDX-License-Identifier: MIT
#include "world.hpp"

#include "evm/keccak.hpp"
#include "evm/trie.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::sim {
namespace {

constexpr std::uint64_t first_time = 1'700'000'000, seconds_a_block = 12;

} // namespace

evm::address20 world::token() {
  evm::address20 a;
  a.octets.fill(0x70);
  return a;
}

evm::hash32 world::topic(std::uint64_t n) {
  evm::hash32 t;
  for (int i = 0; i < 8; ++i)
    t.octets[31 - static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(n >> (8 * i));
  return t;
}

world::world(std::uint64_t seed, feature_set on)
    : on_(on), content_(seed, "content"), forks_(seed, "forks"), voids_(seed, "voids"),
      made_(seed << 32) {
  append({});
}

const block* world::find(std::uint64_t number) const {
  return number < canonical_.size() ? by_hash(canonical_[number]) : nullptr;
}

const block* world::by_hash(const evm::hash32& hash) const {
  const auto it = blocks_.find(hash);
  return it == blocks_.end() ? nullptr : &it->second;
}

std::optional<std::uint64_t> world::where(const evm::hash32& tx) const {
  const auto it = mined_.find(tx);
  return it == mined_.end() ? std::nullopt : std::optional(it->second);
}

transaction world::make_transaction() {
  transaction t;
  t.number = ++made_;
  t.hash = evm::keccak256(evm::bytes_view(evm::encoded(fields_of(t))));
  t.logs = static_cast<std::uint32_t>(content_.below(4));
  t.value = made_;
  t.by_block = content_.chance(20);
  t.foreign = content_.chance(15);
  t.reverts = content_.chance(5);
  return t;
}

std::vector<evm::receipt_fields> world::receipts_of(const block& b) {
  std::vector<evm::receipt_fields> all(b.transactions.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].type = static_cast<std::uint8_t>(fields_of(b.transactions[i]).type);
    all[i].success = !b.transactions[i].reverts;
    all[i].cumulative_gas = 21'000 * (i + 1);
  }
  for (const auto& l : b.logs) {
    auto& r = all[l.tx_index];
    r.logs_bloom.add(l.address.view());
    for (const auto& t : l.topics)
      r.logs_bloom.add(t.view());
    r.logs.push_back(l);
  }
  return all;
}

evm::address20 world::receiver(std::uint64_t n) {
  evm::address20 a;
  a.octets.fill(static_cast<std::uint8_t>(0x90 + n % 5));
  return a;
}

/// One in eight creates a contract.
evm::transaction_fields world::fields_of(const transaction& t) {
  evm::transaction_fields f;
  f.type = t.number % 2 == 0 ? 2 : 0;
  f.chain_id = f.gas_price = f.priority_fee = f.max_fee = f.v = f.r = f.s = {1};
  f.nonce = t.number;
  f.gas = 21'000;
  if (t.number % 8 != 0) f.to = receiver(t.number);
  if (t.number % 200 != 0) f.value = {static_cast<std::uint8_t>(t.number % 200)};
  f.input = {static_cast<std::uint8_t>(t.number)};
  return f;
}

evm::transaction world::event_of(const block& b, std::size_t i) {
  const auto& t = b.transactions[i];
  const auto f = fields_of(t);
  evm::transaction e;
  e.hash = t.hash;
  e.block = b.header.id();
  e.index = static_cast<std::uint32_t>(i);
  e.from = token();
  e.to = f.to;
  e.value = t.number % 200;
  e.input = f.input;
  e.nonce = f.nonce;
  e.success = !t.reverts;
  if (!e.to && e.success) e.created = evm::created_address(e.from, e.nonce);
  return e;
}

/// As a block of Prague has them.
evm::header_fields world::fields_of(const block& b) {
  evm::header_fields f;
  f.parent = b.header.parent;
  f.state_root = topic(b.salt);
  f.transactions_root = b.header.transactions_root;
  f.receipts_root = b.header.receipts_root;
  f.logs_bloom = b.header.logs_bloom;
  f.number = b.header.number;
  f.gas_limit = 30'000'000;
  f.gas_used = 21'000 * b.transactions.size();
  f.time = b.header.time;
  f.base_fee = evm::bytes{7};
  f.withdrawals_root = topic(1);
  f.blob_gas_used = 0;
  f.excess_blob_gas = 0;
  f.parent_beacon_root = topic(2);
  f.requests_hash = topic(3);
  return f;
}

void world::put(const evm::hash32& hash) {
  for (const auto& tx : blocks_.at(hash).header.transactions)
    mined_[tx] = canonical_.size();
  canonical_.push_back(hash);
  highest_ = std::max(highest_, head());
}

void world::cut(std::uint64_t size) {
  while (canonical_.size() > size || canonical_.back().is_zero()) {
    if (const auto* b = by_hash(canonical_.back()))
      for (const auto& tx : b->header.transactions)
        mined_.erase(tx);
    canonical_.pop_back();
  }
}

void world::append(std::vector<transaction> txs) {
  static const auto transfer = evm::keccak256("Transfer(address,address,uint256)");
  static const auto other = evm::keccak256("Other(address,address,uint256)");
  const auto* parent = canonical_.empty() ? nullptr : by_hash(canonical_.back());
  for (auto n = canonical_.size(); !parent && n-- > 0;)
    parent = by_hash(canonical_[n]);
  if (parent && on_.has(feature::void_height) && voids_.chance(8)) {
    mine_void();
    shapes.count(feature::void_height);
  }
  block b;
  auto& h = b.header;
  h.number = canonical_.size();
  if (parent) h.parent = parent->header.hash;
  h.time = first_time + h.number * seconds_a_block;
  b.salt = ++made_;
  for (const auto& t : txs) {
    const auto tx_index = static_cast<std::uint32_t>(h.transactions.size());
    for (std::uint32_t i = 0; i < t.logs && !t.reverts; ++i) {
      evm::log l;
      l.address = token();
      l.topics = {t.foreign ? other : transfer, topic(t.value % 5 + 1),
                  topic((t.value + i) % 7 + 1)};
      const auto value = topic((t.by_block ? h.number : t.value) + i);
      l.data.assign(value.octets.begin(), value.octets.end());
      l.tx = t.hash;
      l.tx_index = tx_index;
      l.log_index =
          on_.has(feature::index_by_transaction) ? i : static_cast<std::uint32_t>(b.logs.size());
      h.logs_bloom.add(l.address.view());
      for (const auto& topic : l.topics)
        h.logs_bloom.add(topic.view());
      b.logs.push_back(std::move(l));
    }
    h.transactions.push_back(t.hash);
  }
  b.transactions = std::move(txs);
  std::vector<evm::bytes> whole;
  for (const auto& t : b.transactions)
    whole.push_back(evm::encoded(fields_of(t)));
  h.transactions_root = evm::ordered_trie_root(whole);
  h.receipts_root = evm::receipts_root(receipts_of(b));
  h.hash = evm::header_hash(fields_of(b));
  for (auto& l : b.logs)
    l.block = h.id();
  if (on_.has(feature::index_by_transaction) && b.logs.size() > 1)
    shapes.count(feature::index_by_transaction);
  const auto hash = h.hash;
  blocks_.emplace(hash, std::move(b));
  put(hash);
}

void world::mine() {
  std::vector<transaction> txs;
  for (auto n = content_.below(4); n > 0; --n)
    txs.push_back(make_transaction());
  // What a fork left behind comes again, unless the chain went back to where it was.
  while (!pool_.empty() && forks_.chance(70)) {
    const auto t = pool_.back();
    pool_.pop_back();
    const auto same = [&](const transaction& x) { return x.hash == t.hash; };
    if (!mined_.count(t.hash) && std::none_of(txs.begin(), txs.end(), same)) txs.push_back(t);
  }
  append(std::move(txs));
}

/// What becomes of the transactions of the i-th block that a fork replaces.
void world::scatter(std::vector<transaction> txs, std::size_t i,
                    std::vector<std::vector<transaction>>& others) {
  for (auto t : txs) {
    const auto fate = forks_.below(12);
    const auto place = forks_.below(3);
    const auto meets = [&](std::uint64_t n, feature f) {
      if (fate != n || !on_.has(f)) return false;
      shapes.count(f);
      return true;
    };
    if (meets(0, feature::dropped)) continue;
    if (meets(1, feature::replaced)) t = make_transaction();
    t.reverts = meets(2, feature::reverted);
    if (meets(3, feature::changed)) t.value += 1'000;
    auto where = i;
    if (fate >= 4 && fate <= 6 && place > 0 && on_.has(feature::later)) {
      where = i + place;
      shapes.count(feature::later);
    }
    if (where >= others.size()) {
      pool_.push_back(t);
      continue;
    }
    if (meets(7, feature::shifted)) others[where].push_back(make_transaction());
    others[where].push_back(t);
  }
}

void world::fork(std::uint64_t depth, std::uint64_t others) {
  depth = std::min(depth, head());
  if (depth == 0) return;
  auto base = canonical_.size() - depth;
  while (canonical_[base - 1].is_zero())
    --base;
  left_ = {base, {canonical_.begin() + static_cast<std::ptrdiff_t>(base), canonical_.end()}};
  std::vector<std::vector<transaction>> blocks(others);
  for (std::size_t i = 0; i < left_.hashes.size(); ++i)
    if (const auto* b = by_hash(left_.hashes[i])) scatter(b->transactions, i, blocks);
  cut(base);
  for (auto& txs : blocks) {
    if (txs.size() > 1 && on_.has(feature::reordered) && forks_.chance(20)) {
      std::reverse(txs.begin(), txs.end());
      shapes.count(feature::reordered);
    }
    append(std::move(txs));
  }
}

bool world::back() {
  if (left_.hashes.empty() || canonical_.size() <= left_.from) return false;
  const auto theirs = std::exchange(left_, {});
  const auto first = canonical_.begin() + static_cast<std::ptrdiff_t>(theirs.from);
  left_ = {theirs.from, {first, canonical_.end()}};
  cut(theirs.from);
  for (const auto& hash : theirs.hashes)
    hash.is_zero() ? mine_void() : put(hash);
  while (canonical_.size() <= left_.from + left_.hashes.size())
    mine();
  return true;
}

void world::become(const branch& b) {
  const auto same = std::mismatch(b.begin(), b.end(), canonical_.begin(), canonical_.end()).first;
  cut(static_cast<std::size_t>(same - b.begin()));
  for (auto n = canonical_.size(); n < b.size(); ++n)
    b[n].is_zero() ? mine_void() : put(b[n]);
}

} // namespace tidemark::sim
