// SPDX-License-Identifier: MIT
#pragma once

#include "store/ledger.hpp"

#include <set>
#include <span>
#include <vector>

namespace tidemark::store {

/// Handlers, and what their lanes give to send.
class delivery_queue {
public:
  explicit delivery_queue(ledger& l);

  /// What was in flight when the process ended is unknown, and goes again.
  void start();
  void put_handlers(std::span<const handler_in> handlers, std::int64_t now);
  void set_paused(std::string_view handler, bool paused, std::string_view reason, std::int64_t now);
  message_batch take(std::string_view handler, std::int64_t now, std::size_t limit,
                     std::size_t max_bytes);
  void finish(const finished& f, std::int64_t now);
  /// Before a commit: a bell for who finished something and left something due.
  void ring();
  void forget() { finished_.clear(); } ///< the group is undone

private:
  struct due_lane {
    std::int64_t id = 0;
    std::uint64_t head = 0;
    std::uint32_t tries = 0;
  };
  std::vector<due_lane> due(std::int64_t handler, std::int64_t now, std::size_t limit);
  struct loaded {
    message what;
    std::optional<std::int64_t>
        behind; ///< the lane that has to send an earlier version of the event first
  };
  loaded load(std::int64_t handler, const due_lane& l);
  void begin_attempt(message& m, std::int64_t now);
  void done(std::int64_t lane, std::uint64_t head, std::uint64_t next, bool halted,
            std::int64_t now);

  ledger& ledger_;
  std::set<std::int64_t> finished_; ///< handlers, in this group
  std::int64_t now_ = 0;
  statement forget_open_, reset_lanes_;
  statement put_handler_, set_paused_;
  statement due_, next_due_, message_, earlier_, undoes_, stand_behind_, begin_, insert_attempt_;
  statement end_attempt_, lane_, advance_, wait_, wake_behind_;
};

} // namespace tidemark::store
