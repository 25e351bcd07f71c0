// SPDX-License-Identifier: MIT
#include "store/jobs.hpp"

namespace tidemark::store {

using tide::job_state;

// The statements below say these as numbers.
static_assert(static_cast<int>(job_state::running) == 0 &&
              static_cast<int>(job_state::failed) == 2);

job_table::job_table(ledger& l)
    : orphan_(l.db, "UPDATE jobs SET state = 2, reason = 'the process ended'"
                    " WHERE state = 0 AND kind NOT IN ('replay', 'redecode')"),
      insert_(l.db, "INSERT INTO jobs (kind, state, missing, extra, equal, at, reason)"
                    " VALUES (?, 0, 0, 0, 0, ?, '') RETURNING id"),
      running_(l.db, "SELECT 1 FROM jobs WHERE id = ? AND state = 0"),
      note_(l.db, "UPDATE jobs SET missing = ?, extra = ?, equal = ? WHERE id = ?"),
      end_(l.db, "UPDATE jobs SET state = ?, reason = ?, at = ? WHERE id = ? AND state = 0") {}

void job_table::start() { orphan_.run(); }

std::int64_t job_table::begin(std::string_view kind, std::int64_t now) {
  rows r = insert_.query(kind, now);
  if (!r.next()) throw sql_error(SQLITE_CORRUPT, "a job has no id");
  return r.i64(0);
}

bool job_table::running(std::int64_t id) { return running_.query(id).next(); }

void job_table::note(std::int64_t id, const job_counts& c) {
  note_.run(c.missing, c.extra, c.equal, id);
}

void job_table::end(std::int64_t id, job_state how, std::string_view reason, std::int64_t now) {
  end_.run(static_cast<std::int64_t>(how), reason, now, id);
}

bool job_table::cancel(std::int64_t id, std::int64_t now) {
  if (!running(id)) return false;
  end(id, job_state::cancelled, "", now);
  return true;
}

} // namespace tidemark::store
