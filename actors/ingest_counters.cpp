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

ingest_counters::ingest_counters(const config::config& c) { renew(c); }

void ingest_counters::renew(const config::config& c) {
  const std::unique_lock lock(mutex_);
  cells_.clear();
  for (const auto& s : c.sources) {
    auto& kept = by_name_[s.name];
    if (!kept) kept = std::make_unique<cell>();
    kept->source = s.name;
    cells_.push_back(kept.get());
  }
}

void ingest_counters::remember(std::string_view source, std::int64_t accepted_at) {
  const std::shared_lock lock(mutex_);
  const auto at = by_name_.find(source);
  if (at != by_name_.end()) at->second->accepted_at.store(accepted_at, std::memory_order_relaxed);
}

void ingest_counters::add(std::string_view source, ingest_result r, std::int64_t now) {
  const std::shared_lock lock(mutex_);
  const auto at = by_name_.find(source);
  if (at == by_name_.end()) return;
  auto& to = *at->second;
  to.count[static_cast<std::size_t>(r)].fetch_add(1, std::memory_order_relaxed);
  to.last_at.store(now, std::memory_order_relaxed);
  if (r == ingest_result::accepted || r == ingest_result::duplicate)
    to.accepted_at.store(now, std::memory_order_relaxed);
  to.last_result.store(r, std::memory_order_relaxed);
}

std::vector<ingest_counters::row> ingest_counters::snapshot() const {
  const std::shared_lock lock(mutex_);
  std::vector<row> out;
  out.reserve(cells_.size());
  for (const auto& from : cells_) {
    auto& made = out.emplace_back();
    made.source = from->source;
    for (std::size_t i = 0; i < ingest_results; ++i)
      made.count[i] = from->count[i].load(std::memory_order_relaxed);
    made.last_at = from->last_at.load(std::memory_order_relaxed);
    made.accepted_at = from->accepted_at.load(std::memory_order_relaxed);
    made.last_result = from->last_result.load(std::memory_order_relaxed);
  }
  return out;
}

} // namespace tidemark::actors
