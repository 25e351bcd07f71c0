// SPDX-License-Identifier: MIT
#include "store/parts.hpp"
#include "store/schema.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace tidemark::store;

namespace {

std::string plan(connection& db, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  REQUIRE(sqlite3_prepare_v2(db.handle(), (std::string("EXPLAIN QUERY PLAN ") + sql).c_str(), -1,
                             &raw, nullptr) == SQLITE_OK);
  std::string text;
  while (sqlite3_step(raw) == SQLITE_ROW)
    text += std::string(reinterpret_cast<const char*>(sqlite3_column_text(raw, 3))) + '\n';
  sqlite3_finalize(raw);
  return text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Once a start, or an operator's order.
bool may_scan(const std::string& sql) {
  for (const char* rare :
       {"FROM chains ORDER BY chain", "UPDATE lanes SET behind = NULL, state = CASE",
        "WHERE chain = ?2 AND due IS NOT NULL", "WHERE chain = ?2 AND due IS NULL",
        "SELECT DISTINCT handler FROM lanes", "UPDATE jobs SET state = 2",
        "UPDATE lanes SET due = ? WHERE handler", "SELECT p.id FROM parked p", "WHERE away IS NULL",
        "h.filling > 0", "UPDATE attempts SET outcome = 6",
        "UPDATE lanes SET state = 1, due = CASE", "INDEXED BY attempts_open SET outcome = 6",
        "FROM chains WHERE start_block IS NOT NULL", "SELECT max(change) FROM list_changes",
        "SELECT max(lists) FROM counting", "SELECT r.job FROM jobs j"})
    if (has(sql, rare)) return true;
  return false;
}

} // namespace

TEST_CASE("every statement that is kept uses an index", "[plan]") {
  connection db(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  migrate(db, migrations());
  const tables all(db);
  int seen = 0;
  for (sqlite3_stmt* s = sqlite3_next_stmt(db.handle(), nullptr); s;
       s = sqlite3_next_stmt(db.handle(), s)) {
    const std::string sql = sqlite3_sql(s);
    const std::string text = plan(db, sql.c_str());
    ++seen;
    if (may_scan(sql)) continue;
    INFO(sql << "\n" << text);
    CHECK((!has(text, "SCAN") || has(text, "SCAN 8 CONSTANT ROWS"))); // those of an insert_batch
    CHECK_FALSE(has(text, "AUTOMATIC"));
    // Sorting is only for the few rows of one event or one block, or an operator's order.
    if (!has(text, "FOR RIGHT PART OF ORDER BY") && !has(sql, "DISTINCT") &&
        !has(sql, "GROUP BY") && !has(sql, "ORDER BY f.seq DESC LIMIT 1"))
      CHECK_FALSE(has(text, "TEMP B-TREE"));
  }
  CHECK(seen > 60);
}

TEST_CASE("the indexes that are meant", "[plan]") {
  connection db(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  migrate(db, migrations());
  const tables all(db);
  struct row {
    const char* statement; ///< a part of its text
    const char* uses;
  };
  const row rows[] = {
      {"FROM lanes WHERE handler = ? AND due <= ?", "lanes_due (handler=? AND due<?)"},
      {"SELECT due FROM lanes", "lanes_due (handler=?"},
      {"FROM hints WHERE chain = ? AND due <= ?", "hints_due (chain=? AND due<?)"},
      {"e.block BETWEEN ? AND ? AND e.status < 2",
       "events_block (chain=? AND block>? AND block<?)"},
      {"WHERE e.status = 0 AND e.chain = ?", "events_pending (chain=? AND block>? AND block<?)"},
      {"INDEXED BY events_undone", "events_undone (tx=?)"},
      {"FROM waiting WHERE lane = ? AND late = 0", "PRIMARY KEY (lane=? AND late=?)"},
      {"FROM waiting WHERE event = ?", "waiting_event (event=?)"},
      {"SELECT webhook FROM webhook_keys", "PRIMARY KEY (key=?)"},
      {"SELECT event FROM event_keys", "PRIMARY KEY (key=? AND log_index=?)"},
      {"SELECT o.lane, o.subscription", "feed_event (event=? AND version<?)"},
      {"SELECT o.lane, o.subscription", "outbox_feed (feed=?)"},
      {"SELECT o.lane FROM feed", "outbox_feed (feed=?)"},
      {"WHERE behind = ?", "lanes_behind (behind=?)"},
      {"SET outcome = 6", "attempts_open"},
      {"FROM blocks WHERE chain = ? AND number = ?", "PRIMARY KEY (chain=? AND number=?)"},
  };
  for (const row& one : rows) {
    bool found = false;
    for (sqlite3_stmt* s = sqlite3_next_stmt(db.handle(), nullptr); s;
         s = sqlite3_next_stmt(db.handle(), s)) {
      const std::string sql = sqlite3_sql(s);
      if (!has(sql, one.statement)) continue;
      found = true;
      const std::string text = plan(db, sql.c_str());
      INFO(sql << "\n" << text);
      CHECK(has(text, one.uses));
    }
    INFO(one.statement);
    CHECK(found);
  }
}

// 100,000 keys, most of them blocked: due later, behind another, in flight. What is due is found
// without looking at them.
TEST_CASE("due heads cost what is taken, not what waits", "[plan]") {
  connection db(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  migrate(db, migrations());
  const tables all(db);
  const auto run = [&](const std::string& sql) {
    char* why = nullptr;
    const int rc = sqlite3_exec(db.handle(), sql.c_str(), nullptr, nullptr, &why);
    INFO(sql << ": " << (why ? why : ""));
    REQUIRE(rc == SQLITE_OK);
  };
  // Keys 1…n of two handlers; handler 1 has 10 that are due at 1000, in between the others.
  const auto keys = [&](int n) {
    run("DELETE FROM lanes");
    run("WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < " +
        std::to_string(n) +
        ") INSERT INTO lanes (handler, key, epoch, chain, state, head, next, held, tries, since, "
        "due)"
        " SELECT i % 2 + 1, 'k' || i, 1, 1, 1, 1, 5, 0, 3, 0,"
        " CASE WHEN i % 2 = 0 AND i <= 20 THEN 1000"
        " WHEN i % 3 = 0 THEN NULL ELSE 1000000 + i END FROM k");
  };
  sqlite3_stmt* due = nullptr;
  while ((due = sqlite3_next_stmt(db.handle(), due)) != nullptr)
    if (has(sqlite3_sql(due), "FROM lanes WHERE handler = ? AND due <= ?")) break;
  REQUIRE(due != nullptr);
  const auto steps_of = [&](int n) {
    keys(n);
    sqlite3_reset(due);
    sqlite3_bind_int(due, 1, 1);
    sqlite3_bind_int(due, 2, 2000);
    sqlite3_bind_int(due, 3, 64);
    sqlite3_stmt_status(due, SQLITE_STMTSTATUS_VM_STEP, 1);
    sqlite3_stmt_status(due, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    int rows = 0;
    while (sqlite3_step(due) == SQLITE_ROW)
      ++rows;
    CHECK(rows == 10);
    CHECK(sqlite3_stmt_status(due, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) == 0);
    CHECK(sqlite3_stmt_status(due, SQLITE_STMTSTATUS_SORT, 0) == 0);
    const int steps = sqlite3_stmt_status(due, SQLITE_STMTSTATUS_VM_STEP, 0);
    sqlite3_reset(due);
    return steps;
  };
  const int few = steps_of(100);
  CHECK(steps_of(100'000) == few);
}
