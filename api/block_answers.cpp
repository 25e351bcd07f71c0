// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include "evm/hex.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace tidemark::api {
namespace {

/// Of heights an answer covers; a reorg may add to each.
constexpr std::uint64_t most_heights = 1'000;

json::object block_object(const store::block_row& b) {
  return {{"number", b.block.number},
          {"hash", evm::to_hex(b.block.hash)},
          {"parent", evm::to_hex(b.parent)},
          {"timestamp", b.time},
          {"canonical", b.canonical}};
}

} // namespace

answer get_blocks(const call& c) {
  const auto* chain = find_chain(c.config, c.path[0]);
  if (chain == nullptr) return not_found("chain", c.path[0]);
  const auto from = number(c, "from_block"), to = number(c, "to_block");
  if (!from) return bad_request(from.error());
  if (!to) return bad_request(to.error());
  std::uint64_t last = 0;
  if (*to) {
    last = **to;
  } else if (const auto status = c.board.chain(chain->name); status && status->head) {
    last = status->head->number;
  }
  const std::uint64_t first = from->value_or(last < 99 ? 0 : last - 99);
  if (last >= first && last - first >= most_heights)
    return bad_request(evm::fail("`from_block` to `to_block` are at most 1000 blocks"));
  const auto found = c.reader->blocks(chain->id, first, last);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& b : *found)
    items.push_back(json::serialize(block_object(b)));
  return answer_list(items, std::nullopt);
}

} // namespace tidemark::api
