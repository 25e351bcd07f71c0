// SPDX-License-Identifier: MIT
#pragma once

#include "actors/ingest_rules.hpp"
#include "api/live.hpp"
#include "config/config.hpp"
#include "store/types.hpp"

#include <map>
#include <string>

namespace tidemark::app {

/// What a group of the store did, under the names of the config.
inline void count_group(api::meters& to, const config::config& c, const store::tally& did) {
  const auto name_of = [&c](std::uint64_t id) {
    for (const auto& chain : c.chains)
      if (chain.id == id) return chain.name;
    return std::to_string(id);
  };
  for (const auto& [of, n] : did.facts)
    to.count(api::meter::events, {name_of(of.first), tide::to_text(of.second)}, n);
  for (const auto& [chain, n] : did.unnamed)
    to.count(api::meter::events_compensated, {name_of(chain)}, n);
  for (const auto& [chain, depth] : did.reorgs) {
    to.count(api::meter::reorgs, {name_of(chain)});
    to.observe(api::meter::reorg_depth, {name_of(chain)}, depth);
  }
  for (const auto& [of, n] : did.hints)
    to.count(api::meter::hints, {of.first, tide::to_text(of.second)}, n);
  for (const auto& [handler, n] : did.gaps)
    to.count(api::meter::gaps, {handler}, n);
  for (const auto& [source, ms] : did.leads)
    to.observe(api::meter::webhook_lead, {source}, static_cast<double>(ms) / 1'000);
}

/// What the listener counted, for the board.
inline std::map<std::string, api::source_counts>
source_counts(const actors::ingest_counters& counters) {
  std::map<std::string, api::source_counts> out;
  for (const auto& row : counters.snapshot()) {
    auto& made = out[row.source];
    made.last_at = row.last_at;
    if (row.last_at != 0) made.last_result = to_text(row.last_result);
    made.unauthorized = row.of(actors::ingest_result::unauthorized);
    made.accepted_at = row.accepted_at;
    for (std::size_t i = 0; i < row.count.size(); ++i)
      made.results.emplace_back(to_text(static_cast<actors::ingest_result>(i)), row.count[i]);
  }
  return out;
}

} // namespace tidemark::app
