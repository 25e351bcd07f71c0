// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tidemark::tide {
namespace {

constexpr std::uint32_t an_hour = 3'600'000;
constexpr millis first_look_again = 1'000;
constexpr millis longest_look_again = 60'000;

/// A hint that the chain bears out, and the block that has to be in the store before the hint says
/// so.
struct borne_out {
  chain_hint hint;
  evm::block_id block;
  log_place event;
};

} // namespace

/// Not on the chain as claimed, or not yet. An hour of looks at an endpoint that is past the
/// claimed block makes it `not_found`; time in which nobody answered, or nobody was so far, does
/// not count.
void tide::look_again(const chain_hint& h, bool counts, std::vector<verdict>& out) {
  const auto wait =
      std::min(first_look_again << std::min<std::uint32_t>(h.tries, 6), longest_look_again);
  hint_verdict v{h.webhook, h.n, hint_state::received, now_ + wait, h.looks_ms, {}};
  const bool past = counts && seen_head_ >= h.block.value_or(0);
  if (past)
    v.looks_ms += static_cast<std::uint32_t>(
        h.tries > 0 ? std::min(first_look_again << std::min<std::uint32_t>(h.tries - 1, 6),
                               longest_look_again)
                    : 0);
  if (v.looks_ms >= an_hour) {
    v.state = hint_state::not_found;
    v.due.reset();
  }
  out.push_back(v);
}

/// What is late is confirmed from this one reading: a quorum has to stand behind its block, and one
/// that lies below what we hold has to be on our chain: the endpoint that gave it has our mark too.
task<bool> tide::stands(const std::vector<block_reading>& readings,
                        std::optional<std::size_t> endpoint) {
  std::vector<evm::block_id> asked_again;
  for (const auto& b : readings) {
    const auto id = b.header.id();
    if (!mark_ || id.number > mark_->number) continue;
    if (!held_.find(id.number)) asked_again.push_back(id);
    if (!co_await vouched(id, endpoint)) co_return false;
  }
  if (asked_again.empty()) co_return true;
  // Our mark first, then those blocks once more: it may have been on another chain a moment ago.
  asked_again.insert(asked_again.begin(), *mark_);
  for (const auto& id : asked_again) {
    ask_for(ask_headers{id.number, id.number}, endpoint);
    const answer a = co_await the_answer{*this};
    const auto* there = header_at(a, id.number);
    if (!there || there->hash != id.hash) co_return false;
  }
  co_return true;
}

