// SPDX-License-Identifier: MIT
#include "tide/reading.hpp"

#include "evm/hex.hpp"
#include "tide/transaction_json.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

// Whole transactions beside the headers, and what the receipts say of those that may be wanted.

namespace tidemark::tide {

/// `at` is the block's slot.
bool reading::take_transactions(const call_result& r, evm::header& h, std::size_t at) {
  if (!full_) return true;
  if (sealed_)
    if (auto made = seal_transactions(h, *r.value); !made)
      return fail(rpc_failure::transient, made.error().text);
  if (!watched_) return true;
  auto some = transactions_from(*r.value, h, *watched_);
  if (!some) return fail(rpc_failure::transient, some.error().text);
  for (auto& t : *some)
    found_.push_back({at, std::move(t)});
  return true;
}

bool reading::statuses_missing() const {
  return std::any_of(found_.begin(), found_.end(),
                     [](const found_transaction& f) { return !f.known && !f.by_block_receipts; });
}

void reading::plan_statuses() {
  for (std::size_t i = 0; i < found_.size(); ++i)
    if (!found_[i].known && !found_[i].by_block_receipts)
      add(kind::status, call_receipt(found_[i].is.hash), i);
}

/// A receipt says what came of a transaction in a block: it must be this one.
bool reading::note_status(found_transaction& f, const evm::receipt& r) {
  auto& t = f.is;
  if (r.tx != t.hash || r.block != t.block || r.tx_index != t.index)
    return fail(rpc_failure::transient,
                "its receipt of transaction " + evm::to_hex(t.hash) + " is of block " +
                    std::to_string(r.block.number) + " " + evm::to_hex(r.block.hash) +
                    ", the block that holds it is " + std::to_string(t.block.number) + " " +
                    evm::to_hex(t.block.hash));
  t.success = r.success;
  if (!t.to && r.success.value_or(true))
    t.created = r.created ? *r.created : evm::created_address(t.from, t.nonce);
  f.known = true;
  return true;
}

bool reading::take_status(std::size_t at, const call_result& r) {
  auto& f = found_[at];
  if (!r.value) return fail(r);
  if (r.value->is_null())
    return fail(rpc_failure::transient, "it has no receipt of transaction " +
                                            evm::to_hex(f.is.hash) + " of block " +
                                            std::to_string(f.is.block.number));
  auto read = receipt_from(*r.value);
  if (!read) return fail(rpc_failure::transient, read.error().text);
  return note_status(f, *read);
}

/// At the end: each to its block.
void reading::place_transactions() {
  std::sort(found_.begin(), found_.end(),
            [](const found_transaction& a, const found_transaction& b) {
              return std::tuple(a.at, a.is.index) < std::tuple(b.at, b.is.index);
            });
  auto* blocks = std::get_if<blocks_answer>(&made_);
  if (blocks)
    for (auto& b : blocks->blocks)
      b.watched = watched_ != nullptr;
  auto* range = std::get_if<range_answer>(&made_);
  for (auto& f : std::exchange(found_, {}))
    (blocks ? blocks->blocks[f.at].transactions : range->transactions).push_back(std::move(f.is));
}

} // namespace tidemark::tide
