// SPDX-License-Identifier: MIT
#pragma once

#include "store/lanes.hpp"
#include "store/outbox.hpp"

#include <functional>

namespace tidemark::store {

/// What an operator does with parked messages (contract §4.4).
class parking {
public:
  parking(ledger& l, outbox& o, lane_book& lanes);
  dead_done order(const dead_order& o, std::int64_t now);

private:
  struct parked {
    std::int64_t id = 0, lane = 0, handler = 0, chain = 0;
    std::uint64_t seq = 0;
    bool behind = false; ///< an earlier one of its key
    bool head = false;   ///< its key waits for it
    std::string key;
  };
  std::optional<parked> find(std::int64_t id);
  std::vector<std::int64_t> all(const std::string& handler);
  std::optional<dead_fault> retry(const parked& p, std::int64_t now);
  void skip(const parked& p, const dead_order& o, std::int64_t now);
  void free_key(const parked& p, std::int64_t now);
  std::uint64_t append(const parked& p, outgoing o, std::int64_t now,
                       const std::function<tide::notice(std::int64_t, std::uint64_t)>& notice);

  ledger& ledger_;
  outbox& outbox_;
  lane_book& lanes_;
  statement find_, all_, later_, forget_, forget_key_, free_, insert_gap_;
};

} // namespace tidemark::store
