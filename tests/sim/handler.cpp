// SPDX-License-Identifier: MIT
#include "handler.hpp"

#include "evm/hex.hpp"
#include "tide/fact.hpp"

#include <algorithm>

namespace tidemark::sim {

namespace {

std::uint64_t index_of_transaction(const std::string& data) {
  constexpr std::string_view name = "\"index\":";
  const auto at = data.find(name);
  return at == data.npos ? 0 : std::stoull(data.substr(at + name.size()));
}

} // namespace

void ledger_handler::blame(const std::string& what, const store::message& m) {
  if (fault.empty())
    fault = name_ + ": " + what + ": " + tide::message_id(m.fact) + " key " + m.envelope.key +
            " sequence " + std::to_string(m.seq) + " version " + std::to_string(m.fact.version);
}

/// Within a key confirmed events come in the chain's order, unless late, and what one reorg takes
/// back goes from the top down.
void ledger_handler::keep_order(const store::message& m, const place& here) {
  const auto& key = m.envelope.key;
  if (m.fact.status == tide::status::rolled_back) {
    const auto before = undone_.find(key);
    if (before != undone_.end() && before->second.first == m.fact.at &&
        (by_block_ ? before->second.second <= here : before->second.second < here))
      blame("rolled back from the bottom up", m);
    undone_[key] = {m.fact.at, here};
    auto& stands = standing_[key];
    if (const auto it = stands.find(here); it != stands.end()) stands.erase(it);
    return;
  }
  undone_.erase(key);
  if (m.fact.status != tide::status::confirmed || m.envelope.late) return;
  auto& stands = standing_[key];
  if (!stands.empty() && here < *stands.rbegin()) blame("confirmed out of the chain's order", m);
  stands.insert(here);
}

void ledger_handler::take(const store::message& m) {
  const auto id = tide::message_id(m.fact);
  const auto body = tide::compose_message(m.fact, m.envelope);
  if (const auto [it, fresh] = bodies_.try_emplace(id, body); !fresh) {
    ++repeated;
    if (it->second != body)
      blame("the same id with other bytes: " + it->second + " and " + body, m);
    return;
  }
  ++told;
  const auto event = tide::event_id(m.fact.chain_id, m.fact.tx, m.fact.log_index);
  if (m.envelope.sequence != ++sequences_[m.envelope.key]) blame("a hole in the sequence", m);
  if (m.fact.version <= last_version_[event]) blame("versions out of order", m);
  last_version_[event] = m.fact.version;
  // Where a chain counts logs within transactions, their indexes do not order a block.
  keep_order(m, {m.fact.block.number, by_block_ ? index_of_transaction(m.fact.data) : 0,
                 by_block_ ? m.fact.log_index : 0});
  const auto known = confirmed_.find(event);
  switch (m.fact.status) {
  case tide::status::pending:
    if (known != confirmed_.end()) blame("pending while confirmed", m);
    break;
  case tide::status::confirmed:
    if (known != confirmed_.end()) blame("confirmed twice", m);
    confirmed_[event] = evm::to_hex(m.fact.block.hash);
    break;
  case tide::status::rolled_back:
    if (!m.fact.undoes || *m.fact.undoes != last_id_[event])
      blame("undoes " + m.fact.undoes.value_or("nothing") + ", the last told was " +
                last_id_[event],
            m);
    if (known != confirmed_.end() && known->second != evm::to_hex(m.fact.block.hash))
      blame("takes back another block's inclusion", m);
    confirmed_.erase(event);
    break;
  }
  last_id_[event] = id;
}

} // namespace tidemark::sim
