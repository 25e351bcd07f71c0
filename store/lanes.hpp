// SPDX-License-Identifier: MIT
#pragma once

#include "store/events.hpp"
#include "tide/release.hpp"

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::store {

/// A handler's key, as one set sees it.
struct lane {
  std::int64_t id = 0, handler = 0, chain = 0;
  std::string key;
  std::uint32_t epoch = 1;
  std::uint64_t head = 1, next = 1, held = 0;
  bool parked = false;   ///< what comes waits for an operator too
  bool fresh = false;    ///< no row yet
  bool changed = false;  ///< written at the end of the set
  bool woken = false;    ///< was empty, and has something to send now
  bool loosened = false; ///< what it holds may go at the end of the set
};

/// What goes to the end of a lane.
struct outgoing {
  std::optional<std::int64_t> feed, subscription;
  bool late = false;
  std::optional<tide::notice> notice = std::nullopt;
  std::int64_t job = 0; ///< of a replay that sends it as a new one
  bool alone = false;   ///< in no batch
};

/// What facts do to lanes, for one set: nothing is released before `finish`, so nothing is released
/// that the same set undoes. The rules are tide/release.hpp's.
class lane_book {
public:
  explicit lane_book(ledger& l);

  /// Forgets what an undone set did. `in_order`: the set's confirmations come in the chain's order,
  /// so where nothing waits they need no place.
  void start(std::int64_t now, bool in_order);
  // After the fact was made: its seq is last.feed.
  void told_pending(const stored_event& e, std::span<const tide::route> routes, bool late);
  /// `is_new`: no fact of this inclusion was told before. `late`: it lies at or below the mark
  /// before the set.
  void told_confirmed(const stored_event& e, std::span<const tide::route> routes, bool late,
                      bool is_new);
  /// A confirmed event turned out to be one of further subscriptions: who hears of it by one of
  /// those is told now. Who came later than it and hears of others is not.
  void told_late(const stored_event& e, std::span<const tide::route> routes,
                 std::span<const std::string> further);
  void told_rolled_back(const stored_event& e);
  /// A pending event was read again, above the mark: who is to hear of its confirmation and has no
  /// place yet gets one.
  void read_again(const stored_event& e, std::span<const tide::route> routes);
  /// What waits in a block that was skipped holds nothing any more; if it is confirmed one day, it
  /// goes late.
  void let_pass(const stored_event& e);
  /// To a handler that was not told of it, or only that it is pending; what it was sent already
  /// stays. Events come in the chain's order.
  void told_later(const stored_event& e, const tide::route& route);
  /// In the handler's epoch, or in that of an announcement, whose key is empty.
  lane& open(std::int64_t handler, std::string_view key, std::int64_t chain,
             std::optional<std::uint32_t> epoch = std::nullopt);
  /// Its place, which `l.next` said before.
  void append(lane& l, const outgoing& o);
  void finish();

private:
  struct place { ///< in `waiting`
    std::int64_t lane = 0;
    bool late = false;
    std::int64_t subscription = 0;
  };
  struct conclusion { ///< of an event that has places: its fact, and how many are not released
    std::int64_t feed = 0;
    std::size_t places = 0;
  };

  bool too_early(const tide::route& r, const stored_event& e);
  lane& by_key(const tide::route& r, std::int64_t chain);
  lane& by_id(std::int64_t id);
  lane& remember(lane l);
  void send(lane& l, std::int64_t feed, std::int64_t subscription, bool late);
  void hold(lane& l, const stored_event& e, std::int64_t subscription, bool late,
            std::optional<std::int64_t> feed);
  void leave(lane& l, const stored_event& e, bool late);
  std::vector<place> places_of(std::int64_t event);
  bool has_place(std::int64_t event, std::int64_t handler);
  void release(lane& l);
  void write(lane& l);
  bool goes(const lane& l) const;
  /// When its head may be sent; absent: something holds it.
  std::optional<std::int64_t> due_of(const lane& l) const;

  ledger& ledger_;
  std::int64_t now_ = 0;
  bool in_order_ = true;
  std::deque<lane> lanes_; ///< references stay good
  std::unordered_map<std::string, lane*> by_key_;
  std::unordered_map<std::int64_t, lane*> by_id_;
  std::unordered_map<std::int64_t, conclusion> concluded_;

  statement find_, load_, insert_, set_next_, wake_, full_;
  statement insert_message_, insert_parked_, insert_waiting_, delete_waiting_, places_, front_,
      conclude_, told_, facts_, unread_, known_;
};

} // namespace tidemark::store
