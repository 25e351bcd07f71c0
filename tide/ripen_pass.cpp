// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tidemark::tide {

/// Events at or below the mark whose own policies asked for more than the chain's, and now have it:
/// their blocks are read again, whole, so that they too are confirmed by a second answer from a
/// chain that is canonical at this moment.
tide::pass tide::ripen() {
  const auto v = view();
  std::set<evm::block_id> ripe;
  for (const auto& r : waiting_)
    if (holds(r.asks, r.block.number, v)) ripe.insert(r.block);
  ripe_order_.only(ripe);
  const auto ids = ripe_order_.next(ripe, now_);
  const bool concluded_all = co_await conclude_ripe(ids);
  if (!concluded_all) {
    ripe_order_.failed(ids, trouble_, now_);
    co_return pass_end::failed;
  }
  ripe_order_.read(ids);
  co_return pass_end::done;
}

/// False: they are as they were, and `trouble_` says why.
task<bool> tide::conclude_ripe(const std::vector<evm::block_id>& ids) {
  auto readings = co_await read_whole(ids, std::nullopt, settings_.integrity);
  if (!readings) co_return false;
  write_set set = new_set();
  for (const auto& b : *readings) {
    const auto id = b.header.id();
    if (!co_await vouched(id, std::nullopt)) co_return false;
    set.verdicts.push_back(proof_of(b, "reconcile"));
  }
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  const auto* ok = std::get_if<applied>(&done);
  if (!ok) {
    fail("an event that waits for its confirmations contradicts what its block says now; it stays "
         "pending");
    co_return false;
  }
  const auto concluded = [&](const ripening& r) {
    return std::find(ids.begin(), ids.end(), r.block) != ids.end();
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), concluded), waiting_.end());
  for (const auto& r : ok->waiting)
    waiting_.push_back(r);
  co_return true;
}

} // namespace tidemark::tide
