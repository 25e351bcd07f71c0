// SPDX-License-Identifier: MIT
#include "feature.hpp"

#include <algorithm>

namespace tidemark::sim {
namespace {

constexpr std::array<std::string_view, features> names{"fork",
                                                       "deep-fork",
                                                       "back",
                                                       "shorter",
                                                       "later",
                                                       "shifted",
                                                       "replaced",
                                                       "dropped",
                                                       "reverted",
                                                       "changed",
                                                       "reordered",
                                                       "void-height",
                                                       "index-by-tx",
                                                       "lag",
                                                       "flap",
                                                       "range-cap",
                                                       "result-cap",
                                                       "cut",
                                                       "missing-item",
                                                       "shuffled-items",
                                                       "no-batches",
                                                       "silent",
                                                       "rate-limit",
                                                       "server-error",
                                                       "html",
                                                       "slow",
                                                       "careless-logs",
                                                       "no-receipts",
                                                       "unknown-block",
                                                       "tags-null",
                                                       "tags-error",
                                                       "tags-back",
                                                       "tags-at-head",
                                                       "wrong-chain",
                                                       "old-fork",
                                                       "mixed-forks",
                                                       "hidden-in-ranges",
                                                       "hidden-by-hash",
                                                       "hidden-in-receipts",
                                                       "silent-cap",
                                                       "invented",
                                                       "changed-data",
                                                       "wrong-tx",
                                                       "changed-value",
                                                       "webhook",
                                                       "doubled",
                                                       "delayed",
                                                       "forged",
                                                       "fails",
                                                       "refuses",
                                                       "gone",
                                                       "told-to-wait",
                                                       "hangs",
                                                       "unreachable",
                                                       "late-answer",
                                                       "dies-writing",
                                                       "killed",
                                                       "downtime"};
static_assert(!names.back().empty());

} // namespace

std::string_view name_of(feature f) { return names[static_cast<std::size_t>(f)]; }

std::optional<feature> feature_named(std::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<feature>(it - names.begin());
}

} // namespace tidemark::sim