/// What a webhook claims makes us look, and never makes anything true: the receipt says where, the
/// block read whole says what.
tide::pass tide::hint_pass() {
  std::vector<chain_hint> taken(hints_.begin(), hints_.end());
  std::vector<evm::hash32> txs;
  for (const auto& h : taken)
    if (h.tx && std::find(txs.begin(), txs.end(), *h.tx) == txs.end()) txs.push_back(*h.tx);

  std::map<evm::hash32, evm::receipt> receipts;
  bool answered = true;
  std::optional<std::size_t> endpoint;
  if (!txs.empty()) {
    ask_for(ask_receipts{txs});
    const answer a = co_await the_answer{*this};
    if (const auto* got = std::get_if<receipts_answer>(&a.what)) {
      endpoint = a.endpoint;
      for (std::size_t i = 0; i < txs.size(); ++i)
        if (got->receipts[i]) receipts.emplace(txs[i], *got->receipts[i]);
    } else {
      answered = false;
    }
  }

  std::vector<verdict> verdicts;
  std::vector<borne_out> found;
  std::deque<chain_hint>
      waiting; // for a block that is above our tip, or for a reorg that is being looked into
  const auto tip = held_.tip();
  for (auto& h : taken) {
    const auto r = h.tx ? receipts.find(*h.tx) : receipts.end();
    if (r == receipts.end()) {
      // Without a transaction there is nothing to look up by: the scan reads every block anyway.
      if (!h.tx)
        verdicts.push_back(
            hint_verdict{h.webhook, h.n, hint_state::irrelevant, {}, h.looks_ms, {}});
      else
        look_again(h, answered, verdicts);
      continue;
    }
    const auto& receipt = r->second;
    if (receipt.block.number < start_) {
      verdicts.push_back(hint_verdict{h.webhook, h.n, hint_state::irrelevant, {}, h.looks_ms, {}});
      continue;
    }
    bool claimed = !h.log_index;
    std::optional<log_place> ours;
    for (const auto& l : receipt.logs) {
      if (h.log_index && l.log_index != *h.log_index) continue;
      claimed = true;
      if (!ours && wants_->wants(l)) ours = log_place{l.tx, static_cast<std::int32_t>(l.log_index)};
    }
    if (!claimed) {
      look_again(h, true, verdicts); // the transaction is there, the log that is claimed is not
    } else if (!ours) {
      verdicts.push_back(hint_verdict{h.webhook, h.n, hint_state::irrelevant, {}, h.looks_ms, {}});
    } else if (!tip || receipt.block.number > tip->number) {
      next_head_ = now_;
      ++h.tries < 4 ? waiting.push_back(std::move(h)) : look_again(h, false, verdicts);
    } else if (held_.contradicts(receipt.block)) {
      suspect_reorg_ = true;
      ++h.tries < 4 ? waiting.push_back(std::move(h)) : look_again(h, false, verdicts);
    } else {
      found.push_back({std::move(h), receipt.block, *ours});
    }
  }

  // Several hints of one block are one reading of it; a block that was read whole needs none.
  std::vector<evm::block_id> unread;
  for (const auto& f : found) {
    const auto* held = held_.find(f.block.number);
    const bool late = mark_ && f.block.number <= mark_->number;
    if (held && held->whole && !late && settings_.follow) continue;
    if (std::find(unread.begin(), unread.end(), f.block) == unread.end()) unread.push_back(f.block);
  }
  std::sort(unread.begin(), unread.end());
  auto readings = co_await read_whole(unread, endpoint, settings_.integrity);
  if (!readings) {
    // The passes will read these blocks; the hints look again later.
    for (const auto& f : found)
      look_again(f.hint, false, verdicts);
    found.clear();
    readings.emplace();
  }
  if (!co_await stands(*readings, endpoint)) {
    for (const auto& f : found)
      look_again(f.hint, false, verdicts);
    found.clear();
    readings->clear();
  }
  write_set set = new_set();
  saw seen;
  for (const auto& b : *readings) {
    const auto origin = [&] {
      for (const auto& f : found)
        if (f.block == b.header.id()) return "webhook:" + f.hint.source;
      return std::string("head");
    }();
    if (mark_ && b.header.number <= mark_->number) {
      proved whole = proof_of(b, origin);
      set.verdicts.push_back(std::move(whole));
    } else {
      for (auto& s : sightings_of(b, origin))
        seen.logs.push_back(std::move(s));
    }
  }
  if (!seen.logs.empty()) set.verdicts.push_back(std::move(seen));
  for (const auto& f : found)
    verdicts.push_back(
        hint_verdict{f.hint.webhook, f.hint.n, hint_state::verified, {}, f.hint.looks_ms, f.event});
  for (auto& v : verdicts)
    set.verdicts.push_back(std::move(v));
  if (!set.verdicts.empty()) {
    put(std::move(set));
    const store_answer done = co_await the_outcome{*this};
    const auto* ok = std::get_if<applied>(&done);
    if (!ok) {
      suspect_reorg_ = true;
      fail("what a webhook pointed at contradicts what is stored; the fork is looked for");
      co_return pass_end::failed;
    }
    for (const auto& r : ok->waiting)
      waiting_.push_back(r);
    for (const auto& b : *readings)
      if (settings_.follow) held_.set_whole(b.header.number);
  }
  // Those that came while this pass was reading stay.
  std::deque<chain_hint> fresh;
  for (auto& h : hints_) {
    const auto same = [&](const chain_hint& x) { return x.webhook == h.webhook && x.n == h.n; };
    if (std::none_of(taken.begin(), taken.end(), same)) fresh.push_back(std::move(h));
  }
  const bool any_fresh = !fresh.empty();
  hints_ = std::move(waiting);
  for (auto& h : fresh)
    hints_.push_back(std::move(h));
  next_hints_ = any_fresh ? now_ : now_ + settings_.poll;
  next_take_ = std::min(next_take_, now_ + settings_.poll);
  co_return pass_end::done;
}

} // namespace tidemark::tide
