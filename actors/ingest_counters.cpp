// SPDX-License-Identifier: MIT
#include "actors/ingest_rules.hpp"

namespace tidemark::actors {

std::string_view to_text(ingest_result r) {
  switch (r) {
  case ingest_result::accepted:
    return "accepted";
  case ingest_result::duplicate:
    return "duplicate";
  case ingest_result::unauthorized:
    return "unauthorized";
  case ingest_result::too_large:
    return "too_large";
  case ingest_result::malformed:
    return "malformed";
  case ingest_result::unsupported:
    return "unsupported";
  case ingest_result::unavailable:
    return "unavailable";
  }
  return "";
}

ingest_counters::ingest_counters(const config::config& c) {
  for (const auto& s : c.sources) {
    auto& made = cells_.emplace_back(std::make_unique<cell>());
    made->source = s.name;
    by_name_.emplace(s.name, made.get());
  }
}

void ingest_counters::add(std::string_view source, ingest_result r, std::int64_t now) {
  const auto at = by_name_.find(source);
  if (at == by_name_.end()) return;
  auto& to = *at->second;
  to.count[static_cast<std::size_t>(r)].fetch_add(1, std::memory_order_relaxed);
  to.last_at.store(now, std::memory_order_relaxed);
  to.last_result.store(r, std::memory_order_relaxed);
}

std::vector<ingest_counters::row> ingest_counters::snapshot() const {
  std::vector<row> out;
  out.reserve(cells_.size());
  for (const auto& from : cells_) {
    auto& made = out.emplace_back();
    made.source = from->source;
    for (std::size_t i = 0; i < ingest_results; ++i)
      made.count[i] = from->count[i].load(std::memory_order_relaxed);
    made.last_at = from->last_at.load(std::memory_order_relaxed);
    made.last_result = from->last_result.load(std::memory_order_relaxed);
  }
  return out;
}

} // namespace tidemark::actors
