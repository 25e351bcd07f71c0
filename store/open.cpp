// SPDX-License-Identifier: MIT
#include "store/parts.hpp"
#include "store/schema.hpp"
#include "store/upkeep_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

namespace tidemark::store {
namespace {

open_fault fault_of(const sql_error& e) {
  switch (e.code & 0xff) {
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
  case SQLITE_ERROR: // a table that is missing, or another than ours
  case SQLITE_SCHEMA:
    return open_fault::damaged;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return open_fault::held_by_another;
  default:
    return open_fault::cannot_write;
  }
}

/// SQLite's own count: the file keeps its size when the log begins anew.
int note_log(void* of, sqlite3*, const char*, int frames) {
  static_cast<parts*>(of)->log_bytes = static_cast<std::uint64_t>(frames) * (4'096 + 24);
  return SQLITE_OK;
}

/// Statements, the keys that are not in their b-trees yet, and what was in flight when the last
/// process ended.
void start(parts& p) {
  p.db->hook = nullptr;
  begin_on_backup(*p.db, p.how.now);
  p.all = std::make_unique<tables>(*p.db);
  p.db->exec("BEGIN IMMEDIATE");
  p.all->deliveries.start(p.how.now);
  p.all->jobs.start();
  p.db->exec("COMMIT");
  p.all->book.instance = p.how.instance;
  p.db->hook = p.how.hook;
  if (p.in_memory()) return;
  sqlite3_wal_hook(p.db->handle(), &note_log, &p);
  p.helper = std::make_unique<checkpointer>(p.how.path);
}

/// A backup is one file, and bears in its head that it has no log (bytes 18 and 19; a store of ours
/// has one from its first opening on). A log beside it is that of the store that was here before
/// and ended without closing: played over the backup it would undo or damage it.
void set_aside_log(parts& p) {
  constexpr std::string_view without_log("SQLite format 3\0\x10\0\1\1", 20);
  const std::string log = p.how.path + "-wal";
  std::string head(without_log.size(), '\0');
  std::ifstream(p.how.path, std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head != without_log || !std::filesystem::exists(log)) return;
  std::string name;
  for (int n = 1; name.empty() || std::filesystem::exists(name); ++n)
    name = log + ".stale-" + std::to_string(n);
  std::filesystem::rename(log, name);
  std::filesystem::remove(p.how.path + "-shm"); // the log's index, which is made again from it
  p.log_set_aside = name;
}

} // namespace

file_lock::~file_lock() {
  if (fd_ >= 0) close(fd_); // the lock goes with it; the file stays, or two could lock two files
}

/// The file that it makes is its owner's alone, whatever the umask; SQLite gives its log the
/// store's mode.
file_lock::taken file_lock::take(const std::string& path, std::string& why) {
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) == 0) return taken::yes;
  const int error = errno;
  why = path + ": " + std::strerror(error);
  return fd_ >= 0 && error == EWOULDBLOCK ? taken::by_another : taken::no;
}

std::string real_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  fs::path at = path;
  // A link to what is not there yet is no path that exists, and stays as it is below.
  for (int links = 0; links < 40 && fs::is_symlink(at, ec); ++links)
    at = at.parent_path() / fs::read_symlink(at, ec);
  const auto real = fs::weakly_canonical(at, ec);
  return ec ? path : real.string();
}

std::variant<std::unique_ptr<store>, open_error> store::open(options o) {
  auto p = std::make_unique<parts>();
  p->how = std::move(o);
  if (!p->in_memory()) {
    const std::string named = p->how.path;
    p->how.path = real_path(named);
    p->lock = std::make_unique<file_lock>();
    p->body = std::make_unique<file_lock>();
    std::string why;
    auto taken = p->lock->take(p->how.path + ".lock", why);
    if (taken == file_lock::taken::yes) taken = p->body->take(p->how.path, why);
    if (taken == file_lock::taken::by_another)
      return open_error{open_fault::held_by_another, "another process holds the store " + named};
    if (taken == file_lock::taken::no) return open_error{open_fault::cannot_write, why};
  }
  try {
    if (!p->in_memory()) set_aside_log(*p);
    p->db = std::make_unique<connection>(p->how.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                                          SQLITE_OPEN_NOMUTEX);
    // The marks come first: nothing is set on a file that is not ours.
    if (file_marks(*p->db, migrations()) == file_state::ours) {
      set_writing(*p->db, p->how.full);
      migrate(*p->db, migrations());
      start(*p);
      return std::unique_ptr<store>(new store(std::move(p)));
    }
    if (file_marks(*p->db, migrations()) == file_state::newer)
      return open_error{open_fault::newer, p->how.path + " was written by a newer tidemark"};
    return open_error{open_fault::damaged,
                      p->how.path + " is a database, but not one of tidemark's"};
  } catch (const sql_error& e) {
    return open_error{fault_of(e), p->how.path + ": " + e.what()};
  } catch (const std::filesystem::filesystem_error& e) {
    return open_error{open_fault::cannot_write, e.what()};
  } catch (const std::bad_alloc&) {
    return open_error{open_fault::cannot_write, p->how.path + ": out of memory"};
  }
}

std::unique_ptr<store> store::revive(std::unique_ptr<store> dead) {
  auto p = std::make_unique<parts>();
  p->how = dead->parts_->how;
  p->how.now = std::max(p->how.now, dead->parts_->all->book.now);
  p->lock = std::move(dead->parts_->lock);
  p->body = std::move(dead->parts_->body);
  dead->parts_->helper.reset();
  dead->parts_->all.reset();
  p->db = std::move(dead->parts_->db);
  if (sqlite3_get_autocommit(p->db->handle()) == 0) p->db->exec("ROLLBACK");
  start(*p);
  return std::unique_ptr<store>(new store(std::move(p)));
}

} // namespace tidemark::store
