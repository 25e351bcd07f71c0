// SPDX-License-Identifier: MIT
#include "world.hpp"

#include "evm/keccak.hpp"
#include "tide/whole.hpp"

#include <algorithm>

namespace tidemark::sim {

namespace {

evm::hash32 draw(std::string_view what, std::uint64_t n) {
  return evm::keccak256(std::string(what) + std::to_string(n));
}

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

world::world(std::uint64_t seed) : random(seed) { append({}); }

transaction world::make_transaction() {
  transaction t;
  t.hash = draw("tx", ++made_);
  t.logs = static_cast<std::uint32_t>(random() % 4);
  t.value = made_;
  t.by_block = chance(20);
  t.foreign = chance(15);
  return t;
}

void world::append(std::vector<transaction> txs) {
  block b;
  b.header.number = canonical_.size();
  b.header.hash = draw("block", ++made_);
  if (!canonical_.empty()) b.header.parent = canonical_.back();
  b.header.time = 1'700'000'000 + b.header.number * 12;
  static const auto transfer = evm::keccak256("Transfer(address,address,uint256)");
  static const auto other = evm::keccak256("Other(address,address,uint256)");
  for (const auto& t : txs) {
    for (std::uint32_t i = 0; i < t.logs; ++i) {
      evm::log l;
      l.address = token();
      l.topics = {t.foreign ? other : transfer, topic(t.value % 5 + 1),
                  topic((t.value + i) % 7 + 1)};
      const auto value = topic((t.by_block ? b.header.number : t.value) + i);
      l.data.assign(value.octets.begin(), value.octets.end());
      l.block = b.header.id();
      l.tx = t.hash;
      l.tx_index = static_cast<std::uint32_t>(b.header.transactions.size());
      l.log_index = static_cast<std::uint32_t>(b.logs.size());
      b.logs.push_back(std::move(l));
    }
    b.header.transactions.push_back(t.hash);
  }
  b.header.logs_bloom = tide::bloom_of(b.logs);
  b.transactions = std::move(txs);
  canonical_.push_back(b.header.hash);
  blocks_.emplace(b.header.hash, std::move(b));
}

void world::mine() {
  std::vector<transaction> txs;
  for (auto n = random() % 5; n > 0; --n)
    txs.push_back(make_transaction());
  append(std::move(txs));
}

void world::fork(std::uint64_t depth, std::uint64_t longer) {
  depth = std::min(depth, head());
  if (depth == 0) return;
  left_ = canonical_;
  std::vector<std::vector<transaction>> others(depth + longer);
  const auto base = canonical_.size() - depth;
  for (std::uint64_t i = 0; i < depth; ++i)
    for (auto t : blocks_.at(canonical_[base + i]).transactions) {
      const auto fate = random() % 10;
      if (fate == 0) continue;                                // dropped
      if (fate == 1) t.logs = 0;                              // reverts now
      if (fate == 2) others[i].push_back(make_transaction()); // shifted by a new one before it
      const auto where =
          fate < 7 ? i : std::min<std::uint64_t>(i + random() % 3, others.size() - 1);
      others[where].push_back(t);
    }
  canonical_.resize(base);
  for (auto& txs : others) {
    if (chance(20)) std::reverse(txs.begin(), txs.end());
    append(std::move(txs));
  }
}

bool world::back() {
  if (left_.empty()) return false;
  canonical_.swap(left_);
  const auto other = std::exchange(left_, {});
  // A transaction of the branch that is left now must not be mined a second time: new blocks have
  // new ones.
  while (canonical_.size() <= other.size())
    mine();
  return true;
}

std::optional<evm::receipt> world::receipt(const evm::hash32& tx, std::uint64_t head) const {
  for (std::uint64_t n = 0; n <= head; ++n) {
    const auto& b = at(n);
    for (std::size_t i = 0; i < b.header.transactions.size(); ++i) {
      if (b.header.transactions[i] != tx) continue;
      evm::receipt r{tx, b.header.id(), static_cast<std::uint32_t>(i), true, {}};
      std::copy_if(b.logs.begin(), b.logs.end(), std::back_inserter(r.logs),
                   [&](const evm::log& l) { return l.tx == tx; });
      return r;
    }
  }
  return std::nullopt;
}

tide::answer_what world::ask(const tide::ask_what& what, std::uint64_t lag) const {
  const auto top = head() - std::min(head(), lag);
  const auto none = [](std::uint64_t n) {
    return tide::no_answer{"no block " + std::to_string(n)};
  };
  if (std::holds_alternative<tide::ask_head>(what)) {
    const auto final_block = top > 8 ? at(top - 8).header.id() : at(0).header.id();
    return tide::head_answer{at(top).header, final_block, final_block};
  }
  if (const auto* a = std::get_if<tide::ask_headers>(&what)) {
    tide::headers_answer out;
    for (auto n = a->from; n <= a->to; ++n) {
      if (n > top) return none(n);
      out.headers.push_back(at(n).header);
    }
    return out;
  }
  if (const auto* a = std::get_if<tide::ask_blocks>(&what)) {
    tide::blocks_answer out;
    for (const auto& id : a->ids) {
      if (id.number > top) return none(id.number);
      const auto& b = at(id.number);
      out.blocks.push_back(
          {b.header, b.header.id() == id ? b.logs : std::vector<evm::log>{}, false});
    }
    return out;
  }
  if (const auto* a = std::get_if<tide::ask_range>(&what)) {
    tide::range_answer out;
    for (auto n = a->from; n <= std::min(a->to, a->from + 9); ++n) {
      if (n > top) return none(n);
      const auto& b = at(n);
      out.headers.push_back(b.header);
      for (const auto& l : b.logs)
        if (a->filter.topic0.empty() || std::find(a->filter.topic0.begin(), a->filter.topic0.end(),
                                                  l.topics[0]) != a->filter.topic0.end())
          out.logs.push_back(l);
    }
    out.last_again = out.headers.back().id();
    return out;
  }
  tide::receipts_answer out;
  for (const auto& tx : std::get<tide::ask_receipts>(what).transactions)
    out.receipts.push_back(receipt(tx, top));
  return out;
}

} // namespace tidemark::sim
