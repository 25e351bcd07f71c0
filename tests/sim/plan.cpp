// SPDX-License-Identifier: MIT
#include "plan.hpp"

#include "stream.hpp"

#include <algorithm>

namespace tidemark::sim {

plan plan_of(std::uint64_t seed) {
  stream draw(seed, "plan");
  plan p;
  p.seed = seed;
  p.on = feature_set::all();
  p.confirmations = draw.below(5);
  p.max_depth = 6 + draw.below(7);
  p.follow = !draw.chance(14);
  p.tags = draw.chance(17);
  p.strict = draw.chance(40);
  p.transactions = stream(seed, "transactions").chance(40);
  stream later(seed, "latecomer");
  p.latecomer = later.chance(35);
  p.latecomer_at = 8 + later.below(70);
  if (later.chance(70)) p.latecomer_from = later.below(p.latecomer_at + 12);
  if (!draw.chance(10)) p.on.remove(feature::void_height);
  if (!draw.chance(10)) p.on.remove(feature::index_by_transaction);
  static constexpr std::int64_t gaps[] = {20'000, 60'000, 200'000},
                                lengths[] = {3'000, 8'000, 25'000};
  p.gap = gaps[draw.below(3)];
  p.length = std::min(lengths[draw.below(3)], p.gap / 2);
  const auto count = 1 + draw.below(4);
  if (draw.chance(40)) p.integrity = p.backfill = tide::proof::receipts;
  p.none_honest = draw.chance(4);
  if (p.none_honest) p.integrity = p.backfill = tide::proof::receipts;
  if (count >= 3 && draw.chance(35)) p.quorum = 2;
  const auto honest = draw.below(count);
  for (std::size_t i = 0; i < count; ++i) {
    // As many honest ones as a quorum needs.
    const bool is_honest = (i + count - honest) % count < p.quorum;
    const bool untroubled = draw.chance(is_honest ? 50 : 10);
    feature_set can;
    for (std::size_t n = 0; n < features; ++n) {
      const auto f = static_cast<feature>(n);
      const bool drawn = draw.chance(60);
      if (of_endpoints(f) && drawn && !untroubled && !(is_honest && is_lie(f))) can.add(f);
    }
    p.endpoints.push_back({i, is_honest && !p.none_honest, can});
  }
  // Taken at its word: only where nobody lies does that keep the promises.
  const bool all_honest = std::all_of(p.endpoints.begin(), p.endpoints.end(),
                                      [](const endpoint_plan& e) { return e.honest; });
  if (draw.chance(50) && all_honest) p.integrity = p.backfill = tide::proof::none;
  return p;
}

bool is_fair(const plan& p) {
  const auto honest = std::count_if(p.endpoints.begin(), p.endpoints.end(),
                                    [](const endpoint_plan& e) { return e.honest; });
  return p.none_honest ? !p.endpoints.empty() : static_cast<std::size_t>(honest) >= p.quorum;
}

namespace {

std::string integrity_of(const plan& p) {
  switch (p.integrity) {
  case tide::proof::none:
    return ", integrity none";
  case tide::proof::bloom:
    return ", bloom";
  case tide::proof::receipts:
    return ", receipts";
  }
  return {};
}

} // namespace

std::string describe(const plan& p) {
  std::string out =
      "seed " + std::to_string(p.seed) + ": " + std::to_string(p.blocks) + " blocks, " +
      std::to_string(p.endpoints.size()) + " endpoints" +
      (p.none_honest ? " (none of them honest)" : "") + ", quorum " + std::to_string(p.quorum) +
      integrity_of(p) + ", confirmations " +
      (p.tags ? std::string("finalized") : std::to_string(p.confirmations)) + ", max_depth " +
      std::to_string(p.max_depth) + (p.follow ? "" : ", follow: false") +
      (p.strict ? ", strict events" : "") + (p.transactions ? ", transactions" : "") +
      (p.latecomer
           ? ", a subscription comes after " + std::to_string(p.latecomer_at) +
                 " blocks and counts from " +
                 (p.latecomer_from ? std::to_string(*p.latecomer_from) : std::string("there"))
           : "");
  for (std::size_t i = 0; i < p.endpoints.size(); ++i) {
    std::string can;
    for (std::size_t n = 0; n < features; ++n) {
      const auto f = static_cast<feature>(n);
      if (p.endpoints[i].can.has(f) && p.on.has(f)) can += " " + std::string(name_of(f));
    }
    const auto& e = p.endpoints[i];
    out += "\n  node" + std::to_string(e.index) + (e.honest ? ", honest:" : ":") +
           (can.empty() ? " no troubles" : can);
  }
  std::string rest;
  for (std::size_t n = 0; n < features; ++n) {
    const auto f = static_cast<feature>(n);
    if (!of_endpoints(f) && p.on.has(f)) rest += " " + std::string(name_of(f));
  }
  return out + "\n  and:" + (rest.empty() ? " nothing" : rest);
}

} // namespace tidemark::sim
