// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

namespace tidemark::tide {

/// How much a block has to prove (contract §2, `integrity`).
enum class proof : std::uint8_t {
  none,
  bloom,   ///< the logs make the header's bloom, indexes have no hole
  receipts ///< and the header's fields make its hash, the receipts its root
};

/// How log indexes count. Learned once, stored, never mixed.
enum class numbering : std::uint8_t { unknown = 0, block = 1, transaction = 2 };
/// Whether headers' blooms are those of their logs. Learned once and stored.
enum class blooms : std::uint8_t { unknown = 0, hold = 1, do_not_hold = 2 };

/// What a chain was seen to do, where chains differ (rpc.md §2).
struct chain_ways {
  numbering indexes = numbering::unknown;
  blooms bloom = blooms::unknown;
  bool state_sync = false; ///< Polygon: logs of a pseudo-transaction are in no list, bloom or root
  friend bool operator==(const chain_ways&, const chain_ways&) = default;
};

/// What a chain's id says of it. Only Bor's chains may have state-sync logs: elsewhere anybody
/// could make one up, since nothing proves them.
inline bool has_state_sync(std::uint64_t chain_id) {
  return chain_id == 137 || chain_id == 80001 || chain_id == 80002;
}

/// Learns a chain's odd way from what is read, when nothing ever spoke for the ordinary one: one
/// endpoint's word may be a lie, so each of them must have shown it, again and again.
class oddity {
public:
  /// True: it is the chain that is odd.
  bool seen(std::size_t endpoint, std::size_t endpoints) {
    ++times_;
    return enough_of(endpoint, endpoints);
  }
  /// What something left out would look like too, as an index that is behind leaves out what it has
  /// not got yet: one block again and again says nothing.
  bool seen_in(std::uint64_t block, std::size_t endpoint, std::size_t endpoints) {
    if (times_ < enough && blocks_.insert(block).second) ++times_;
    return enough_of(endpoint, endpoints);
  }
  /// Who has not shown it yet, once another one has: asked in its turn, it can.
  std::optional<std::size_t> next(std::size_t endpoints) const {
    if (shown_by_.empty()) return std::nullopt;
    for (std::size_t e = 0; e < endpoints; ++e)
      if (!shown_by_.contains(e)) return e;
    return std::nullopt;
  }
  void denied() { times_ = 0, shown_by_.clear(), blocks_.clear(); }

private:
  static constexpr std::uint32_t enough = 8;
  bool enough_of(std::size_t endpoint, std::size_t endpoints) {
    shown_by_.insert(endpoint);
    return times_ >= enough && shown_by_.size() >= endpoints;
  }
  std::uint32_t times_ = 0;
  std::set<std::size_t> shown_by_;
  std::set<std::uint64_t> blocks_;
};

} // namespace tidemark::tide
