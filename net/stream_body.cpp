// SPDX-License-Identifier: MIT
#include "net/stream_body.hpp"

#include <utility>

namespace tidemark::net {

/// Outside of the lock: the reader may take at once.
void stream_body::wake_reader(std::unique_lock<std::mutex>& lock) {
  const auto wake = wake_;
  lock.unlock();
  if (wake) wake();
}

bool stream_body::push(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  if (ended_) return false;
  const bool idle = waiting_.empty() && !taking_;
  if (!idle && waiting_.size() + bytes.size() > most) {
    ended_ = true;
    waiting_.clear();
    then_ = {};
    wake_reader(lock);
    return false;
  }
  waiting_ += bytes;
  if (idle) wake_reader(lock);
  return true;
}

void stream_body::end() {
  std::unique_lock lock(mutex_);
  if (std::exchange(ended_, true)) return;
  waiting_.clear();
  then_ = {};
  wake_reader(lock);
}

bool stream_body::wants_taking() const {
  const std::lock_guard lock(mutex_);
  return ended_ || !waiting_.empty();
}

bool stream_body::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void stream_body::when_empty(std::function<void()> then) {
  std::unique_lock lock(mutex_);
  if (ended_) return;
  if (!waiting_.empty() || taking_) {
    then_ = std::move(then);
    return;
  }
  lock.unlock();
  then();
}

void stream_body::attach(std::function<void()> wake) {
  std::unique_lock lock(mutex_);
  wake_ = std::move(wake);
  if (!waiting_.empty() || ended_) wake_reader(lock);
}

std::string stream_body::take() {
  std::unique_lock lock(mutex_);
  taking_ = !waiting_.empty();
  auto piece = std::exchange(waiting_, {});
  const auto then = taking_ ? std::function<void()>{} : std::exchange(then_, {});
  lock.unlock();
  if (then) then();
  return piece;
}

void stream_body::gone() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  waiting_.clear();
  waiting_.shrink_to_fit();
  wake_ = {};
  then_ = {};
}

} // namespace tidemark::net
