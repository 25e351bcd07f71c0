// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tidemark::store {

/// Copies the log into the file with a connection and a thread of its own, so a commit does not
/// wait for it.
class checkpointer {
public:
  explicit checkpointer(std::string path);
  ~checkpointer(); ///< waits for the one in progress
  checkpointer(const checkpointer&) = delete;
  checkpointer& operator=(const checkpointer&) = delete;

  /// After a commit; any thread. A checkpoint starts above 16 MiB.
  void log_is(std::uint64_t bytes);
  bool idle();

private:
  void run();

  std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, busy_ = false, stop_ = false;
  std::thread thread_; ///< last: it uses the others
};

} // namespace tidemark::store
