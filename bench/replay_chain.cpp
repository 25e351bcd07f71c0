// SPDX-License-Identifier: MIT
#include "replay_chain.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"

#include <algorithm>
#include <mutex>

namespace tidemark::bench {
namespace {

constexpr std::uint64_t first_time = 1'700'000'000, senders = 4'096, gas_limit = 30'000'000;
constexpr std::uint64_t gas_a_tx = 21'000, base_fee = 1'000'000'000;

std::uint64_t mix(std::uint64_t x) { // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

void put(std::uint8_t* at, std::uint64_t value) {
  for (int i = 7; i >= 0; --i, value >>= 8)
    at[i] = static_cast<std::uint8_t>(value);
}

std::uint64_t get(const std::uint8_t* at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value = value << 8 | at[i];
  return value;
}

const evm::hash32& transfer_topic() {
  static const auto topic = evm::keccak256("Transfer(address,address,uint256)");
  return topic;
}

evm::address20 address_of(const evm::hash32& topic) {
  evm::address20 a;
  std::copy(topic.octets.begin() + 12, topic.octets.end(), a.octets.begin());
  return a;
}

evm::hash32 word(std::uint64_t value) {
  evm::hash32 w;
  put(w.octets.data() + 24, value);
  return w;
}

bool wanted(const std::vector<evm::hash32>& one_of, const evm::hash32& value) {
  return one_of.empty() || std::find(one_of.begin(), one_of.end(), value) != one_of.end();
}

template <std::size_t N>
void member(std::string& out, const char* name, const evm::fixed_bytes<N>& value) {
  out.append(",\"").append(name).append("\":\"");
  evm::append_hex(out, value.view());
  out += '"';
}

void member(std::string& out, const char* name, std::uint64_t value) {
  out.append(",\"").append(name).append("\":\"").append(evm::to_quantity(value)) += '"';
}

} // namespace

replay_chain::replay_chain(const replay_settings& settings) : s_(settings), branches_{0} {
  const auto fill = [this](std::vector<party>& parties, std::uint64_t kind, std::uint64_t count) {
    parties.reserve(count);
    for (std::uint64_t n = 0; n < count; ++n)
      parties.push_back(party_of(kind, n));
  };
  fill(tokens_, 1, std::max<std::uint64_t>(s_.contracts, 1));
  fill(senders_, 2, senders);
  fill(receivers_, 3, std::max<std::uint64_t>(s_.keys, 1));
  s_.logs_a_tx = std::max<std::uint64_t>(s_.logs_a_tx, 1);
  const auto bits_of = [](evm::bytes_view value) {
    evm::bloom one;
    one.add(value);
    bits b{};
    std::size_t found = 0;
    for (std::uint16_t bit = 0; bit < 2048 && found < 3; ++bit)
      if (one.bits.octets[bit / 8] & (1U << (bit % 8))) b.at[found++] = bit;
    for (; found > 0 && found < 3; ++found) // two of the three may be the same
      b.at[found] = b.at[0];
    return b;
  };
  for (auto* parties : {&senders_, &receivers_})
    for (auto& p : *parties)
      p.bloom = bits_of(p.topic.view());
  for (auto& p : tokens_)
    p.bloom = bits_of(address_of(p.topic).view());
  transfer_bloom_ = bits_of(transfer_topic().view());
  grow_to(s_.blocks);
}

replay_chain::party replay_chain::party_of(std::uint64_t kind, std::uint64_t n) const {
  party p{};
  const auto a = mix(s_.seed ^ mix(kind << 56 ^ n));
  put(p.topic.octets.data() + 12, a);
  put(p.topic.octets.data() + 20, mix(a));
  put(p.topic.octets.data() + 24, kind << 40 ^ n);
  return p;
}

/// Its block and its place in it are its last bytes, so that a receipt is found without an index.
evm::hash32 replay_chain::tx_of(std::uint64_t block, std::uint64_t tx) const {
  evm::hash32 h;
  const auto a = mix(s_.seed ^ mix(s_.chain_id << 48 ^ block << 16 ^ tx));
  put(h.octets.data(), a);
  put(h.octets.data() + 8, mix(a));
  put(h.octets.data() + 16, block);
  put(h.octets.data() + 24, tx);
  return h;
}

std::uint64_t replay_chain::logs_in(std::uint64_t block) const {
  if (block == 0 || (s_.quiet_every > 0 && block % s_.quiet_every != 0)) return 0;
  return s_.logs;
}

std::uint64_t replay_chain::txs_in(std::uint64_t block) const {
  return (logs_in(block) + s_.logs_a_tx - 1) / s_.logs_a_tx;
}

replay_chain::transfer replay_chain::transfer_of(std::uint64_t block, std::uint64_t index) const {
  const auto n = block * s_.logs + index;
  const bool hot = s_.hot_percent > 0 && mix(n ^ s_.seed) % 100 < s_.hot_percent;
  return {index / s_.logs_a_tx,
          index,
          &tokens_[n % tokens_.size()],
          &senders_[mix(n) % senders_.size()],
          &receivers_[hot ? 0 : n % receivers_.size()],
          n + 1};
}

void replay_chain::add_to_bloom(evm::bloom& bloom, const transfer& t) const {
  for (const auto& b : {t.token->bloom, transfer_bloom_, t.from->bloom, t.to->bloom})
    for (const auto bit : b.at)
      bloom.bits.octets[bit / 8] |= static_cast<std::uint8_t>(1U << (bit % 8));
}

evm::header_fields replay_chain::header_of(std::uint64_t block) const {
  evm::header_fields h;
  if (block > 0) h.parent = hashes_[block - 1];
  h.number = block;
  h.time = first_time + block;
  h.gas_limit = gas_limit;
  h.gas_used = txs_in(block) * gas_a_tx;
  h.base_fee.emplace();
  for (int shift = 24; shift >= 0; shift -= 8)
    h.base_fee->push_back(static_cast<std::uint8_t>(base_fee >> shift));
  for (std::uint64_t i = 0; i < logs_in(block); ++i)
    add_to_bloom(h.logs_bloom, transfer_of(block, i));
  h.receipts_root = word(mix(block));
  h.transactions_root = word(mix(block ^ s_.seed));
  // The branch makes its blocks others, whatever is in them.
  std::uint64_t branch = 0;
  for (std::size_t b = 0; b < branches_.size(); ++b)
    if (branches_[b] <= block) branch = b;
  h.extra_data.resize(16);
  put(h.extra_data.data(), s_.seed);
  put(h.extra_data.data() + 8, branch);
  return h;
}

void replay_chain::grow_to(std::uint64_t head) {
  hashes_.reserve(head + 1);
  while (hashes_.size() <= head) {
    const auto number = hashes_.size();
    hashes_.push_back(evm::header_hash(header_of(number)));
    numbers_[hashes_.back()] = number;
  }
}

void replay_chain::advance() {
  std::unique_lock lock(mutex_);
  if (every_ == 0) return;
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - since_);
  grow_to(base_ + static_cast<std::uint64_t>(passed.count()) / every_);
}

std::uint64_t replay_chain::head() {
  advance();
  std::shared_lock lock(mutex_);
  return hashes_.size() - 1;
}

void replay_chain::mine(std::uint64_t blocks) {
  std::unique_lock lock(mutex_);
  grow_to(hashes_.size() - 1 + blocks);
}

void replay_chain::mine_every(std::uint64_t milliseconds) {
  std::unique_lock lock(mutex_);
  every_ = milliseconds;
  base_ = hashes_.size() - 1;
  since_ = std::chrono::steady_clock::now();
}

void replay_chain::reorg(std::uint64_t depth) {
  std::unique_lock lock(mutex_);
  const auto head = hashes_.size() - 1;
  depth = std::min<std::uint64_t>(depth, head);
  for (std::size_t n = head - depth + 1; n <= head; ++n)
    numbers_.erase(hashes_[n]);
  hashes_.resize(head - depth + 1);
  branches_.push_back(head - depth + 1);
  grow_to(head + 1);
}

std::optional<std::uint64_t> replay_chain::number_of(const evm::hash32& block) {
  std::shared_lock lock(mutex_);
  const auto at = numbers_.find(block);
  if (at == numbers_.end()) return std::nullopt;
  return at->second;
}

void replay_chain::append_block(std::string& out, std::uint64_t number) {
  std::shared_lock lock(mutex_);
  if (number >= hashes_.size()) {
    out += "null";
    return;
  }
  const auto h = header_of(number);
  out.append("{\"number\":\"").append(evm::to_quantity(number)) += '"';
  member(out, "hash", hashes_[number]);
  member(out, "parentHash", h.parent);
  member(out, "sha3Uncles", h.uncles);
  member(out, "miner", h.miner);
  member(out, "stateRoot", h.state_root);
  member(out, "transactionsRoot", h.transactions_root);
  member(out, "receiptsRoot", h.receipts_root);
  member(out, "logsBloom", h.logs_bloom.bits);
  member(out, "difficulty", 0);
  member(out, "gasLimit", h.gas_limit);
  member(out, "gasUsed", h.gas_used);
  member(out, "timestamp", h.time);
  out += ",\"extraData\":\"" + evm::to_hex(h.extra_data) + '"';
  member(out, "mixHash", h.mix_hash);
  out += R"(,"nonce":"0x0000000000000000","uncles":[],"size":"0x400")";
  member(out, "baseFeePerGas", base_fee);
  out += ",\"transactions\":[";
  for (std::uint64_t t = 0; t < txs_in(number); ++t) {
    out += t > 0 ? ",\"" : "\"";
    evm::append_hex(out, tx_of(number, t).view());
    out += '"';
  }
  out += "]}";
}

void replay_chain::append_log(std::string& out, std::uint64_t block, const transfer& t) const {
  out += "{\"address\":\"0x";
  const auto token = evm::to_hex(t.token->topic);
  out.append(token, 26, std::string::npos) += "\",\"topics\":[\"";
  evm::append_hex(out, transfer_topic().view());
  out += "\",\"";
  evm::append_hex(out, t.from->topic.view());
  out += "\",\"";
  evm::append_hex(out, t.to->topic.view());
  out += "\"]";
  member(out, "data", word(t.amount));
  member(out, "blockNumber", block);
  member(out, "blockHash", hashes_[block]);
  member(out, "transactionHash", tx_of(block, t.tx));
  member(out, "transactionIndex", t.tx);
  member(out, "logIndex", t.index);
  out += ",\"removed\":false}";
}

void replay_chain::append_one_receipt(std::string& out, std::uint64_t block,
                                      std::uint64_t tx) const {
  evm::bloom bloom;
  std::string logs;
  const auto end = std::min((tx + 1) * s_.logs_a_tx, logs_in(block));
  for (auto i = tx * s_.logs_a_tx; i < end; ++i) {
    const auto t = transfer_of(block, i);
    add_to_bloom(bloom, t);
    if (!logs.empty()) logs += ',';
    append_log(logs, block, t);
  }
  const auto first = transfer_of(block, tx * s_.logs_a_tx);
  out += R"({"type":"0x2","status":"0x1","contractAddress":null,"effectiveGasPrice":"0x1")";
  member(out, "transactionHash", tx_of(block, tx));
  member(out, "transactionIndex", tx);
  member(out, "blockHash", hashes_[block]);
  member(out, "blockNumber", block);
  member(out, "from", address_of(first.from->topic));
  member(out, "to", address_of(first.token->topic));
  member(out, "gasUsed", gas_a_tx);
  member(out, "cumulativeGasUsed", (tx + 1) * gas_a_tx);
  member(out, "logsBloom", bloom.bits);
  out.append(",\"logs\":[").append(logs).append("]}");
}

void replay_chain::append_receipts(std::string& out, std::uint64_t number) {
  std::shared_lock lock(mutex_);
  if (number >= hashes_.size()) {
    out += "null";
    return;
  }
  out += '[';
  for (std::uint64_t t = 0; t < txs_in(number); ++t) {
    if (t > 0) out += ',';
    append_one_receipt(out, number, t);
  }
  out += ']';
}

void replay_chain::append_receipt(std::string& out, const evm::hash32& tx) {
  std::shared_lock lock(mutex_);
  const auto block = get(tx.octets.data() + 16), at = get(tx.octets.data() + 24);
  if (block < hashes_.size() && at < txs_in(block) && tx_of(block, at) == tx)
    append_one_receipt(out, block, at);
  else
    out += "null";
}

void replay_chain::append_logs(std::string& out, std::uint64_t from, std::uint64_t to,
                               const log_query& query) {
  std::shared_lock lock(mutex_);
  const std::vector<evm::hash32> none;
  const auto& q = query.topics;
  if (q.size() > 3 || (!q.empty() && !wanted(q[0], transfer_topic()))) return;
  bool first = true;
  to = std::min<std::uint64_t>(to, hashes_.size() - 1);
  for (auto block = from; block <= to; ++block)
    for (std::uint64_t i = 0; i < logs_in(block); ++i) {
      const auto t = transfer_of(block, i);
      if (!query.addresses.empty() &&
          std::find(query.addresses.begin(), query.addresses.end(), address_of(t.token->topic)) ==
              query.addresses.end())
        continue;
      if (!wanted(q.size() > 1 ? q[1] : none, t.from->topic) ||
          !wanted(q.size() > 2 ? q[2] : none, t.to->topic))
        continue;
      if (!first) out += ',';
      first = false;
      append_log(out, block, t);
    }
}

} // namespace tidemark::bench
