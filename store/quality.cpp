// SPDX-License-Identifier: MIT
#include "store/quality.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::store {
namespace {

constexpr double first_step_ms = 100;
constexpr std::uint32_t last_step = 96; // 19 days

} // namespace

std::uint32_t delay_step(std::int64_t ms) {
  if (static_cast<double>(ms) <= first_step_ms) return 0;
  const auto step = std::ceil(4 * std::log2(static_cast<double>(ms) / first_step_ms));
  return static_cast<std::uint32_t>(std::min<double>(step, last_step));
}

std::optional<std::int64_t> delay_quantile(std::span<const delay_count> ascending,
                                           unsigned percent) {
  std::uint64_t all = 0, seen = 0;
  for (const auto& d : ascending)
    all += d.count;
  for (const auto& d : ascending) {
    seen += d.count;
    if (seen * 100 >= all * percent)
      return std::llround(first_step_ms * std::exp2(static_cast<double>(d.step) / 4));
  }
  return std::nullopt;
}

source_quality::source_quality(ledger& l)
    : ledger_(l),
      put_source_(l.db, "INSERT OR IGNORE INTO sources (source, last_at, received, duplicate,"
                        " not_found) VALUES (?, 0, 0, 0, 0)"),
      put_chain_(l.db,
                 "INSERT OR IGNORE INTO source_chains (source, chain, since) VALUES (?, ?, ?)"),
      webhook_(l.db, "SELECT source, at FROM webhooks WHERE id = ?"),
      named_before_(l.db, "SELECT 1 FROM hints h CROSS JOIN webhooks w ON w.id = h.webhook"
                          " WHERE h.event = ? AND w.source = ? AND (h.webhook <> ? OR h.n <> ?)"
                          " LIMIT 1"),
      event_(l.db, "SELECT e.chain, i.block, i.time, n.name FROM events e"
                   " CROSS JOIN inclusions i ON i.id = e.inclusion"
                   " CROSS JOIN names n ON n.id = e.first_seen WHERE e.id = ?"),
      highest_(l.db, "SELECT highest FROM source_chains WHERE chain = ? AND source = ?"),
      count_(l.db, "UPDATE sources SET late = late + ?, out_of_order = out_of_order + ?"
                   " WHERE source = ?"),
      put_highest_(l.db, "UPDATE source_chains SET highest = max(highest, ?)"
                         " WHERE chain = ? AND source = ?"),
      put_delay_(l.db, "INSERT INTO source_delays (source, step, count) VALUES (?, ?, 1)"
                       " ON CONFLICT (source, step) DO UPDATE SET count = count + 1"),
      speakers_of_(l.db, "SELECT source, since FROM source_chains WHERE chain = ?"),
      missed_(l.db, "UPDATE sources SET missed = missed + 1 WHERE source = ?") {}

void source_quality::put_sources(std::span<const source_in> sources, std::int64_t now) {
  for (const source_in& s : sources) {
    const auto id = ledger_.names.id(tide::name_kind::source, s.name);
    put_source_.run(id);
    for (const auto chain_id : s.chain_ids) {
      const auto* known = ledger_.chains.by_id(chain_id);
      put_chain(id, known ? known->chain : ledger_.chains.make(chain_id).chain, now);
    }
  }
}

void source_quality::put_chain(std::int64_t source, std::int64_t chain, std::int64_t since) {
  put_chain_.run(source, chain, since);
  speakers_.erase(chain);
}

void source_quality::named(std::int64_t event, std::int64_t webhook, std::uint32_t n) {
  std::int64_t source = 0, at = 0, chain = 0;
  std::uint64_t block = 0, highest = 0;
  bool late = false;
  std::int64_t time = 0;
  {
    rows w = webhook_.query(webhook);
    if (!w.next()) return;
    source = w.i64(0);
    at = w.i64(1);
  }
  if (rows r = named_before_.query(event, source, webhook, n); r.next()) return;
  {
    rows e = event_.query(event);
    if (!e.next()) return;
    chain = e.i64(0);
    block = e.u64(1);
    time = e.i64(2) * 1'000;
    late = !e.text(3).starts_with("webhook:");
  }
  put_source_.run(source);
  put_chain(source, chain, at);
  if (rows r = highest_.query(chain, source); r.next()) highest = r.u64(0);
  count_.run(late, block < highest, source);
  put_highest_.run(block, chain, source);
  put_delay_.run(source, delay_step(at - time));
}

const std::vector<source_quality::speaker>& source_quality::speakers(std::int64_t chain) {
  const auto [at, fresh] = speakers_.try_emplace(chain);
  if (fresh)
    for (rows r = speakers_of_.query(chain); r.next();)
      at->second.push_back({r.i64(0), r.i64(1), "webhook:" + ledger_.names.text(r.i64(0))});
  return at->second;
}

void source_quality::confirmed_new(std::int64_t chain, std::uint64_t time,
                                   std::string_view origin) {
  for (const speaker& s : speakers(chain))
    if (s.was_to_name(time, origin)) missed_.run(s.source);
}

void source_quality::confirmed(const stored_event& e) {
  const auto& all = speakers(e.chain);
  if (all.empty()) return;
  std::uint64_t time = 0;
  std::string origin;
  if (rows r = event_.query(e.id); r.next()) {
    time = r.u64(2);
    origin = r.text(3);
  }
  for (const speaker& s : all)
    if (s.was_to_name(time, origin) && !named_before_.query(e.id, s.source, -1, -1).next())
      missed_.run(s.source);
}

// A block's time is in whole seconds: the second in which the source began is its own.
bool source_quality::speaker::was_to_name(std::uint64_t time, std::string_view first_seen) const {
  return since / 1'000 <= static_cast<std::int64_t>(time) && origin != first_seen;
}

} // namespace tidemark::store
