// SPDX-License-Identifier: MIT
#include "tide/scan.hpp"

#include "evm/hex.hpp"

#include <algorithm>

// What a Tide knows at this moment: how far the chain is, what that lets through, and how it says
// so.

namespace tidemark::tide {
namespace {

constexpr std::uint64_t catching_up_from = 50; // blocks behind
constexpr millis lower_is_odd = millis{5} * 60'000;
constexpr millis tag_stands_long = millis{30} * 60'000;
constexpr std::uint64_t tag_stands_far = 300; // blocks that the head went on meanwhile

} // namespace

chain_view tide::view() const {
  chain_view v;
  if (const auto tip = held_.tip()) v.head = tip->number;
  if (settings_.quorum > 1) v.head = std::min(v.head, agreed_ ? agreed_->head : 0);
  // A tag above our head waits for the head; one at the head is believed only where the chain has
  // no reorgs; one that names a block that is not ours says nothing (rpc.md: tags).
  const auto believed = [&](const std::optional<evm::block_id>& t,
                            bool below_head) -> std::optional<std::uint64_t> {
    if (!t || t->number > v.head || held_.contradicts(*t)) return std::nullopt;
    if (below_head && t->number == v.head && t->number > 0) return std::nullopt;
    return t->number;
  };
  v.safe = believed(safe_, false);
  v.finalized = believed(finalized_, !settings_.instant);
  return v;
}

/// The highest block that the chain's own policy lets through: of the headers that we hold, since a
/// height may be void; in the hole of a catch-up just the height.
std::optional<std::uint64_t> tide::target() const {
  if (held_.empty()) return std::nullopt;
  const auto top = reach(settings_.confirmations, view());
  if (!top) return std::nullopt;
  if (held_.find(*top)) return top;
  const auto *below = held_.below(*top), *above = held_.above(*top);
  const bool is_void = below && above && above->parent == below->id.hash;
  return is_void ? below->id.number : *top;
}

bool may_have_logs(const interest& wants, const chain_ways& ways, const evm::header& h,
                   proof asked) {
  if (wants.empty()) return false;
  if (asked == proof::none || wants.may_be_in(h.logs_bloom)) return true;
  if (ways.bloom == blooms::hold) return false;
  // Until a bloom was seen to be that of its logs, one that is empty proves nothing, but of a block
  // that is empty.
  return ways.bloom == blooms::do_not_hold || !h.transactions.empty() ||
         h.logs_bloom != evm::bloom{};
}

/// A range from there on is read as one that no fork reaches. A few blocks that are just deep
/// enough are not: alone they may be void.
bool tide::lies_deep(std::uint64_t from) const {
  constexpr std::uint64_t a_few = 8;
  const auto tip = held_.tip();
  const auto shallow = settings_.max_depth + a_few;
  return tip && tip->number > shallow && from < tip->number - shallow;
}

/// No bloom says anything of transactions.
bool tide::may_have(const interest& wants, const evm::header& h, proof asked) const {
  return may_have_logs(wants, ways_, h, asked) || (wants.transactions() && !h.transactions.empty());
}

/// The first block above the mark: where we hold it, the heights below it are known to be void.
std::uint64_t tide::first_unread() const {
  const auto* next = mark_ ? held_.above(mark_->number) : nullptr;
  return next && next->parent == mark_->hash ? next->id.number : first_unmarked();
}

bool tide::behind() const {
  const auto t = target();
  return t && *t >= first_unmarked();
}

bool tide::ripe() const {
  const auto v = view();
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const ripening& r) {
    return holds(r.asks, r.block.number, v) && !ripe_order_.rests(r.block, now_);
  });
}

std::string tide::place(const evm::block_id& id) const {
  return "block " + std::to_string(id.number) + " (" + evm::to_hex(id.hash).substr(0, 18) + "…)";
}

