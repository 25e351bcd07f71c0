// SPDX-License-Identifier: MIT
#include "store/parts.hpp"
#include "store/schema.hpp"
#include "store/upkeep.hpp"
#include "store/upkeep_parts.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tidemark::store {
namespace {

namespace fs = std::filesystem;

store_failure system_failure(const std::string& doing) {
  return {false, doing + ": " + std::strerror(errno)};
}

/// A new file that is nobody else's to read: it will hold what the webhooks said.
result<void> make_private(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return system_failure(path);
  close(fd);
  return {};
}

/// What the name or the content of `path` is now survives a power cut.
result<void> sync_path(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_failure(path);
  const bool synced = fsync(fd) == 0;
  const auto failure = system_failure("cannot sync " + path);
  close(fd);
  if (!synced) return failure;
  return {};
}

std::string folder_of(const std::string& path) { return fs::absolute(path).parent_path().string(); }

/// A whole, marked copy at `to`, which must be there and empty.
void copy_into(const std::string& from, const std::string& to, std::int64_t now) {
  {
    connection source(from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    sqlite3_busy_timeout(source.handle(), busy_wait_ms);
    watch(source);
    statement copy(source, "VACUUM INTO ?");
    copy.run(std::string_view(to));
  }
  connection made(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
  made.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
  mark_as_backup(made, now);
}

/// The same, as a value; what was begun and not finished is removed.
result<void> copied(const std::string& from, const std::string& to, std::int64_t now) {
  if (auto made = make_private(to); !made) return made;
  result<void> done;
  try {
    copy_into(from, to, now);
    done = sync_path(to);
  } catch (const sql_error& e) {
    done = store_failure{e.fatal(), e.what()};
  }
  std::error_code ignored;
  if (!done) fs::remove(to, ignored);
  return done;
}

open_fault fault_of(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_CANTOPEN || primary == SQLITE_PERM || primary == SQLITE_FULL
             ? open_fault::cannot_write
             : open_fault::damaged;
}

/// Why this may not become a store; nothing: it may.
std::optional<open_error> why_not(const std::string& from) {
  try {
    connection db(from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    const auto marks = file_marks(db, migrations());
    if (marks == file_state::newer)
      return open_error{open_fault::newer, from + " was written by a newer tidemark"};
    if (marks == file_state::not_ours || db.number("PRAGMA user_version") == 0)
      return open_error{open_fault::damaged, from + " is no backup of a store of tidemark's"};
    statement check(db, "PRAGMA quick_check(1)");
    rows r = check.query();
    if (!r.next() || r.text(0) != "ok")
      return open_error{open_fault::damaged, from + " is damaged: " + std::string(r.text(0))};
    return std::nullopt;
  } catch (const sql_error& e) {
    return open_error{fault_of(e.code), from + ": " + e.what()};
  }
}

/// Under a name that is free too; empty: there is no store.
result<std::string> second_name(const std::string& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) return std::string();
  std::string name;
  for (int n = 1; name.empty() || fs::exists(name, ec); ++n)
    name = path + ".replaced-" + std::to_string(n);
  fs::create_hard_link(path, name, ec);
  if (ec) return store_failure{false, name + ": " + ec.message()};
  return name;
}

/// Puts `partial` in the store's place, and what was there under its second name. Whenever it is
/// cut off there is a whole store at `path`: the old one with its log, or the new one, beside which
/// a start sets another's log aside.
result<std::string> exchange(const std::string& partial, const std::string& path) {
  auto kept = second_name(path);
  if (!kept) return kept;
  std::error_code ec;
  fs::rename(partial, path, ec);
  if (ec) return store_failure{false, path + ": " + ec.message()};
  if (auto synced = sync_path(folder_of(path)); !synced) return synced.error();
  for (const char* part : {"-wal", "-shm"}) {
    if (kept->empty() || !fs::exists(path + part, ec)) continue;
    fs::rename(path + part, *kept + part, ec);
    if (ec) return store_failure{false, path + part + ": " + ec.message()};
  }
  if (auto synced = sync_path(folder_of(path)); !synced) return synced.error();
  return kept;
}

} // namespace

bool is_held(const std::string& named) {
  const std::string path = real_path(named);
  std::error_code ec;
  if (!fs::exists(path + ".lock", ec)) return false;
  file_lock lock;
  std::string why;
  return lock.take(path + ".lock", why) == file_lock::taken::by_another;
}

result<std::uint64_t> back_up(const std::string& path, const std::string& to, std::int64_t now) {
  std::error_code ec;
  if (fs::exists(to, ec)) return store_failure{false, to + " is there already"};
  const std::string partial = to + ".partial";
  fs::remove(partial, ec); // of a backup that was cut off
  if (auto done = copied(path, partial, now); !done) return done.error();
  // Not a rename, which would replace what came to be there meanwhile.
  const bool linked = link(partial.c_str(), to.c_str()) == 0;
  const auto failure = system_failure(to);
  fs::remove(partial, ec);
  if (!linked) return failure;
  if (auto synced = sync_path(folder_of(to)); !synced) return synced.error();
  const auto bytes = fs::file_size(to, ec);
  if (ec) return store_failure{false, to + ": " + ec.message()};
  return result<std::uint64_t>(boost::system::in_place_value, bytes);
}

result<void> note_backup(const std::string& named, std::int64_t at) {
  const std::string path = real_path(named);
  // A backup has no log of its own; one beside it is another store's, and SQLite would put it in.
  std::string head(20, '\0');
  std::ifstream(path, std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  constexpr char with_log = 2;
  if (head[18] != with_log) return {};
  file_lock lock;
  std::string why;
  if (lock.take(path + ".lock", why) != file_lock::taken::yes) return store_failure{false, why};
  try {
    connection db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
    put_backup_note(db, at);
  } catch (const sql_error& e) {
    return store_failure{e.fatal(), e.what()};
  }
  return {};
}

std::variant<put_back_done, open_error> restore_file(const std::string& from,
                                                     const std::string& named, std::int64_t now) {
  const std::string path = real_path(named);
  const auto cannot = [](const std::string& text) {
    return open_error{open_fault::cannot_write, text};
  };
  if (auto no = why_not(from)) return std::move(*no);
  file_lock lock;
  std::string why;
  switch (lock.take(path + ".lock", why)) {
  case file_lock::taken::by_another:
    return open_error{open_fault::held_by_another,
                      "a daemon holds the store " + path + ": stop it first"};
  case file_lock::taken::no:
    return cannot(why);
  case file_lock::taken::yes:
    break;
  }
  const std::string partial = path + ".restoring";
  std::error_code ec;
  fs::remove(partial, ec);
  if (auto done = copied(from, partial, now); !done) return cannot(done.error().text);
  const auto kept = exchange(partial, path);
  if (!kept) return cannot(kept.error().text);
  return put_back_done{*kept};
}

void put_backup_note(connection& db, std::int64_t at) {
  statement note(db, "INSERT INTO cursors (name, at) VALUES ('last_backup', ?1)"
                     " ON CONFLICT (name) DO UPDATE SET at = ?1");
  note.run(at);
}

void mark_as_backup(connection& db, std::int64_t now) {
  statement mark(db, "INSERT INTO cursors (name, at) VALUES ('backup', ?1)"
                     " ON CONFLICT (name) DO UPDATE SET at = ?1");
  mark.run(now);
}

void begin_on_backup(connection& db, std::int64_t now) {
  if (db.number("SELECT 1 FROM cursors WHERE name = 'backup'") == 0) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Not just the next number: the backup does not know what came after it, and may be put back
    // twice. What no earlier epoch was is the second that it is now.
    const std::int64_t second = now / 1'000;
    statement raise(db, "INSERT INTO cursors (name, at) VALUES ('epoch', max(2, ?1))"
                        " ON CONFLICT (name) DO UPDATE SET at = max(at + 1, ?1)");
    raise.run(second);
    db.exec("DELETE FROM cursors WHERE name = 'backup'");
    statement pause(db, "UPDATE handlers SET " TIDEMARK_RAISE_EPOCH(
                            "?1", "'restore'") ", paused = 1, since = ?2, reason ="
                                               " 'the store is a backup that was put back: what"
                                               " this handler was told since is not known here;"
                                               " resume it once it is ready for that'");
    pause.run(second, now);
    statement note(db, "INSERT INTO audit (at, who, what, detail) VALUES"
                       " (?, 'tidemark', 'first run on a backup',"
                       " 'every epoch is raised, every handler paused')");
    note.run(now);
    db.exec("COMMIT");
  } catch (const sql_error&) {
    sqlite3_exec(db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

} // namespace tidemark::store
