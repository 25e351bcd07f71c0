// SPDX-License-Identifier: MIT
#include "store/checkpoint.hpp"

namespace tidemark::store {
namespace {

constexpr std::uint64_t checkpoint_above = 16ULL << 20;

} // namespace

checkpointer::checkpointer(std::string path) : path_(std::move(path)), thread_([this] { run(); }) {}

checkpointer::~checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void checkpointer::log_is(std::uint64_t bytes) {
  if (bytes < checkpoint_above) return;
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_one();
}

bool checkpointer::idle() {
  const std::lock_guard lock(mutex_);
  return !wanted_ && !busy_;
}

void checkpointer::run() {
  std::unique_ptr<connection> db;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || stop_; });
    if (stop_) return;
    wanted_ = false;
    busy_ = true;
    lock.unlock();
    try {
      if (!db) {
        db = std::make_unique<connection>(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
        db->exec("PRAGMA cache_size = -1024; PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema "
                 "= OFF");
      }
      // Busy, or an error that the writer will meet too: the next commit asks again, and above 64
      // MiB the writer does it.
      sqlite3_wal_checkpoint_v2(db->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    } catch (const sql_error&) {
      db.reset();
    }
    lock.lock();
    busy_ = false;
  }
}

} // namespace tidemark::store
