// SPDX-License-Identifier: MIT
#pragma once

#include "store/events.hpp"
#include "store/jobs.hpp"
#include "store/lanes.hpp"
#include "store/outbox.hpp"

#include <vector>

namespace tidemark::store {

/// Messages that go once more. A replay has lanes of its own, one beside each lane that it sends
/// from; they go in line with it, before what is queued there. As new ones they are queued like any
/// live message.
class replay_table {
public:
  replay_table(ledger& l, event_table& events, outbox& o, lane_book& lanes, job_table& jobs);

  /// `order.dry_run`: only counts.
  replay_started begin(const replay_order& order, std::int64_t now);
  /// The message at a place of a replay's lane, as it was sent first.
  outbox::loaded load(std::int64_t handler, std::int64_t lane, std::uint64_t seq);
  /// The job's lane that has to send something of this message's event before it, if any has.
  std::optional<std::int64_t> earlier(std::int64_t handler, const outbox::loaded& m,
                                      std::int64_t lane, std::int64_t job);
  /// Not before then, by the replay's rate.
  std::int64_t due(std::int64_t lane, std::uint64_t seq);
  void start();
  /// Then nothing of it is tried again.
  bool cancelled(std::int64_t job);
  /// A lane has nothing left; the job ends with the last one.
  void lane_ended(std::int64_t job, std::int64_t now);
  /// What is in flight is its last, and its keys wait for that. False: there is no such replay that
  /// runs.
  bool cancel(std::int64_t job, std::int64_t now);

private:
  struct sent {
    std::int64_t lane = 0;
    std::uint64_t seq = 0, feed = 0;
  };
  std::vector<sent> chosen(const replay_order& order, std::int64_t handler);
  void queue(const std::vector<sent>& all, const replay_order& order, std::int64_t handler,
             std::int64_t job, std::int64_t now);
  void queue_as_new(const std::vector<sent>& all, std::int64_t handler, std::int64_t job,
                    std::int64_t now);

  ledger& ledger_;
  event_table& events_table_;
  outbox& outbox_;
  lane_book& lanes_;
  job_table& jobs_;
  statement events_, sent_, lane_, insert_lane_, insert_, place_, due_, open_;
  statement is_replay_, stop_, wake_behind_, close_, earlier_;
};

} // namespace tidemark::store
