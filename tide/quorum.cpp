// SPDX-License-Identifier: MIT
#include "tide/quorum.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <map>

namespace tidemark::tide {
namespace {

/// Sorts them, the highest first: the height that so many have reached, and of the blocks named
/// there the one that most name.
template <class Block> std::size_t as_far_as(std::vector<Block>& blocks, std::size_t quorum) {
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& a, const Block& b) { return a.number > b.number; });
  const auto named = [&blocks](const Block& b) {
    return std::count_if(blocks.begin(), blocks.end(), [&b](const Block& other) {
      return other.number == b.number && other.hash == b.hash;
    });
  };
  std::size_t best = quorum - 1;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].number == blocks[best].number && named(blocks[i]) > named(blocks[best])) best = i;
  return best;
}

} // namespace

std::optional<head_answer> count_heads(const std::vector<vote>& votes, std::size_t quorum,
                                       bool instant) {
  if (votes.size() < quorum) return std::nullopt;
  std::vector<evm::header> heads;
  std::vector<evm::block_id> safe, finalized;
  for (const auto& v : votes) {
    heads.push_back(v.says.head);
    if (v.says.safe) safe.push_back(*v.says.safe);
    const auto& end = v.says.finalized;
    if (end && (instant || end->number < v.says.head.number)) finalized.push_back(*end);
  }
  const auto reached = [quorum](std::vector<evm::block_id>& ids) -> std::optional<evm::block_id> {
    if (ids.size() < quorum) return std::nullopt;
    return ids[as_far_as(ids, quorum)];
  };
  head_answer out;
  out.head = heads[as_far_as(heads, quorum)];
  out.safe = reached(safe);
  out.finalized = reached(finalized);
  return out;
}

const vote& first_as_far_as(const std::vector<vote>& votes, std::uint64_t head) {
  const auto far = std::find_if(votes.begin(), votes.end(),
                                [head](const vote& v) { return v.says.head.number >= head; });
  return far != votes.end() ? *far : votes.front();
}

standing stand(const std::vector<vote>& votes, const evm::block_id& id, std::size_t quorum) {
  standing out;
  std::map<evm::hash32, std::size_t> named;
  for (const auto& v : votes) {
    if (v.there && v.there->hash == id.hash) {
      ++out.agree;
      continue;
    }
    if (v.there && ++named[v.there->hash] >= quorum) out.outvoted_by = v.there->hash;
    out.others += "; " + v.endpoint_name +
                  (v.there ? " names " + evm::to_hex(v.there->hash) : " has none there");
  }
  return out;
}

bool loners::still_alone(std::size_t endpoint, std::int64_t now, std::int64_t poll) {
  constexpr std::int64_t of_one_time = 60'000;
  const auto [since, fresh] = since_.try_emplace(endpoint, now);
  const auto passed = now - since->second;
  if (fresh || passed < poll) return false;
  if (passed > std::max(of_one_time, 3 * poll)) { // that was another time
    since->second = now;
    return false;
  }
  since_.erase(since);
  return true;
}

} // namespace tidemark::tide
