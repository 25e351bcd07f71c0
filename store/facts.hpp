// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"
#include "tide/fact.hpp"

namespace tidemark::store {

/// Columns of `feed f JOIN inclusions i ON i.id = f.inclusion JOIN events e ON e.id = f.event`, for
/// `read_fact`.
#define TIDEMARK_FACT_COLUMNS                                                                      \
  "f.seq, (SELECT chain_id FROM chains WHERE chain = e.chain), e.tx, e.log_index, f.version,"      \
  " f.status, f.why, f.n, i.block, i.block_hash, i.time, f.head, f.at,"                            \
  " (SELECT name FROM names WHERE id = e.first_seen),"                                             \
  " (SELECT log_index FROM events WHERE id = i.replaces)"
inline constexpr int fact_columns = 15;
/// The fact's `data`, packed.
#define TIDEMARK_FACT_DATA                                                                         \
  "coalesce((SELECT data FROM amended WHERE inclusion = i.id AND version <= f.version), i.data)"
#define TIDEMARK_FACT_TABLES                                                                       \
  "feed f CROSS JOIN inclusions i ON i.id = f.inclusion CROSS JOIN events e ON e.id = f.event"

/// From column `at`, without `data` and `undoes`.
inline tide::fact read_fact(const rows& r, int at = 0) {
  tide::fact f;
  f.seq = r.u64(at);
  f.chain_id = r.u64(at + 1);
  f.tx = r.hash(at + 2);
  f.log_index = r.i32(at + 3);
  f.version = r.u32(at + 4);
  f.status = r.code<tide::status>(at + 5);
  f.why = r.code<tide::why>(at + 6);
  f.n = r.u32(at + 7);
  f.block = {r.u64(at + 8), r.hash(at + 9)};
  f.time = r.u64(at + 10);
  f.head = r.u64(at + 11);
  f.at = r.i64(at + 12);
  f.first_seen = r.text(at + 13);
  if (!r.null(at + 14)) f.replaces = tide::event_id(f.chain_id, f.tx, r.i32(at + 14));
  return f;
}

/// What a replay that sends it as a new one puts behind a message's id; `job` 0: none does.
inline std::string renaming(std::int64_t job) {
  return job == 0 ? std::string() : "_x" + std::to_string(job);
}
inline std::string sent_id(const tide::fact& f, std::int64_t job) {
  return tide::message_id(f) + renaming(job);
}

/// A fact's message id, from another fact of the same event: columns status, n, block_hash.
inline std::string id_beside(const tide::fact& f, const rows& r, int at = 0) {
  tide::fact other;
  other.chain_id = f.chain_id;
  other.tx = f.tx;
  other.log_index = f.log_index;
  other.status = r.code<tide::status>(at);
  other.n = r.u32(at + 1);
  other.block.hash = r.hash(at + 2);
  return tide::message_id(other);
}

} // namespace tidemark::store
