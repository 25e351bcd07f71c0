// SPDX-License-Identifier: MIT
#include "store/schema.hpp"
#include "store/upkeep.hpp"
#include "tests/store/world.hpp"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace tidemark;
using namespace tidemark::test;

namespace {

std::variant<std::unique_ptr<store::store>, store::open_error> try_open(const std::string& path) {
  store::options o;
  o.path = path;
  return store::store::open(std::move(o));
}

store::open_fault fault(const std::string& path) {
  auto opened = try_open(path);
  if (const auto* e = std::get_if<store::open_error>(&opened)) {
    CHECK(e->text.find(std::filesystem::path(path).filename().string()) != std::string::npos);
    return e->kind;
  }
  FAIL("it opened");
  return {};
}

void sql(const std::string& path, const char* text) {
  store::connection db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  db.exec(text);
}

} // namespace

TEST_CASE("what cannot be opened says why", "[open]") {
  scratch dir;
  SECTION("a folder that is not there") {
    CHECK(fault(dir.file("none/t.db")) == store::open_fault::cannot_write);
  }
  SECTION("a path that is a folder") {
    std::filesystem::create_directory(dir.file("d"));
    CHECK(fault(dir.file("d")) == store::open_fault::cannot_write);
  }
  SECTION("a newer store") {
    open_store(dir.file());
    sql(dir.file(), "PRAGMA user_version = 99");
    CHECK(fault(dir.file()) == store::open_fault::newer);
  }
  SECTION("another program's database") {
    sql(dir.file(), "CREATE TABLE t (x)");
    CHECK(fault(dir.file()) == store::open_fault::damaged);
  }
  SECTION("no database") {
    std::ofstream(dir.file()) << std::string(10'000, 'x');
    CHECK(fault(dir.file()) == store::open_fault::damaged);
  }
  SECTION("a page that is not what it was") {
    open_store(dir.file());
    std::fstream f(dir.file(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(4'096);
    f << std::string(40 * 4'096, 'x');
    f.close();
    CHECK(fault(dir.file()) == store::open_fault::damaged);
  }
}

TEST_CASE("a store has one process", "[open]") {
  scratch dir;
  auto first = open_store(dir.file());
  const pid_t other = fork();
  if (other == 0) {
    auto opened = try_open(dir.file());
    const auto* e = std::get_if<store::open_error>(&opened);
    _exit(e && e->kind == store::open_fault::held_by_another ? 7 : 1);
  }
  int status = 0;
  waitpid(other, &status, 0);
  CHECK(WEXITSTATUS(status) == 7);
  first.reset();
  open_store(dir.file());
}

TEST_CASE("a store has one process, whatever it is called", "[open]") {
  scratch dir;
  namespace fs = std::filesystem;
  fs::create_directory(dir.file("two"));
  fs::create_directory_symlink(dir.file("two"), dir.file("folder"));
  SECTION("links that are there first") {
    fs::create_symlink("two/t.db", dir.file("first.db"));
    const auto first = open_store(dir.file("first.db"));
    CHECK(fs::exists(dir.file("two/t.db")));
    CHECK(fault(dir.file("first.db")) == store::open_fault::held_by_another);
    CHECK(fault(dir.file("two/t.db")) == store::open_fault::held_by_another);
    CHECK(fault(dir.file("folder/t.db")) == store::open_fault::held_by_another);
    CHECK(store::is_held(dir.file("first.db")));
    CHECK(store::is_held(dir.file("folder/t.db")));
    fs::create_hard_link(dir.file("two/t.db"), dir.file("hard.db"));
    CHECK(fault(dir.file("hard.db")) == store::open_fault::held_by_another);
  }
  SECTION("a link to one that runs") {
    const auto first = open_store(dir.file("two/t.db"));
    fs::create_symlink(dir.file("two/t.db"), dir.file("later.db"));
    CHECK(fault(dir.file("later.db")) == store::open_fault::held_by_another);
  }
}

TEST_CASE("the file is marked, and opens again", "[open]") {
  scratch dir;
  open_store(dir.file());
  {
    store::connection db(dir.file(), SQLITE_OPEN_READONLY);
    CHECK(db.number("PRAGMA application_id") == 0x5469646d);
    CHECK(db.number("PRAGMA user_version") == store::migrations().back().to);
    CHECK(db.number("PRAGMA page_size") == 4'096);
  }
  auto again = open_store(dir.file());
  CHECK(again->size().bytes > 0);
  auto r = must(store::reader::open(dir.file()));
  CHECK(must(r->chains()).empty());
  CHECK_FALSE(store::reader::open(dir.file("other.db")).has_value());
}

TEST_CASE("migrations go forward, one transaction each", "[open]") {
  const store::migration one[] = {{1, "CREATE TABLE t (x) STRICT;"}};
  const store::migration wrong[] = {
      {1, "CREATE TABLE t (x INTEGER) STRICT;"},
      {2, "ALTER TABLE t ADD COLUMN y INTEGER; UPDATE t SET nothing = 1;"}};
  const store::migration two[] = {
      {1, "CREATE TABLE t (x INTEGER) STRICT;"},
      {2, "ALTER TABLE t ADD COLUMN y INTEGER; UPDATE t SET y = x + 1;"},
      {3, "CREATE TABLE u (z INTEGER) STRICT;"}};
  store::connection db(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  CHECK_THROWS_AS(store::migrate(db, one), store::sql_error);   // x has no type
  CHECK(store::file_marks(db, two) == store::file_state::ours); // and nothing was left
  store::migrate(db, std::span(two).first(1));
  db.exec("INSERT INTO t (x) VALUES (5)");
  CHECK_THROWS_AS(store::migrate(db, wrong), store::sql_error);
  CHECK(db.number("PRAGMA user_version") == 1);
  CHECK(db.number("SELECT count(*) FROM pragma_table_info('t')") == 1);
  CHECK(store::file_marks(db, two) == store::file_state::ours);
  store::migrate(db, two);
  CHECK(db.number("PRAGMA user_version") == 3);
  CHECK(db.number("SELECT y FROM t") == 6);
  store::migrate(db, two); // nothing to do
  CHECK(db.number("SELECT count(*) FROM t") == 1);
  CHECK(store::file_marks(db, std::span(two).first(1)) == store::file_state::newer);
}

TEST_CASE("a disk that takes no more fails the group and nothing else", "[open]") {
  scratch dir;
  auto db = open_store(dir.file());
  const auto append = [&](const std::string& body) -> store::result<store::bells> {
    must(db->begin());
    (void)db->append({"s", 1, "{}", body}); // a failure here is the group's
    return db->commit();
  };
  must(append("before"));
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  rlimit small = old;
  small.rlim_cur = 1 << 20;
  signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto failed = append(std::string(4 << 20, 'x'));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
  signal(SIGXFSZ, SIG_DFL);
  REQUIRE_FALSE(failed.has_value());
  CHECK_FALSE(failed.error().fatal);
  must(append("after"));
  auto r = must(store::reader::open(dir.file()));
  const auto kept = must(r->webhooks({}, {}, {})).items;
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].bytes == 5);
  CHECK(kept[0].id == kept[1].id + 1);
  db.reset();
  open_store(dir.file());
}

TEST_CASE("the store is its owner's alone, whatever the umask", "[open]") {
  scratch dir;
  const auto before = umask(0);
  auto db = open_store(dir.file());
  must(db->begin());
  must(db->append({"s", 1, "{}", "x"}));
  must(db->commit());
  umask(before);
  for (const char* part : {"", "-wal", "-shm", ".lock"}) {
    struct stat is {};
    CAPTURE(part);
    REQUIRE(stat((dir.file() + part).c_str(), &is) == 0);
    CHECK((is.st_mode & 0777) == 0600);
  }
}

TEST_CASE("the log is copied into the file by and by", "[open]") {
  scratch dir;
  auto db = open_store(dir.file());
  std::string body(4 << 20, 'x');
  for (int i = 0; i < 60; ++i) {
    body[0] = static_cast<char>('a' + i % 26);
    body[1] = static_cast<char>('a' + i / 26);
    must(db->begin());
    must(db->append({"s", i, "{}", body}));
    must(db->commit());
  }
  CHECK(db->size().wal_bytes < 160ULL << 20); // of 240: it began anew, though the disk may be slow
  CHECK(db->size().bytes > 16ULL << 20);
}

TEST_CASE("durability: normal", "[open]") {
  scratch dir;
  world w;
  w.db = open_store(dir.file(), false);
  w.turn = 0;
  w.in_group([&] { must(w.db->boot(world::chain)); });
  w.apply(9, {tide::started{10, block(9)}}, {header(9)});
  w.apply(10, {tide::saw{{log(block(10), 1)}}}, {header(10)});
  w.db = open_store(dir.file("other.db")); // closes the first
  auto again = open_store(dir.file(), false);
  CHECK(must(again->boot(world::chain)).start_block == 10);
}

TEST_CASE("death at any statement leaves all of a group or nothing", "[open]") {
  // The same work is killed before its first, second, … statement, before its commit, and after it.
  struct death {};
  for (int step = 0, over = 0; !over; ++step) {
    int left = 1 << 30;
    store::options o;
    o.path = ":memory:";
    o.hook = [&](const char*) {
      if (left-- == 0) throw death{};
    };
    world w;
    w.db = std::move(std::get<0>(store::store::open(std::move(o))));
    w.turn = 0;
    const auto know_handlers = [&] { w.in_group([&] { w.know_handlers(); }); };
    w.in_group([&] { must(w.db->boot(world::chain)); });
    know_handlers();
    w.apply(9, {tide::started{10, block(9)}}, {header(9)});
    const auto l = log(block(10), 1);
    w.apply(10, {tide::saw{{l}}}, {header(10)});
    const auto turn = w.turn;
    const auto work = [&] {
      must(w.db->begin());
      must(w.db->append({"new", 5, "{}", "body"}));
      auto set = w.set(14, {tide::shown{{block(10)}, {l}, false}, tide::mark_moved{block(10)}},
                       {header(11)});
      must(w.db->apply(set, ++w.now));
      must(w.db->commit());
    };
    left = step;
    bool died = false;
    try {
      work();
      over = left > 0;
    } catch (const death&) {
      died = true;
    }
    left = 1 << 30;
    if (died) {
      w.db = store::store::revive(std::move(w.db));
      know_handlers(); // what waits for one that the config does not have stays where it is
    }
    const bool done = must(w.db->boot(world::chain)).turn != turn;
    CHECK(w.history(1) == (done ? "p1 c2" : "p1"));
    store::reader r(*w.db);
    CHECK(must(r.sources()).size() == (done ? 1 : 0));
    CHECK(must(r.webhooks({}, {}, {})).items.size() == (done ? 1 : 0));
    if (!done) {
      work();
      w.turn = turn + 1;
    }
    INFO("at statement " << step << (died ? ", died" : "") << (done ? ", done" : ""));
    CHECK(show(w.deliver()) == "c10");
    REQUIRE(step < 500);
    if (over) CHECK(step > 10);
  }
}

TEST_CASE("a backup that is copied over a store that crashed is the backup", "[open]") {
  scratch dir;
  const auto put = [](store::store& db, const char* body) {
    must(db.begin());
    must(db.append({"s", 1, "{}", body}));
    must(db.commit());
  };
  const auto webhooks = [&] {
    auto r = must(store::reader::open(dir.file()));
    return must(r->webhooks({}, {}, {})).items.size();
  };
  auto db = open_store(dir.file());
  put(*db, "one");
  must(store::back_up(dir.file(), dir.file("b.db"), 1'000));
  put(*db, "two");
  const std::string log = dir.file() + "-wal", kept = dir.file("kept-wal");
  std::filesystem::copy_file(log, kept);
  db.reset();
  const auto over = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(dir.file("b.db"), dir.file(), over);
  std::filesystem::copy_file(kept, log, over);
  db = open_store(dir.file());
  CHECK(db->log_set_aside() == log + ".stale-1");
  CHECK(std::filesystem::file_size(log + ".stale-1") == std::filesystem::file_size(kept));
  CHECK(must(db->epoch()) == 2);
  CHECK(webhooks() == 1);
  // Its own log stays, whatever ends it.
  put(*db, "three");
  std::filesystem::copy_file(log, kept, over);
  std::filesystem::copy_file(dir.file(), dir.file("kept"), over);
  db.reset();
  std::filesystem::copy_file(dir.file("kept"), dir.file(), over);
  std::filesystem::copy_file(kept, log, over);
  db = open_store(dir.file());
  CHECK(db->log_set_aside().empty());
  CHECK(webhooks() == 2);
  CHECK(must(db->epoch()) == 2);
}
