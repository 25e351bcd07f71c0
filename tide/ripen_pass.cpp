// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::size_t blocks_a_pass = 20;

} // namespace

/// Events at or below the mark whose own policies asked for more than the chain's, and now have it:
/// their blocks are read again, whole, so that they too are confirmed by a second answer from a
/// chain that is canonical at this moment.
tide::pass tide::ripen() {
  const auto v = view();
  std::map<std::uint64_t, evm::block_id> blocks;
  for (const auto& r : waiting_)
    if (holds(r.asks, r.block.number, v)) blocks[r.block.number] = r.block;
  std::vector<evm::block_id> ids;
  for (const auto& b : blocks)
    if (ids.size() < blocks_a_pass) ids.push_back(b.second);
  auto readings = co_await read_whole(ids, std::nullopt, settings_.integrity);
  if (!readings) co_return pass_end::failed;
  write_set set = new_set();
  for (const auto& b : *readings) {
    const auto id = b.header.id();
    if (!co_await vouched(id, std::nullopt)) co_return pass_end::failed;
    set.verdicts.push_back(proof_of(b, "reconcile"));
  }
  put(std::move(set));
  const store_answer done = co_await the_outcome{*this};
  const auto* ok = std::get_if<applied>(&done);
  if (!ok) {
    fail("an event that waits for its confirmations contradicts what its block says now; it stays "
         "pending");
    co_return pass_end::failed;
  }
  const auto concluded = [&](const ripening& r) {
    return std::find(ids.begin(), ids.end(), r.block) != ids.end();
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), concluded), waiting_.end());
  for (const auto& r : ok->waiting)
    waiting_.push_back(r);
  co_return pass_end::done;
}

} // namespace tidemark::tide
