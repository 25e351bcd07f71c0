// SPDX-License-Identifier: MIT
#pragma once

#include "tide/rpc_error.hpp"
#include "tide/status.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tide {

/// What is known about one endpoint before it is asked.
struct endpoint_settings {
  std::string name;
  std::optional<std::uint64_t> max_range;
  double requests_per_second = 0; ///< 0: no limit of ours
};

/// A chain's endpoints: whom to ask, how much at once, and what their failures mean. The first is
/// preferred; another takes over while it fails and gives back when it has recovered. Times are ms.
class pool {
public:
  /// What an ask is about, as far as it matters for who is asked.
  struct wanted {
    bool head = false;                            ///< where the chain is now
    std::optional<std::uint64_t> lowest, highest; ///< heights
    std::optional<std::size_t> rather_not;        ///< another one than this, where there is one
  };

  pool(std::vector<endpoint_settings> endpoints, std::uint64_t max_range);

  /// The endpoint to ask now, passing over `tried`; nothing: none may be asked at this moment.
  std::optional<std::size_t> choose(std::int64_t now, const std::vector<bool>& tried,
                                    const wanted& w) const;
  std::optional<std::size_t> choose(std::int64_t now, const std::vector<bool>& tried) const {
    return choose(now, tried, {});
  }
  bool may_ask(std::size_t i, std::int64_t now) const { return now >= all_[i].not_before; }
  std::int64_t not_before(std::size_t i) const { return all_[i].not_before; }
  endpoint_state state(std::size_t i) const { return all_[i].says.state; }
  /// When the soonest of them may be asked again.
  std::int64_t ready_at(std::int64_t now) const;
  /// Its head is more than a few blocks behind the best that another names.
  bool lags(std::size_t i) const;
  /// Others were asked in the same moment: what they named counts for its state too.
  void compare(std::size_t i) { all_[i].lagged = lags(i); }

  void succeeded(std::size_t i, double latency_ms, std::uint64_t highest, std::int64_t now,
                 bool named_head = false);
  /// `lowest`: of the heights asked for; what it has dropped it is not asked for again.
  void failed(std::size_t i, rpc_failure f, const std::string& text, std::int64_t now,
              std::optional<std::int64_t> retry_after_ms, std::optional<std::uint64_t> lowest = {});
  /// More lies, longer pauses.
  void lied(std::size_t i, std::int64_t now);
  void refuse(std::size_t i, const std::string& text,
              std::int64_t now); ///< another chain's endpoint: looked at again a minute later

  // How often (pool_sizes.cpp)
  /// How long to wait before so many calls may go to it (its token bucket); takes them.
  std::int64_t take_tokens(std::size_t i, std::size_t calls, std::int64_t now);
  /// It wants less of us: half of what it got, slowly more again.
  void slow_down(std::size_t i, std::int64_t now);
  double rate(std::size_t i) const; ///< calls a second; 0: no limit

  // How much at once (pool_sizes.cpp)
  /// Calls of one request: never more than a second's worth.
  std::size_t batch(std::size_t i) const;
  /// A request of so many calls was too large.
  void shrink_batch(std::size_t i, std::size_t calls);
  /// It did not take a batch as one. Tried again when single calls have worked for a while.
  void no_batches(std::size_t i) { shrink_batch(i, 1); }
  /// A full batch was answered: after a while a larger one is tried.
  void batch_worked(std::size_t i);

  /// Blocks of one eth_getLogs.
  std::uint64_t span(std::size_t i, std::int64_t now) const;
  /// Strictly smaller: the hint if it is one, else half. False: it was one block already. `of`:
  /// what there was too much of; too many blocks once is too many always (or for an hour), too many
  /// results are so only where logs are dense.
  bool shrink_span(std::size_t i, std::uint64_t asked, std::optional<std::uint64_t> hint, excess of,
                   std::int64_t now);
  void range_worked(std::size_t i, std::uint64_t span, std::size_t logs, std::int64_t now);
  /// A range failed without a word that says why; true: often enough to take it for too long.
  bool failed_without_words(std::size_t i);

  /// Addresses or topics of one eth_getLogs.
  std::size_t list(std::size_t i) const { return all_[i].list; }
  void shrink_list(std::size_t i, std::size_t asked);

  /// A number of logs at which it ends an answer without a word; 0: none is known.
  std::size_t silent_cap(std::size_t i) const { return all_[i].silent_cap; }
  /// It gave so many logs in one answer a moment ago: it does not cut at less. Others of its name
  /// may, so that this is soon forgotten.
  std::size_t proved_logs(std::size_t i, std::int64_t now) const;
  void found_cap(std::size_t i, std::size_t cap) { all_[i].silent_cap = cap; }
  void gave_logs(std::size_t i, std::size_t logs, std::int64_t now);

  bool known_chain(std::size_t i) const { return all_[i].checked; }
  void set_known_chain(std::size_t i, bool known) { all_[i].checked = known; }

  std::size_t size() const { return all_.size(); }
  const std::string& name(std::size_t i) const { return all_[i].told.name; }
  const std::string& words(std::size_t i) const { return all_[i].words; } ///< of its last failure
  std::vector<endpoint_status> status() const;
  std::uint64_t head(std::size_t i) const { return all_[i].says.head.value_or(0); }

private:
  struct endpoint {
    endpoint_settings told;
    endpoint_status says;
    bool checked = false; ///< its chain id, since it last failed
    std::uint32_t failures = 0;
    std::int64_t not_before = 0;
    std::string words; ///< of its last failure; empty: it worked

    std::optional<std::uint64_t> claims; ///< the head that it named last
    std::int64_t claimed_at = 0;
    bool lagged = false; ///< when it did: what others have come to since says nothing of it
    std::optional<std::uint64_t> dropped; ///< history up to there, until:
    std::int64_t dropped_until = 0;
    std::uint32_t lies = 0; ///< of late
    std::int64_t lied_at = 0;

    std::size_t batch = 50;
    std::uint32_t batches_worked = 0; ///< in a row
    std::uint64_t span = 0;           ///< what works here and now
    bool span_learned = false;        ///< it was too much once
    std::uint64_t good = 0;           ///< the span that worked last
    std::uint64_t refused = 0;        ///< so many blocks are too many, whatever is in them; 0: none
    bool refusal_says = false;        ///< that one less works
    std::int64_t refused_at = 0;
    std::uint32_t worked = 0;   ///< ranges in a row
    std::uint32_t wordless = 0; ///< failures of ranges, in a row
    std::size_t list = std::numeric_limits<std::size_t>::max();
    std::size_t silent_cap = 0, proved_logs = 0;
    std::int64_t proved_at = 0;

    double tokens = 0;
    std::int64_t filled_at = 0;
    double limit = 0; ///< a second, learned; 0: none
    double hit = 0;   ///< a second, when it last said that it is too much
    std::int64_t slowed_at = 0;
    double last_second = 0, this_second = 0; ///< calls sent to it
    std::int64_t second_at = 0;
  };

  static bool is_liar(const endpoint& e);
  std::uint64_t best_head() const;
  std::uint64_t limit_of(const endpoint& e) const;
  std::uint64_t most_blocks(const endpoint& e, std::int64_t now) const;
  bool has_dropped(const endpoint& e, const wanted& w, std::int64_t now) const;
  bool behind(std::size_t i, const wanted& w, std::int64_t now) const;

  std::vector<endpoint> all_;
  std::uint64_t max_range_;
};

} // namespace tidemark::tide
