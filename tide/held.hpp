// SPDX-License-Identifier: MIT
#pragma once

#include "tide/write_set.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace tidemark::tide {

/// The headers of one chain that we hold: from max_depth below the mark to the head, with at most
/// one hole, between what reconcile has reached and what the head pass began with (design §5, "Fast
/// chains").
class held_headers {
public:
  void add(const held_header& h) { by_number_[h.id.number] = h; }
  void set_whole(std::uint64_t number) {
    if (const auto it = by_number_.find(number); it != by_number_.end()) it->second.whole = true;
  }
  void forget_whole() {
    for (auto& [number, h] : by_number_)
      h.whole = false;
  }
  void drop_above(std::uint64_t number) {
    by_number_.erase(by_number_.upper_bound(number), by_number_.end());
  }
  void drop_below(std::uint64_t number) {
    by_number_.erase(by_number_.begin(), by_number_.lower_bound(number));
  }
  void drop_between(std::uint64_t from, std::uint64_t to) {
    if (from <= to) by_number_.erase(by_number_.lower_bound(from), by_number_.upper_bound(to));
  }

  const held_header* find(std::uint64_t number) const {
    const auto it = by_number_.find(number);
    return it == by_number_.end() ? nullptr : &it->second;
  }
  /// The next below or above that height; what lies between is void, or the hole.
  const held_header* below(std::uint64_t number) const {
    const auto it = by_number_.lower_bound(number);
    return it == by_number_.begin() ? nullptr : &std::prev(it)->second;
  }
  const held_header* above(std::uint64_t number) const {
    const auto it = by_number_.upper_bound(number);
    return it == by_number_.end() ? nullptr : &it->second;
  }
  /// A different hash at a height that we hold, or any at one that is void on our chain: the sign
  /// of a fork.
  bool contradicts(const evm::block_id& id) const {
    if (const auto* h = find(id.number)) return h->id.hash != id.hash;
    const auto *lower = below(id.number), *upper = above(id.number);
    return lower && upper && upper->parent == lower->id.hash;
  }
  std::optional<evm::block_id> tip() const {
    if (by_number_.empty()) return std::nullopt;
    return by_number_.rbegin()->second.id;
  }
  /// The lowest height that links by parents, without a hole, up to the tip.
  std::uint64_t linked_down_to() const;
  bool empty() const { return by_number_.empty(); }
  const std::map<std::uint64_t, held_header>& all() const { return by_number_; }

private:
  std::map<std::uint64_t, held_header> by_number_;
};

inline held_header held_of(const evm::header& h, bool whole = false) {
  return {h.id(), h.parent, h.time, whole};
}

} // namespace tidemark::tide
