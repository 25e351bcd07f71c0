// SPDX-License-Identifier: MIT
#pragma once

#include "store/lanes.hpp"

#include <span>
#include <string>
#include <vector>

namespace tidemark::store {

/// Sets of an UPDATE of `handlers`: the next epoch, or `least` where that is more, and why, behind
/// those that are not announced yet: "2:order_by 1796000000:restore".
#define TIDEMARK_RAISE_EPOCH(least, why)                                                           \
  "epoch = max(epoch + 1, " least "), raised = CASE WHEN announced < epoch THEN raised || ' '"     \
  " ELSE '' END || max(epoch + 1, " least ") || ':' || " why

/// Who is told: what the config says of them, pauses, epochs, and who was away.
class handler_table {
public:
  handler_table(ledger& l, lane_book& lanes);

  /// The config's handlers. One that is not among them is away, and its queue is kept; one that
  /// comes back is told what it missed by a gap; another `order_by` raises its epoch.
  void put(std::span<const handler_in> handlers, std::int64_t now);
  void set_paused(std::string_view handler, bool paused, std::string_view reason, std::int64_t now);
  /// `reason`: restore or order_by. What is made from now on belongs to the new epoch, which is
  /// announced when the old one's queue is empty.
  void raise_epoch(std::int64_t handler, std::string_view reason);
  /// Before a commit: announces the epochs whose time has come.
  void announce(std::int64_t now);
  /// Until filled() says that they have it.
  std::vector<unfilled_handler> unfilled();
  void filled(std::string_view handler);

private:
  struct row {
    std::string order_by;
    std::optional<std::int64_t> away;
    bool confirmed = false;
    std::string subscriptions;
  };
  std::optional<row> known(std::int64_t handler);
  const handler_settings& take_settings(std::int64_t handler, const handler_in& h);
  void leave(std::span<const handler_in> handlers);
  void come_back(std::int64_t handler, const handler_in& h, std::int64_t since, std::int64_t now);
  bool queue_is_empty(std::int64_t handler, std::uint32_t epoch);
  struct raised_epoch {
    std::uint32_t epoch = 1;
    std::string reason;
  };
  raised_epoch next_epoch(std::int64_t handler, std::uint32_t announced);
  void announce(std::int64_t handler, const raised_epoch& next, std::uint32_t previous,
                std::int64_t now);

  ledger& ledger_;
  lane_book& lanes_;
  statement known_, insert_, update_, all_, set_away_, missed_, about_, set_paused_, wake_, raise_;
  statement open_, announced_, raised_, marks_, unfilled_, filled_;
};

} // namespace tidemark::store
