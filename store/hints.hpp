// SPDX-License-Identifier: MIT
#pragma once

#include "store/events.hpp"
#include "store/quality.hpp"

#include <span>
#include <vector>

namespace tidemark::store {

/// What became of webhooks: intake's rows and cursor, and the hints that chains take.
class hint_queue {
public:
  hint_queue(ledger& l, event_table& events, source_quality& quality);

  std::vector<raw_webhook> untaken(std::size_t max_rows, std::size_t max_bytes);
  void put(std::span<const extracted> webhooks, std::int64_t now);
  hint_batch take(std::uint64_t chain_id, std::int64_t now, std::size_t limit);
  std::uint64_t again(std::span<const std::int64_t> webhooks);
  void settle(std::int64_t chain, const tide::hint_verdict& v);

private:
  tide::hint_state put_hint(std::int64_t webhook, std::uint32_t n, const hint_in& h,
                            std::int64_t now, bool again);
  void read_raw(statement& s, std::int64_t from, std::size_t max_rows, std::size_t max_bytes,
                std::vector<raw_webhook>& found);
  void settled(std::int64_t webhook, tide::hint_state state,
               const std::optional<std::int64_t>& event);
  /// Keeps the source's count of false ones.
  void set_state(std::int64_t webhook, tide::hint_state to);

  ledger& ledger_;
  event_table& events_;
  source_quality& quality_;
  statement raw_again_, raw_new_, clear_hints_, clear_again_, insert_hint_, put_intake_,
      set_cursor_;
  statement due_, next_due_, lease_, source_, came_, seen_at_, put_again_, reopen_;
  statement settle_, takes_back_, least_state_, state_, set_state_, count_false_;
};

} // namespace tidemark::store
