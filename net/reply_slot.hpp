// SPDX-License-Identifier: MIT
#pragma once

#include "net/response.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace tidemark::net {

/// The right to answer one request, once. Copies share it (messages of actors must be copyable).
/// When the last copy dies unanswered, the client is told 503: a request that got lost on its way
/// through the actors still has an end.
class reply_slot {
public:
  /// Called once, on whatever thread delivers or drops the slot, so it must only post; it must not
  /// throw.
  using sink = std::function<void(response)>;

  reply_slot() = default;
  explicit reply_slot(sink f) : state_(std::make_shared<state>(std::move(f))) {}

  /// The first answer counts, later ones are dropped. Any thread.
  void deliver(response r) const {
    if (state_) state_->fire(std::move(r));
  }

private:
  struct state {
    explicit state(sink f) : f_(std::move(f)) {}
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() { fire_unanswered(); }
    void fire(response r) {
      if (!done_.exchange(true)) f_(std::move(r));
    }
    void fire_unanswered() {
      if (!done_.load()) fire(busy("the request was dropped before it was answered"));
    }
    sink f_;
    std::atomic<bool> done_{false};
  };

  std::shared_ptr<state> state_;
};

} // namespace tidemark::net
