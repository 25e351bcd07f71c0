// SPDX-License-Identifier: MIT
#include "store/webhooks.hpp"

#include "evm/keccak.hpp"

#include <algorithm>

namespace tidemark::store {
namespace {

std::uint64_t digest_of(std::int64_t source, std::string_view body) {
  return tx_key(evm::keccak256(body)) + static_cast<std::uint64_t>(source) * 0x9e3779b97f4a7c15ULL;
}

} // namespace

webhook_log::webhook_log(ledger& l, key_runs& keys)
    : ledger_(l), keys_(keys), stored_(l.db, "SELECT source, body FROM webhooks WHERE id = ?"),
      insert_(
          l.db,
          "INSERT INTO webhooks (id, source, at, digest, headers, body) VALUES (?, ?, ?, ?, ?, ?)"),
      seen_again_(
          l.db, "INSERT INTO intake (webhook, state, hints, seen, last_at) VALUES (?1, 0, 0, 2, ?2)"
                " ON CONFLICT (webhook) DO UPDATE SET seen = seen + 1, last_at = ?2"),
      count_(l.db, "INSERT INTO sources (source, last_at, received, duplicate, not_found)"
                   " VALUES (?1, ?2, ?3, ?4, 0) ON CONFLICT (source) DO UPDATE SET last_at = "
                   "max(last_at, ?2),"
                   " received = received + ?3, duplicate = duplicate + ?4") {}

std::optional<std::int64_t> webhook_log::same(std::int64_t source, std::uint64_t key,
                                              std::string_view body) {
  for (const std::int64_t id : keys_.find(key, 0)) {
    rows r = stored_.query(id);
    if (r.next() && r.i64(0) == source && r.text(1) == body) return id;
  }
  return std::nullopt;
}

webhook_receipt webhook_log::append(const webhook_in& w) {
  const std::int64_t source = ledger_.names.id(tide::name_kind::source, w.source);
  const std::uint64_t key = digest_of(source, w.body);
  tally& t = group_[source];
  t.last_at = std::max(t.last_at, w.at);
  if (const auto first = same(source, key, w.body)) {
    ++t.duplicate;
    seen_again_.run(*first, w.at);
    return {*first, true};
  }
  ++t.received;
  const std::int64_t id = ++ledger_.last.webhook;
  insert_.run(id, source, w.at, key, w.headers, blob{w.body});
  keys_.add(key, 0, id);
  ledger_.bells.webhooks();
  return {id, false};
}

void webhook_log::count() {
  for (const auto& [source, t] : group_)
    count_.run(source, t.last_at, t.received, t.duplicate);
}

void webhook_log::forget() { group_.clear(); }

} // namespace tidemark::store
