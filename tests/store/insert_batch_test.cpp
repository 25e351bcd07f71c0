// SPDX-License-Identifier: MIT
#include "store/insert_batch.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace tidemark;
using namespace tidemark::store;

namespace {

struct table {
  connection db{":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
  table() { db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER, c BLOB) STRICT"); }
  std::int64_t count() { return db.number("SELECT count(*) FROM t"); }
};
using batch = insert_batch<std::int64_t, std::optional<std::uint32_t>, owned_blob>;
constexpr const char* into = "INSERT INTO t (a, b, c)";

} // namespace

TEST_CASE("rows of a batch are there when it is written, however many they are", "[insert_batch]") {
  for (const int count : {0, 1, 7, 8, 9, 16, 100}) {
    INFO(count);
    table t;
    batch rows_of(t.db, into);
    std::vector<std::string> statements;
    t.db.hook = [&](const char* sql) { statements.emplace_back(sql); };
    for (int i = 1; i <= count; ++i)
      rows_of.add(i, i % 3 == 0 ? std::nullopt : std::optional<std::uint32_t>(i * 2),
                  owned_blob{std::string(static_cast<std::size_t>(i), static_cast<char>(i))});
    CHECK(t.count() == 0);
    statements.clear();
    rows_of.write();
    CHECK(static_cast<int>(statements.size()) == count / 8 + count % 8);
    t.db.hook = nullptr;
    CHECK(t.count() == count);
    statement all(t.db, "SELECT a, b, c FROM t ORDER BY a");
    int at = 0;
    for (rows r = all.query(); r.next();) {
      ++at;
      CHECK(r.i64(0) == at);
      CHECK(r.null(1) == (at % 3 == 0));
      if (at % 3 != 0) CHECK(r.i64(1) == at * 2);
      CHECK(r.is_blob(2));
      CHECK(r.text(2) == std::string(static_cast<std::size_t>(at), static_cast<char>(at)));
    }
    rows_of.write();
    CHECK(t.count() == count);
  }
}

TEST_CASE("what a batch forgets is not written", "[insert_batch]") {
  table t;
  batch rows_of(t.db, into);
  rows_of.add(1, std::nullopt, owned_blob{"a"});
  rows_of.forget();
  rows_of.add(2, std::nullopt, owned_blob{""});
  rows_of.write();
  CHECK(t.db.number("SELECT a FROM t") == 2);
  CHECK(t.db.number("SELECT c IS NULL FROM t") == 0);
  CHECK(t.count() == 1);
}

TEST_CASE("a batch that cannot be written says why", "[insert_batch]") {
  table t;
  batch rows_of(t.db, into);
  for (int i = 0; i < 8; ++i)
    rows_of.add(i % 7, std::nullopt, owned_blob{"a"});
  CHECK_THROWS_AS(rows_of.write(), sql_error);
  CHECK(t.count() == 0); // the statement is undone as one
}
