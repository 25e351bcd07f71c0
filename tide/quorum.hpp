// SPDX-License-Identifier: MIT
#pragma once

#include "tide/ask.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

// What several endpoints agree on. An endpoint that does not answer counts for nothing.

namespace tidemark::tide {

/// The highest head and tags that so many endpoints have reached; nothing: too few answered. A
/// final block that is its endpoint's head counts on an `instant` chain alone.
std::optional<head_answer> count_heads(const std::vector<vote>& votes, std::size_t quorum,
                                       bool instant);

/// The first, in the config's order, whose head is that high; else the first. `votes` is not empty.
const vote& first_as_far_as(const std::vector<vote>& votes, std::uint64_t head);

/// How the endpoints stand to a block: who names it, and whether a quorum names another one there.
struct standing {
  std::size_t agree = 0;
  std::optional<evm::hash32> outvoted_by; ///< the hash that a quorum names instead
  std::string others;                     ///< who says what else, for a person
};
standing stand(const std::vector<vote>& votes, const evm::block_id& id, std::size_t quorum);

/// Endpoints that were seen on another chain than a quorum. The chain may have moved between its
/// word and theirs, and an honest one may lag on an old fork now and then: only what is still so a
/// poll later, of the same time, costs it its turn. Times in ms.
class loners {
public:
  /// True: it loses its turn, and begins anew.
  bool still_alone(std::size_t endpoint, std::int64_t now, std::int64_t poll);
  void agreed(std::size_t endpoint) { since_.erase(endpoint); }

private:
  std::map<std::size_t, std::int64_t> since_;
};

} // namespace tidemark::tide
