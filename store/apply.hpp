// SPDX-License-Identifier: MIT
#pragma once

#include "store/counting.hpp"
#include "store/hints.hpp"
#include "store/lanes.hpp"

#include <set>
#include <unordered_set>

namespace tidemark::store {

/// Turns a chain's verdicts into rows: all of a set, or nothing. The rules for one row are
/// tide/fold.hpp's.
class chain_writer {
public:
  chain_writer(ledger& l, key_runs& keys, event_table& events, lane_book& lanes, hint_queue& hints,
               source_quality& quality, count_book& counts);

  tide::boot_state boot(std::uint64_t chain_id);
  tide::store_answer apply(const tide::write_set& set, std::int64_t now);

private:
  /// The chain's row, as the set finds and changes it.
  struct chain_state {
    std::int64_t chain = 0;
    std::uint64_t chain_id = 0, turn = 0;
    std::optional<std::uint64_t> start_block;
    std::optional<evm::block_id> mark, final_block;
    std::optional<std::string> halted;
    tide::chain_ways ways;
    std::uint64_t forms = 0;
    std::string factories;
  };
  /// One set on its way.
  struct work {
    const tide::write_set& set;
    chain_state c;
    std::optional<evm::block_id> mark_before;
    decision by;
    tide::applied done{};
    std::set<evm::block_id> read_whole{}, left{};
    std::unordered_set<evm::hash32> proved{};
    const tide::reorg* reorg = nullptr;
    bool backfill = false;              ///< the set reads below the mark for a subscription
    std::uint32_t confirmed_undone = 0; ///< for the reorg's row

    /// Drawn without a subscription, or a part of one, that counts by now.
    bool stale() const { return set.forms < c.forms; }
    bool late(std::uint64_t block) const { return mark_before && block <= mark_before->number; }
  };
  struct refusal {
    std::string text;
  };

  std::optional<chain_state> read_chain(std::uint64_t chain_id);
  tide::store_answer write_all(work& w);
  // What every set does, whatever its verdicts (apply.cpp)
  void check(const work& w) const;
  void take_headers(work& w);
  void find_waiting(work& w);
  void write_chain(const work& w);
  std::optional<evm::hash32> canonical(const work& w, std::uint64_t number);
  void must_be_canonical(const work& w, const evm::block_id& b, const char* what);

  // verdicts.cpp
  void take(work& w, const tide::started& v);
  void take(work& w, const tide::orphaned& v);
  void take(work& w, const tide::saw& v);
  void take(work& w, const tide::shown& v);
  void take(work& w, const tide::proved& v);
  void take(work& w, const tide::mark_moved& v);
  void take(work& w, const tide::final_moved& v);
  void take(work& w, const tide::reorg& v);
  void take(work& w, const tide::halted& v);
  void take(work& w, const tide::resumed& v);
  void take(work& w, const tide::learned& v);
  void take(work& w, const tide::skipped& v);
  void take(work& w, const tide::backfilled& v);
  void take(work& w, const tide::hint_verdict& v);
  void take(work& w, const tide::born& v);
  void take(work& w, const tide::raised& v);
  void cover(work& w);
  void write_reorg(const work& w);
  // sightings.cpp
  /// Logs of blocks that were read whole, which alone know their ordinals.
  void take_logs(work& w, const std::vector<tide::sighting>& logs, tide::reading how);
  void take_log(work& w, std::optional<stored_event> e, const tide::sighting& log,
                tide::reading how, std::optional<std::int64_t> replaces = std::nullopt);
  void confirm(work& w, stored_event& e, const tide::sighting& log);
  void ripen(work& w, stored_event& e);
  void roll_back(work& w, stored_event& e, tide::why why);
  void note_second(work& w, const stored_event& e, const tide::sighting& log);

  ledger& ledger_;
  key_runs& keys_;
  event_table& events_;
  lane_book& lanes_;
  hint_queue& hints_;
  source_quality& quality_;
  count_book& counts_;
  statement chain_, set_chain_, headers_, canonical_, leave_above_, leave_others_, put_header_,
      drop_below_;
  statement insert_reorg_, gap_known_, insert_gap_, stop_lanes_, wake_lanes_, lane_handlers_;
  statement children_, clear_children_, orphan_children_, insert_child_;
};

} // namespace tidemark::store
