// SPDX-License-Identifier: MIT
#pragma once

#include "store/outbox.hpp"
#include "store/replays.hpp"

#include <set>
#include <span>
#include <vector>

namespace tidemark::store {

/// What a handler's lanes give to send, and what became of it.
class delivery_queue {
public:
  delivery_queue(ledger& l, outbox& o, replay_table& replays);

  /// What was in flight when the process ended is unknown, and goes again.
  void start(std::int64_t now);
  /// The same for one handler, while the process goes on.
  void abandon(std::string_view handler, std::int64_t now);
  message_batch take(std::string_view handler, std::int64_t now, std::size_t limit,
                     std::size_t max_bytes, std::optional<std::int64_t> probe_behind);
  void finish(const finished& f, std::int64_t now);
  /// Before a commit: a bell for who finished something and left something due.
  void ring();
  void forget() { finished_.clear(); } ///< the group is undone

private:
  struct due_lane {
    std::int64_t id = 0;
    std::uint64_t head = 0, next = 0, singles = 0;
    std::uint32_t tries = 0, batch = 0;
    std::int64_t job = 0, age = 0;
  };
  /// A lane as an answer finds it.
  struct open_lane {
    std::int64_t id = 0, handler = 0, job = 0;
    std::uint64_t head = 0, next = 0;
    bool halted = false, announces = false;
    std::uint32_t epoch = 1;
  };
  struct choice {
    message what;
    std::optional<std::int64_t> behind; ///< the lane that has to send something first
    std::optional<std::int64_t> later;  ///< not before then
  };
  static due_lane read_due(const rows& r);
  std::vector<due_lane> due(std::int64_t handler, std::int64_t now, std::size_t limit);
  void take_due(std::int64_t handler, std::int64_t now, std::size_t limit, std::size_t max_bytes,
                message_batch& batch);
  void take_probe(std::int64_t handler, std::int64_t now, std::int64_t behind,
                  message_batch& batch);
  bool set_aside(const choice& c, std::int64_t lane);
  choice choose(std::int64_t handler, const due_lane& l, std::int64_t now);
  outbox::loaded load(std::int64_t handler, const due_lane& l, std::uint64_t seq, std::int64_t now);
  std::optional<std::int64_t> behind(std::int64_t handler, const outbox::loaded& m,
                                     const due_lane& l);
  void fill_batch(std::int64_t handler, const due_lane& l, std::int64_t now, choice& c);
  void begin_attempt(message& m, std::int64_t now);
  std::optional<open_lane> in_flight(const finished& f);
  void done(const open_lane& l, std::uint32_t taken, std::int64_t now);
  bool park(const open_lane& l, const finished& f, std::int64_t now);
  void wait_for(std::int64_t handler, std::int64_t until);
  void announce(const open_lane& l, std::int64_t now);

  ledger& ledger_;
  outbox& outbox_;
  replay_table& replays_;
  std::set<std::int64_t> finished_; ///< handlers, in this group
  std::int64_t now_ = 0;
  statement forget_open_, reset_lanes_, put_back_, lose_;
  statement due_, probe_, next_due_, earlier_, beside_, stand_behind_, not_before_, begin_,
      insert_attempt_;
  statement end_attempts_, lane_, advance_, wait_, wake_behind_;
  statement wait_for_, park_, park_key_, park_lane_, announce_, wake_epoch_;
};

} // namespace tidemark::store
