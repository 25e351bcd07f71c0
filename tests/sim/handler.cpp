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
            " sequence " + std::to_string(m.seq) + " version " + std::to_string(m.fact.version) +
            " block " + std::to_string(m.fact.block.number) + " concluded at " +
            std::to_string(m.fact.at) + " why " + std::string(tide::to_text(m.fact.why));
}

/// Two blocks of one height, of forks that both left, have no order.
bool ledger_handler::from_the_top(const undoing& before, const evm::block_id& block,
                                  const place& here) const {
  if (std::get<0>(before.where) == block.number && before.block != block.hash) return true;
  return by_block_ ? here < before.where : here <= before.where;
}

/// Within a key confirmed events come in the chain's order, unless late, and what one reorg takes
/// back goes from the top down.
void ledger_handler::keep_order(const store::message& m, const place& here) {
  const auto& key = m.envelope.key;
  if (m.fact.status == tide::status::rolled_back) {
    const auto before = undone_.find(key);
    if (before != undone_.end() && before->second.at == m.fact.at &&
        !from_the_top(before->second, m.fact.block, here))
      blame("rolled back from the bottom up, behind block " +
                std::to_string(std::get<0>(before->second.where)),
            m);
    undone_[key] = {m.fact.at, here, m.fact.block.hash};
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
