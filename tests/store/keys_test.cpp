// SPDX-License-Identifier: MIT
#include "store/keys.hpp"
#include "store/schema.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace tidemark::store;

namespace {

struct plain {
  std::multimap<std::pair<std::uint64_t, std::int32_t>, std::int64_t> all;
  std::vector<std::int64_t> find(std::uint64_t key, std::int32_t extra) const {
    std::vector<std::int64_t> rows;
    const auto [from, to] = all.equal_range({key, extra});
    for (auto at = from; at != to; ++at)
      rows.push_back(at->second);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
};

std::vector<std::int64_t> sorted(std::vector<std::int64_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

/// Few different keys, so that several rows share one, and of all sizes.
std::uint64_t random_key(std::mt19937_64& random) {
  const std::uint64_t small = random() % 300;
  return random() % 2 ? small : small << 55;
}

} // namespace

TEST_CASE("keys are found as in a plain map, through runs, undone groups and restarts", "[keys]") {
  const auto use = GENERATE(as<const key_table*>{}, &webhook_key_table, &event_key_table);
  const bool events = use == &event_key_table;
  std::mt19937_64 random(GENERATE(1, 2, 3));
  connection db(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  migrate(db, migrations());
  // The rows that keys come from again at a start.
  statement webhook(db, "INSERT INTO webhooks VALUES (?, 1, 0, ?, '', x'')");
  statement event(db, "INSERT INTO events VALUES (?, 1, ?, 0, ?, 0, 0, 0, 0, 1, 0, 0, 1, x'')");
  const auto insert_row = [&](std::int64_t id, std::uint64_t key, std::int32_t extra) {
    if (!events) return webhook.run(id, key);
    tidemark::evm::hash32 tx;
    for (std::size_t i = 0; i < 8; ++i)
      tx.octets[i] = static_cast<std::uint8_t>(key >> (56 - 8 * i));
    event.run(id, tx, extra);
  };

  plain want;
  std::int64_t last = 0;
  auto keys = std::make_unique<key_runs>(db, *use, 100);
  for (int group = 0; group < 120; ++group) {
    const plain before = want;
    const std::int64_t last_before = last;
    const std::size_t mark = keys->mark();
    db.exec("BEGIN");
    for (std::uint64_t n = random() % 40; n > 0; --n) {
      const std::uint64_t key = random_key(random);
      const auto extra = events ? static_cast<std::int32_t>(random() % 3) - 1 : 0;
      insert_row(++last, key, extra);
      keys->add(key, extra, last);
      want.all.emplace(std::pair(key, extra), last);
    }
    keys->write_some();
    if (random() % 4 == 0) {
      db.exec("ROLLBACK");
      keys->rewind(mark);
      keys->settle(false);
      want = before;
      last = last_before;
    } else {
      db.exec("COMMIT");
      keys->settle(true);
    }
    if (random() % 10 == 0) keys = std::make_unique<key_runs>(db, *use, 100);
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t key = random_key(random);
      const auto extra = events ? static_cast<std::int32_t>(random() % 3) - 1 : 0;
      REQUIRE(sorted(keys->find(key, extra)) == want.find(key, extra));
    }
  }
  // Most have reached their b-tree, and none was lost on the way.
  const std::string table = use->name;
  CHECK(db.number(("SELECT count(*) FROM " + table).c_str()) > last / 2);
  for (const auto& [at, row] : want.all)
    REQUIRE(sorted(keys->find(at.first, at.second)) == want.find(at.first, at.second));
}

TEST_CASE("the newest keys can be taken back", "[keys]") {
  key_tail tail;
  std::vector<std::int64_t> rows;
  tail.find(1, 0, rows);
  CHECK(rows.empty());
  for (std::int64_t i = 0; i < 5'000; ++i)
    tail.add({static_cast<std::uint64_t>(i % 50), i, 0});
  tail.shrink_to(100);
  for (std::uint64_t key = 0; key < 50; ++key) {
    rows.clear();
    tail.find(key, 0, rows);
    REQUIRE(sorted(rows) == std::vector<std::int64_t>{static_cast<std::int64_t>(key),
                                                      static_cast<std::int64_t>(key) + 50});
  }
  tail.shrink_to(0);
  rows.clear();
  tail.find(7, 0, rows);
  CHECK(rows.empty());
}
