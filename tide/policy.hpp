// SPDX-License-Identifier: MIT
#pragma once

#include "tide/codes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::tide {

/// What has to hold before an event is confirmed. Several add up: the stricter of each part.
struct needs {
  std::uint64_t blocks = 0; ///< head − block ≥ blocks
  tag at_least = tag::none; ///< the block is at or below that tag's block
  friend bool operator==(const needs&, const needs&) = default;
};
inline needs operator+(const needs& a, const needs& b) {
  return {std::max(a.blocks, b.blocks), std::max(a.at_least, b.at_least)};
}

/// A policy as the config names it. `blocks` absent: only the tag counts (and the other way round).
struct policy {
  std::optional<std::string> name; ///< absent: the value was given in place
  std::optional<std::uint64_t> blocks;
  tag at_least = tag::none;

  needs asks() const { return {blocks.value_or(0), at_least}; }
  friend bool operator==(const policy&, const policy&) = default;
};

/// How far the chain is, as the endpoint of one pass (or the quorum) said. Tags that it cannot
/// resolve are absent.
struct chain_view {
  std::uint64_t head = 0;
  std::optional<std::uint64_t> safe, finalized;
};

/// The highest block that `n` lets through; nothing while a tag is unknown or the chain is too
/// short.
inline std::optional<std::uint64_t> reach(const needs& n, const chain_view& v) {
  if (v.head < n.blocks) return std::nullopt;
  std::uint64_t top = v.head - n.blocks;
  if (n.at_least == tag::safe) {
    if (!v.safe) return std::nullopt;
    top = std::min(top, *v.safe);
  }
  if (n.at_least == tag::finalized) {
    if (!v.finalized) return std::nullopt;
    top = std::min(top, *v.finalized);
  }
  return top;
}
inline bool holds(const needs& n, std::uint64_t block, const chain_view& v) {
  const auto top = reach(n, v);
  return top && block <= *top;
}

} // namespace tidemark::tide
