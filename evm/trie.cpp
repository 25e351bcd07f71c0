// SPDX-License-Identifier: MIT
#include "evm/trie.hpp"

#include "evm/keccak.hpp"
#include "evm/rlp.hpp"

#include <algorithm>
#include <span>

namespace tidemark::evm {
namespace {

/// A key as the trie walks it: four bits at a time.
struct leaf {
  bytes nibbles;
  bytes_view value;
};
using leaves = std::span<const leaf>; ///< ascending by key, never empty

/// The keys have no order of their own to look up: rlp(i) ascends with i but for 0, which is 0x80
/// and so stands between 127 and 128.
std::vector<leaf> ordered(const std::vector<bytes>& values) {
  std::vector<leaf> out;
  out.reserve(values.size());
  bytes key;
  const auto add = [&](std::size_t i) {
    key.clear();
    append_rlp(key, std::uint64_t{i});
    leaf& l = out.emplace_back();
    for (const auto octet : key) {
      l.nibbles.push_back(octet >> 4);
      l.nibbles.push_back(octet & 15);
    }
    l.value = values[i];
  };
  const auto after_zero = std::min<std::size_t>(values.size(), 128);
  for (std::size_t i = 1; i < after_zero; ++i)
    add(i);
  if (!values.empty()) add(0);
  for (std::size_t i = after_zero; i < values.size(); ++i)
    add(i);
  return out;
}

/// Hex-prefix encoding (yellow paper, appendix C) of nibbles, as an RLP item.
void append_path(bytes& out, bytes_view nibbles, bool ends) {
  const bool odd = nibbles.size() % 2 != 0;
  bytes path{static_cast<std::uint8_t>((ends ? 0x20 : 0) | (odd ? 0x10 | nibbles[0] : 0))};
  for (std::size_t i = odd ? 1 : 0; i < nibbles.size(); i += 2)
    path.push_back(static_cast<std::uint8_t>(nibbles[i] << 4 | nibbles[i + 1]));
  append_rlp(out, path);
}

bytes node(leaves under, std::size_t depth);

/// A node within a node: itself where it is shorter than a hash, else its hash.
void append_child(bytes& out, leaves under, std::size_t depth) {
  const auto child = node(under, depth);
  if (child.size() < hash32::size)
    out.insert(out.end(), child.begin(), child.end());
  else
    append_rlp(out, keccak256(child).view());
}

void append_children(bytes& out, leaves under, std::size_t depth) {
  std::size_t begin = 0;
  for (std::uint8_t nibble = 0; nibble < 16; ++nibble) {
    auto end = begin;
    while (end < under.size() && under[end].nibbles[depth] == nibble)
      ++end;
    if (end == begin)
      append_rlp(out, bytes_view{});
    else
      append_child(out, under.subspan(begin, end - begin), depth + 1);
    begin = end;
  }
  append_rlp(out, bytes_view{}); // no key of RLP is another's beginning, so none ends at a branch
}

/// The RLP of the node that holds `under`, whose keys agree in their first `depth` nibbles.
bytes node(leaves under, std::size_t depth) {
  bytes items, out;
  const bytes_view first = under.front().nibbles, last = under.back().nibbles;
  if (under.size() == 1) {
    append_path(items, first.subspan(depth), true);
    append_rlp(items, under.front().value);
  } else {
    auto fork = depth; // in ascending keys, what the first and last share is shared by all
    while (first[fork] == last[fork])
      ++fork;
    if (fork > depth) {
      append_path(items, first.subspan(depth, fork - depth), false);
      append_child(items, under, fork);
    } else {
      append_children(items, under, depth);
    }
  }
  append_rlp_list(out, items);
  return out;
}

} // namespace

hash32 ordered_trie_root(const std::vector<bytes>& values) {
  const auto all = ordered(values);
  bytes root;
  if (all.empty())
    append_rlp(root, bytes_view{});
  else
    root = node(all, 0);
  return keccak256(root);
}

} // namespace tidemark::evm
