// SPDX-License-Identifier: MIT
#include "render.hpp"

#include "evm/hex.hpp"

#include <algorithm>

namespace tidemark::sim {
namespace {

constexpr std::size_t most_kept = 2'048;

/// An object's members, one after the other.
class members {
public:
  void raw(std::string_view name, std::string_view value) {
    key(name);
    out_ += value;
  }
  void hex(std::string_view name, evm::bytes_view value) {
    key(name);
    out_ += '"';
    evm::append_hex(out_, value);
    out_ += '"';
  }
  void quantity(std::string_view name, std::uint64_t value) {
    key(name);
    out_ += '"';
    out_ += evm::to_quantity(value);
    out_ += '"';
  }
  std::string done() { return std::move(out_ += '}'); }

private:
  void key(std::string_view name) {
    if (out_.size() > 1) out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  std::string out_ = "{";
};

template <class T, class F> std::string list_of(const std::vector<T>& values, F text) {
  std::string out = "[";
  for (const auto& v : values) {
    if (out.size() > 1) out += ',';
    out += text(v);
  }
  return out += ']';
}

std::string quoted_hex(const evm::hash32& h) {
  std::string out = "\"";
  evm::append_hex(out, h.view());
  return out += '"';
}

std::string transaction_text(const block& b, std::size_t i) {
  const auto f = world::fields_of(b.transactions[i]);
  const auto e = world::event_of(b, i);
  members m;
  m.hex("hash", e.hash.view());
  m.hex("blockHash", e.block.hash.view());
  m.quantity("blockNumber", e.block.number);
  m.quantity("transactionIndex", i);
  m.quantity("type", f.type);
  m.quantity("nonce", f.nonce);
  m.quantity("gas", f.gas);
  m.quantity("gasPrice", 1);
  if (f.type == 2) {
    m.quantity("maxPriorityFeePerGas", 1);
    m.quantity("maxFeePerGas", 1);
    m.quantity("chainId", 1);
    m.raw("accessList", "[]");
    m.quantity("yParity", 1);
  }
  m.hex("from", e.from.view());
  if (e.to)
    m.hex("to", e.to->view());
  else
    m.raw("to", "null");
  m.quantity("value", static_cast<std::uint64_t>(e.value));
  m.hex("input", e.input);
  m.quantity("v", 1);
  m.quantity("r", 1);
  m.quantity("s", 1);
  return m.done();
}

std::string header_text(const block& b, const std::string& transactions) {
  const auto f = world::fields_of(b);
  members m;
  m.hex("hash", b.header.hash.view());
  m.hex("parentHash", f.parent.view());
  m.hex("sha3Uncles", f.uncles.view());
  m.hex("miner", f.miner.view());
  m.hex("stateRoot", f.state_root.view());
  m.hex("transactionsRoot", f.transactions_root.view());
  m.hex("receiptsRoot", f.receipts_root.view());
  m.hex("logsBloom", f.logs_bloom.bits.view());
  m.quantity("difficulty", 0);
  m.quantity("number", f.number);
  m.quantity("gasLimit", f.gas_limit);
  m.quantity("gasUsed", f.gas_used);
  m.quantity("timestamp", f.time);
  m.hex("extraData", f.extra_data);
  m.hex("mixHash", f.mix_hash.view());
  m.hex("nonce", f.nonce);
  m.quantity("baseFeePerGas", f.base_fee->front());
  m.hex("withdrawalsRoot", f.withdrawals_root->view());
  m.quantity("blobGasUsed", *f.blob_gas_used);
  m.quantity("excessBlobGas", *f.excess_blob_gas);
  m.hex("parentBeaconBlockRoot", f.parent_beacon_root->view());
  m.hex("requestsHash", f.requests_hash->view());
  m.quantity("size", 1'000);
  m.raw("uncles", "[]");
  m.raw("withdrawals", "[]");
  m.raw("transactions", transactions);
  return m.done();
}

} // namespace

std::string log_text(const evm::log& l) {
  members m;
  m.hex("address", l.address.view());
  m.raw("topics", list_of(l.topics, quoted_hex));
  m.hex("data", l.data);
  m.quantity("blockNumber", l.block.number);
  m.hex("blockHash", l.block.hash.view());
  m.hex("transactionHash", l.tx.view());
  m.quantity("transactionIndex", l.tx_index);
  m.quantity("logIndex", l.log_index);
  m.raw("removed", "false");
  return m.done();
}

std::string receipt_text(const block& b, std::size_t i, const std::vector<evm::log>& logs) {
  evm::bloom bloom;
  for (const auto& l : logs) {
    bloom.add(l.address.view());
    for (const auto& t : l.topics)
      bloom.add(t.view());
  }
  members m;
  m.quantity("type", world::fields_of(b.transactions[i]).type);
  m.quantity("status", b.transactions[i].reverts ? 0 : 1);
  m.quantity("cumulativeGasUsed", 21'000 * (i + 1));
  m.quantity("gasUsed", 21'000);
  m.hex("logsBloom", bloom.bits.view());
  m.hex("transactionHash", b.header.transactions[i].view());
  m.quantity("transactionIndex", i);
  m.hex("blockHash", b.header.hash.view());
  m.quantity("blockNumber", b.header.number);
  m.raw("contractAddress", "null");
  m.raw("logs", list_of(logs, log_text));
  return m.done();
}

const block_text& renderer::of(const block& b) {
  if (kept_.size() >= most_kept && !kept_.count(b.header.hash)) kept_.clear();
  const auto [it, fresh] = kept_.try_emplace(b.header.hash);
  auto& text = it->second;
  if (!fresh) return text;
  text.header = header_text(b, list_of(b.header.transactions, quoted_hex));
  std::string all = "[";
  for (std::size_t i = 0; i < b.transactions.size(); ++i)
    all += (i > 0 ? "," : "") + transaction_text(b, i);
  text.whole = header_text(b, all + "]");
  for (const auto& l : b.logs)
    text.logs.push_back(log_text(l));
  for (std::size_t i = 0; i < b.transactions.size(); ++i) {
    std::vector<evm::log> logs;
    std::copy_if(b.logs.begin(), b.logs.end(), std::back_inserter(logs),
                 [&](const evm::log& l) { return l.tx_index == i; });
    text.receipts.push_back(receipt_text(b, i, logs));
  }
  return text;
}

} // namespace tidemark::sim
