// SPDX-License-Identifier: MIT
#include "audit.hpp"

#include "evm/hex.hpp"
#include "tide/fact.hpp"

#include <algorithm>

namespace tidemark::sim {
namespace {

constexpr std::size_t facts_a_look = 512;
constexpr std::uint64_t headers_every = 16; ///< looks

} // namespace

void audit::blame(const tide::fact& f, const std::string& what) {
  if (fault.empty())
    fault = what + ": " + tide::message_id(f) + " " + std::string(tide::to_text(f.status)) +
            " version " + std::to_string(f.version) + " in block " +
            std::to_string(f.block.number) + " " + evm::to_hex(f.block.hash) + ", head " +
            std::to_string(f.head);
}

/// What is told must be in a block that was once on the chain, as that block has it, and be deep
/// enough for all that ever was its head.
void audit::is_true(const tide::fact& f) {
  const auto* b = world_.by_hash(f.block.hash);
  if (!b || b->header.number != f.block.number) return blame(f, "forged: no such block");
  if (f.log_index < 0) return is_true_of_transaction(f, *b);
  const auto l = std::find_if(b->logs.begin(), b->logs.end(), [&](const evm::log& x) {
    return x.tx == f.tx && static_cast<std::int32_t>(x.log_index) == f.log_index;
  });
  if (l == b->logs.end()) return blame(f, "forged: the block has no such log");
  if (f.data.find("\"data\":\"" + evm::to_hex(l->data) + '"') == std::string::npos ||
      f.data.find(evm::to_hex(l->topics.back())) == std::string::npos)
    return blame(f, "forged: the log says something else");
  const auto event = wants_->match(*l, b->header.time, std::nullopt, "");
  if (!event) return blame(f, "nobody subscribed to it");
  is_late_enough(f, event->asks);
}

void audit::is_true_of_transaction(const tide::fact& f, const block& b) {
  const auto& all = b.header.transactions;
  const auto i = static_cast<std::size_t>(std::find(all.begin(), all.end(), f.tx) - all.begin());
  if (i == all.size()) return blame(f, "forged: the block has no such transaction");
  const auto t = world::event_of(b, i);
  const auto event = wants_->match(t, b.header.time, "");
  if (!event) return blame(f, "nobody subscribed to it");
  if (f.data != event->data) return blame(f, "forged: the transaction says something else");
  is_late_enough(f, event->asks);
}

void audit::is_late_enough(const tide::fact& f, const tide::needs& asks) {
  if (f.status != tide::status::confirmed) return;
  tide::chain_view highest;
  highest.head = world_.highest();
  highest.finalized = highest.safe =
      highest.head - std::min<std::uint64_t>(highest.head, finalized_depth);
  if (!tide::holds(asks, f.block.number, highest))
    blame(f, "early: the highest head ever was " + std::to_string(highest.head));
}

void audit::take(const tide::fact& f) {
  seen_ = f.seq;
  const auto event = tide::event_id(f.chain_id, f.tx, f.log_index);
  auto& l = lives_[event];
  if (f.version != l.version + 1) blame(f, "a version is missing");
  const bool open = l.status != tide::status::rolled_back;
  switch (f.status) {
  case tide::status::pending:
    if (open) blame(f, "pending while it is open");
    is_true(f);
    break;
  case tide::status::confirmed:
    if (l.status == tide::status::confirmed) blame(f, "confirmed twice");
    if (open && l.block != f.block) blame(f, "confirmed in another block than it was pending in");
    is_true(f);
    confirmed_[f.block.number][event] = f.block.hash;
    break;
  case tide::status::rolled_back:
    if (!open) blame(f, "taken back twice");
    if (l.block != f.block) blame(f, "another inclusion is taken back");
    if (const auto* b = world_.by_hash(f.block.hash);
        f.why == tide::why::corrected && b && f.log_index >= 0 &&
        std::any_of(b->logs.begin(), b->logs.end(), [&](const evm::log& x) {
          return x.tx == f.tx && static_cast<std::int32_t>(x.log_index) == f.log_index;
        }))
      blame(f, "taken back as if the block had never had it");
    else if (f.why == tide::why::corrected && b && f.log_index < 0 &&
             std::count(b->header.transactions.begin(), b->header.transactions.end(), f.tx) > 0)
      blame(f, "taken back as if the block had never had it");
    if (const auto it = confirmed_.find(f.block.number); it != confirmed_.end())
      it->second.erase(event);
    break;
  }
  l = {f.version, f.status, f.block};
}

/// Every confirmed event is in a block of our own header chain, which begins at the chain's start:
/// a subscription may count from below it.
void audit::holds_against_chain(std::uint64_t from) {
  if (!chain_.empty()) from = std::max(from, chain_.begin()->first);
  for (auto it = confirmed_.lower_bound(from); it != confirmed_.end(); ++it)
    for (const auto& [event, hash] : it->second) {
      const auto ours = chain_.find(it->first);
      if (fault.empty() && (ours == chain_.end() || ours->second != hash))
        fault = "confirmed in a block that is not in our chain: " + event + " in " +
                std::to_string(it->first) + " " + evm::to_hex(hash) + ", we hold " +
                (ours == chain_.end() ? "none" : evm::to_hex(ours->second));
    }
}

void audit::follow_chain(const tide::write_set& set) {
  for (const auto& v : set.verdicts)
    if (const auto* r = std::get_if<tide::reorg>(&v))
      chain_.erase(chain_.upper_bound(r->ancestor.number), chain_.end());
  for (const auto& h : set.headers)
    chain_[h.id.number] = h.id.hash;
}

void audit::begin_from(const tide::boot_state& state) {
  if (state.headers.empty()) return;
  chain_.erase(chain_.lower_bound(state.headers.front().id.number), chain_.end());
  for (const auto& h : state.headers)
    chain_[h.id.number] = h.id.hash;
  mark_ = state.mark;
  final_ = state.final_block;
  if (mark_ && std::none_of(state.headers.begin(), state.headers.end(),
                            [&](const tide::held_header& h) { return h.id == *mark_; }))
    fault = "it begins without the header of its mark, " + std::to_string(mark_->number);
  for (std::size_t i = 1; mark_ && i < state.headers.size(); ++i)
    if (const auto& h = state.headers[i];
        h.id.number <= mark_->number && h.parent != state.headers[i - 1].id.hash && fault.empty())
      fault = "it begins with a hole below its mark, under " + std::to_string(h.id.number);
}

void audit::look(store::store& s, store::reader& r, const tide::write_set& set) {
  const bool reorg = std::any_of(set.verdicts.begin(), set.verdicts.end(), [](const auto& v) {
    return std::holds_alternative<tide::reorg>(v);
  });
  follow_chain(set);
  std::uint64_t lowest = ~0ULL;
  for (bool more = true; more && fault.empty();) {
    const auto facts = r.feed(seen_, facts_a_look).value();
    for (const auto& f : facts) {
      take(f);
      lowest = std::min(lowest, f.block.number);
    }
    more = facts.size() == facts_a_look;
  }
  const auto row = r.chain(chain_id).value();
  if (!row || !fault.empty()) return;
  if (mark_ && !reorg && (!row->mark || row->mark->number < mark_->number))
    fault = "the mark went back without a reorg, from " + std::to_string(mark_->number);
  if (row->mark && !world_.by_hash(row->mark->hash))
    fault = "the mark is on a block that never was: " + evm::to_hex(row->mark->hash);
  if (final_ && !reorg && (!row->final_block || row->final_block->number < final_->number))
    fault = "the final height went back without a reorg";
  mark_ = row->mark;
  final_ = row->final_block;
  // What the store says that it holds is what it was told to hold.
  if (++looks_ % headers_every == 0)
    for (const auto& h : s.boot(chain_id).value().headers)
      if (const auto it = chain_.find(h.id.number); it == chain_.end() || it->second != h.id.hash)
        fault = "it holds a header that nobody concluded: " + std::to_string(h.id.number);
  if (reorg || looks_ % headers_every == 0) lowest = 0;
  if (lowest != ~0ULL) holds_against_chain(lowest);
}

} // namespace tidemark::sim
