// SPDX-License-Identifier: MIT
#include "store/schema.hpp"
#include "store/upkeep.hpp"
#include "store/upkeep_parts.hpp"

#include <array>
#include <atomic>
#include <filesystem>

namespace tidemark::store {
namespace {

constexpr std::size_t most_said = 100;
constexpr int steps_between_looks = 10'000; // of SQLite's machine: well below a millisecond each

std::atomic<bool> ended{false};

/// Rows that must not be there, and what each means; the first column says which.
struct invariant {
  const char* says;
  const char* sql;
};

constexpr std::array<invariant, 9> invariants{{
    {"a fact speaks of an event that is not there: seq ",
     "SELECT seq FROM feed f WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = f.event) LIMIT ?"},
    {"a fact speaks of an inclusion that is not there: seq ",
     "SELECT seq FROM feed f WHERE NOT EXISTS"
     " (SELECT 1 FROM inclusions WHERE id = f.inclusion) LIMIT ?"},
    {"the feed's numbers have a hole below seq ",
     "SELECT seq FROM (SELECT seq, lag(seq) OVER (ORDER BY seq) AS before FROM feed)"
     " WHERE before IS NOT NULL AND seq <> before + 1 LIMIT ?"},
    {"an event's last fact is not its row's: event ",
     "SELECT e.id FROM events e WHERE NOT EXISTS (SELECT 1 FROM feed f WHERE f.event = e.id"
     " AND f.version = e.version AND f.status = e.status AND f.inclusion = e.inclusion) LIMIT ?"},
    {"an event stands in a block that is not the canonical one there: event ",
     "SELECT e.id FROM events e JOIN inclusions i ON i.id = e.inclusion"
     " JOIN blocks b ON b.chain = e.chain AND b.number = e.block AND b.canonical = 1"
     " WHERE e.status < 2 AND b.hash <> i.block_hash LIMIT ?"},
    {"two blocks are canonical at one height: block ",
     "SELECT number FROM blocks WHERE canonical = 1 GROUP BY chain, number HAVING count(*) > 1"
     " LIMIT ?"},
    {"a message speaks of a fact that is not there: key ",
     "SELECT lane FROM outbox o WHERE feed IS NOT NULL AND NOT EXISTS"
     " (SELECT 1 FROM feed WHERE seq = o.feed) LIMIT ?"},
    {"a message belongs to a key that is not there: key ",
     "SELECT lane FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM lanes WHERE id = o.lane) LIMIT ?"},
    {"a key's sequence has a hole: key ",
     "SELECT l.id FROM lanes l JOIN (SELECT lane, min(seq) AS low, max(seq) AS high, count(*) AS n"
     " FROM outbox GROUP BY lane) o ON o.lane = l.id"
     " WHERE l.job = 0 AND (o.high + 1 <> l.next OR o.n <> o.high - o.low + 1) LIMIT ?"},
}};

void check_pages(connection& db, std::vector<std::string>& wrong) {
  statement check(db, "PRAGMA integrity_check(100)");
  for (rows r = check.query(); r.next() && wrong.size() < most_said;)
    if (r.text(0) != "ok") wrong.emplace_back(r.text(0));
}

void check_tables(connection& db, std::vector<std::string>& wrong) {
  for (const invariant& one : invariants) {
    statement find(db, one.sql);
    for (rows r = find.query(std::int64_t{5}); r.next() && wrong.size() < most_said;)
      wrong.push_back(one.says + std::to_string(r.i64(0)));
  }
}

sizes sizes_of(const std::string& path) {
  const auto size = [](const std::string& file) -> std::uint64_t {
    std::error_code ec;
    const auto n = std::filesystem::file_size(file, ec);
    return ec ? 0 : n;
  };
  return {size(path), size(path + "-wal")};
}

/// Runs `f` on a connection of its own that only reads.
template <class F> auto looking(const std::string& path, F f)
    -> result<decltype(f(std::declval<connection&>()))> {
  try {
    connection db(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    sqlite3_busy_timeout(db.handle(), busy_wait_ms);
    watch(db);
    if (file_marks(db, migrations()) == file_state::newer)
      return store_failure{false, path + " was written by a newer tidemark"};
    if (file_marks(db, migrations()) != file_state::ours || db.number("PRAGMA user_version") == 0)
      return store_failure{true, path + " is no store of tidemark's"};
    return f(db);
  } catch (const sql_error& e) {
    return store_failure{e.fatal(), path + ": " + e.what()};
  } catch (const std::bad_alloc&) {
    return store_failure{false, "out of memory"};
  }
}

} // namespace

void end_upkeep() { ended = true; }

void watch(connection& db) {
  sqlite3_progress_handler(
      db.handle(), steps_between_looks, [](void*) { return ended ? 1 : 0; }, nullptr);
}

bool is_newer(const std::string& path) {
  try {
    connection db(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    sqlite3_busy_timeout(db.handle(), busy_wait_ms);
    return file_marks(db, migrations()) == file_state::newer;
  } catch (const sql_error&) {
    return false;
  }
}

result<std::vector<std::string>> check_file(const std::string& path) {
  return looking(path, [](connection& db) {
    std::vector<std::string> wrong;
    check_pages(db, wrong);
    if (!wrong.empty()) return wrong; // what the tables say then proves nothing
    db.exec("BEGIN");                 // one moment for all of them
    check_tables(db, wrong);
    db.exec("COMMIT");
    return wrong;
  });
}

result<file_stats> stats_of(const std::string& path) {
  return looking(path, [&path](connection& db) {
    file_stats out;
    out.file = sizes_of(path);
    out.page_bytes = static_cast<std::uint64_t>(db.number("PRAGMA page_size"));
    out.pages = static_cast<std::uint64_t>(db.number("PRAGMA page_count"));
    out.free_pages = static_cast<std::uint64_t>(db.number("PRAGMA freelist_count"));
    const auto epoch = db.number("SELECT at FROM cursors WHERE name = 'epoch'");
    out.epoch = epoch == 0 ? 1 : static_cast<std::uint32_t>(epoch);
    const auto backup = db.number("SELECT at FROM cursors WHERE name = 'last_backup'");
    if (backup != 0) out.last_backup = backup;
    std::vector<std::string> names;
    {
      statement all(db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
      for (rows r = all.query(); r.next();)
        names.emplace_back(r.text(0));
    }
    for (const std::string& name : names) {
      const auto sql = "SELECT count(*) FROM \"" + name + '"';
      out.tables.push_back({name, static_cast<std::uint64_t>(db.number(sql.c_str()))});
    }
    return out;
  });
}

} // namespace tidemark::store