chain_status tide::status() const {
  chain_status s;
  s.name = settings_.name;
  s.id = settings_.chain_id;
  s.head = held_.tip();
  if (s.head) s.head_time = held_.find(s.head->number)->time;
  s.mark = mark_;
  const auto v = view();
  s.safe = v.safe;
  s.finalized = v.finalized;
  s.last_reconcile = last_reconcile_;
  s.backfills = counts_.backfills;
  s.failed_scans = failed_scans_;
  s.undecodable = undecodable_;
  if (behind()) s.lag_blocks = *target() + 1 - first_unmarked();
  const auto failing =
      std::max_element(records_.begin(), records_.end(),
                       [](const record& a, const record& b) { return a.failures < b.failures; });
  if (halted_) {
    s.state = chain_state::halted;
    s.reason = *halted_;
  } else if (!held_back_.empty()) {
    s.state = chain_state::degraded;
    s.reason = held_back_;
  } else if (!started_ && failing->failures < 2) {
    s.state = chain_state::starting;
    s.reason = failing->trouble;
  } else if (failing->failures >= 2 || second_look_ || !disagreement_.empty()) {
    s.state = chain_state::degraded;
    s.reason = failing->failures >= 2 ? failing->trouble
               : second_look_         ? "a fork at or below the mark was seen; it is looked at "
                                        "once more before anything is taken back"
                                      : disagreement_;
  } else if (!ripe_order_.aside().empty()) {
    const auto& [block, stuck] = *ripe_order_.aside().begin();
    s.state = chain_state::degraded;
    s.reason =
        "events of " + place(block) + " wait for a second reading, which fails: " + stuck.why;
  } else if (lower_since_ && now_ - *lower_since_ >= lower_is_odd) {
    s.state = chain_state::degraded;
    s.reason = "the endpoint's head has been below block " + std::to_string(s.head->number) +
               ", which it named before, for " + std::to_string((now_ - *lower_since_) / 60'000) +
               " minutes; it lags, or the chain was set back";
  } else {
    s.state = s.lag_blocks > catching_up_from ? chain_state::catching_up : chain_state::following;
    s.reason = notices();
  }
  return s;
}

/// Lasting words about the chain, no failures.
std::string tide::notices() const {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (ways_.bloom == blooms::do_not_hold)
    add("this chain's blooms are not those of its logs: blocks are proved by their log indexes "
        "alone");
  if (ways_.indexes == numbering::transaction)
    add("this chain counts log indexes within each transaction");
  if (const auto waits = settings_.confirmations.at_least; waits != tag::none && started_)
    if (const auto seen = view(); !(waits == tag::safe ? seen.safe : seen.finalized))
      add("the policy waits for the " + std::string(to_text(waits)) +
          " block, and none is named that can be believed: no endpoint has that tag, it stands at "
          "the head, or it is of another chain");
  if (const auto tip = held_.tip(); standing_.since > 0 && tip &&
                                    now_ - standing_.since >= tag_stands_long &&
                                    tip->number >= standing_.head + tag_stands_far)
    add("the finalized block has stood at " + std::to_string(standing_.number) + " for " +
        std::to_string((now_ - standing_.since) / 60'000) + " minutes while the head went on");
  return out;
}

millis tide::next_tick() const {
  if (halted_ || running_ || ended_ || !held_back_.empty()) return now_ + 1'000; // answers wake it
  if (!started_) return next_start_;
  if (suspect_reorg_) return next_reorg_;
  auto at = std::min({next_head_, next_check_, next_overlap_, next_take_});
  if (!hints_.empty()) at = std::min(at, next_hints_);
  if (factories_ != wants_->factories()) at = std::min(at, next_nursery_);
  if (behind()) at = std::min(at, next_reconcile_);
  if (ripe()) at = std::min(at, next_ripen_);
  if (mark_ && !counts_.backfills.empty()) at = std::min(at, next_backfill_);
  if (!orders_.empty()) at = std::min(at, next_ordered_);
  return at;
}

} // namespace tidemark::tide
