// SPDX-License-Identifier: MIT
#pragma once

#include "feature.hpp"

#include "tide/whole.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::sim {

struct endpoint_plan {
  std::size_t index = 0; ///< keeps its draws when others are left out
  bool honest = true;    ///< whatever troubles it has, it never says what is not
  feature_set can;       ///< of what is on
};

/// What a run is made of. All of it follows from the seed, unless it was made simpler since.
struct plan {
  std::uint64_t seed = 1;
  std::uint64_t blocks = 120;  ///< goes on until so many were mined …
  std::uint64_t steps = ~0ULL; ///< … or so much happened
  feature_set on;              ///< of all that may go wrong
  std::vector<endpoint_plan> endpoints;
  bool none_honest = false; ///< all of them lie about every block, until quiet
  std::size_t quorum = 1;
  tide::proof integrity = tide::proof::bloom, backfill = tide::proof::bloom;
  std::uint64_t confirmations = 3, max_depth = 8;
  bool follow = true;
  bool tags = false;              ///< confirms by `finalized`
  bool strict = false;            ///< some events need more than the chain's own policy
  bool transactions = false;      ///< some transactions are events too
  bool latecomer = false;         ///< another subscription comes while it runs …
  std::uint64_t latecomer_at = 0; ///< … when so many blocks were mined, and counts …
  std::optional<std::uint64_t> latecomer_from; ///< … from there, or from the next block on
  std::int64_t gap = 60'000, length = 10'000;  ///< of troubles: ms
  bool tells = false;                          ///< keeps the story
};

plan plan_of(std::uint64_t seed);
/// The promises hold: so many honest endpoints are left as a quorum needs.
bool is_fair(const plan& p);
/// How it differs from others, for a person.
std::string describe(const plan& p);

} // namespace tidemark::sim
