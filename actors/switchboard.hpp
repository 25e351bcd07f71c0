// SPDX-License-Identifier: MIT
#pragma once

#include "actors/interfaces.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace tidemark::actors {

/// Who is at the other end of a bell at this moment. A restarted actor has a new handle and the old
/// one swallows messages without a word, so nobody keeps one: the supervisor connects at every
/// start, the store rings. Any thread.
class switchboard {
public:
  void connect(intake_actor a) {
    const std::lock_guard lock(mutex_);
    intake_ = std::move(a);
  }
  void connect(std::uint64_t chain_id, chain_actor a) {
    const std::lock_guard lock(mutex_);
    chains_[chain_id] = std::move(a);
  }
  void connect(const std::string& handler, delivery_actor a) {
    const std::lock_guard lock(mutex_);
    deliveries_[handler] = std::move(a);
  }
  /// Called at each bell of the feed, on the store's thread.
  void on_feed(std::function<void()> f) {
    const std::lock_guard lock(mutex_);
    feed_ = std::move(f);
  }
  /// Lets go of every handle, so that the actors can end.
  void clear() {
    const std::lock_guard lock(mutex_);
    intake_ = intake_actor{};
    chains_.clear();
    deliveries_.clear();
    feed_ = {};
  }

  chain_actor chain(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto it = chains_.find(id);
    return it == chains_.end() ? chain_actor{} : it->second;
  }
  delivery_actor delivery(const std::string& handler) const {
    const std::lock_guard lock(mutex_);
    const auto it = deliveries_.find(handler);
    return it == deliveries_.end() ? delivery_actor{} : it->second;
  }
  void ring(const store::bells& b) const;

private:
  mutable std::mutex mutex_;
  intake_actor intake_;
  std::map<std::uint64_t, chain_actor> chains_;
  std::map<std::string, delivery_actor> deliveries_;
  std::function<void()> feed_;
};

} // namespace tidemark::actors
