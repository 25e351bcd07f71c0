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
  std::optional<log_place> event; ///< absent: the hint names the block alone, which is read for it
};

/// So many blocks that we do not hold are looked up a pass; each is a call.
constexpr std::size_t blocks_a_pass = 16;

/// The log of ours that the hint means, or the first of its block. `there`: the block has what the
/// hint claims.
std::optional<log_place> ours_in(const std::vector<evm::log>& logs, const chain_hint& h,
                                 const interest& wants, const nursery& children, bool& there) {
  there = !h.log_index;
  for (const auto& l : logs) {
    if (h.log_index && l.log_index != *h.log_index) continue;
    there = true;
    if (wants.wants(l, &children)) return log_place{l.tx, static_cast<std::int32_t>(l.log_index)};
  }
  return std::nullopt;
}

bool has_ours(const interest& wants, const block_reading& b, const evm::hash32& tx) {
  return std::any_of(b.transactions.begin(), b.transactions.end(),
                     [&](const evm::transaction& t) { return t.hash == tx && wants.wants(t); });
}

} // namespace

/// The hints of one pass on their way from look-up to verdict.
struct tide::hints_in_hand {
  std::vector<chain_hint> taken;
  std::map<evm::hash32, evm::receipt> receipts;
  std::map<std::uint64_t, evm::block_id> blocks; ///< that are named alone, and we do not hold
  std::optional<std::size_t> endpoint;           ///< whose receipts they are
  bool answered = true;
  std::vector<verdict> verdicts;
  std::vector<borne_out> found;
  std::deque<chain_hint> waiting; ///< for a block above our tip, or a reorg that is looked into
};

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
    if (!co_await hold_down_to(id.number)) co_return false;
    if (held_.contradicts(id)) co_return false;
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

/// The receipts of the transactions that are claimed, and the blocks that are named alone.
task<bool> tide::look_up(hints_in_hand& in) {
  std::vector<std::uint64_t> heights;
  const auto tip = held_.tip();
  for (auto& h : in.taken) {
    if (h.tx) continue;
    for (const auto& one : held_.all())
      if (!h.block && h.block_hash == one.second.id.hash) h.block = one.first;
    const auto n = h.block.value_or(0);
    if (!h.block || n < lowest_counted() || !tip || n > tip->number || held_.find(n)) continue;
    const bool known = std::find(heights.begin(), heights.end(), n) != heights.end();
    if (!known && heights.size() < blocks_a_pass) heights.push_back(n);
  }
  for (const auto number : heights) {
    ask_for(ask_headers{number, number}, in.endpoint);
    const answer a = co_await the_answer{*this};
    if (const auto* header = header_at(a, number)) {
      in.endpoint = a.endpoint;
      in.blocks.emplace(number, header->id());
    }
  }
  std::vector<evm::hash32> txs;
  for (const auto& h : in.taken)
    if (h.tx && std::find(txs.begin(), txs.end(), *h.tx) == txs.end()) txs.push_back(*h.tx);
  if (txs.empty()) co_return true;
  ask_for(ask_receipts{txs}, in.endpoint);
  const answer a = co_await the_answer{*this};
  const auto* got = std::get_if<receipts_answer>(&a.what);
  if (!got) co_return false;
  in.endpoint = a.endpoint;
  for (std::size_t i = 0; i < txs.size(); ++i)
    if (got->receipts[i]) in.receipts.emplace(txs[i], *got->receipts[i]);
  co_return true;
}

/// What its receipt says of one hint: a verdict, a wait, or a block to read.
void tide::weigh(hints_in_hand& in, chain_hint h) {
  const auto irrelevant = [&] {
    in.verdicts.push_back(hint_verdict{h.webhook, h.n, hint_state::irrelevant, {}, h.looks_ms, {}});
  };
  const auto tip = held_.tip();
  const auto wait = [&] {
    if (++h.tries < 4)
      in.waiting.push_back(std::move(h));
    else
      look_again(h, false, in.verdicts);
  };
  if (!h.tx) {
    // By a hash that we do not hold nothing can be looked for: the scan reads every block anyway.
    if (!h.block || *h.block < lowest_counted()) return irrelevant();
    if (!tip || *h.block > tip->number) {
      next_head_ = now_;
      return wait();
    }
    const auto* held = held_.find(*h.block);
    const auto read = in.blocks.find(*h.block);
    if (!held && read == in.blocks.end()) return look_again(h, false, in.verdicts);
    const auto block = held ? held->id : read->second;
    if (!h.block_hash || *h.block_hash == block.hash) {
      in.found.push_back({std::move(h), block, std::nullopt});
      return;
    }
    next_check_ = now_; // one of us is on another chain
    return look_again(h, true, in.verdicts);
  }
  const auto r = in.receipts.find(*h.tx);
  if (r == in.receipts.end()) {
    if (h.block && held_.find(*h.block)) next_check_ = now_; // it may have left with its block
    return look_again(h, in.answered, in.verdicts);
  }
  const auto& receipt = r->second;
  if (receipt.block.number < lowest_counted()) return irrelevant();
  bool claimed = false;
  auto ours = ours_in(receipt.logs, h, *wants_, nursery_, claimed);
  // What names a transaction, or a log of it that is none of ours, may mean the transaction itself.
  if (!ours && claimed && wants_->transactions() && wants_->transactions()->may_want(receipt))
    ours = log_place{receipt.tx, -1};
  if (!claimed) return look_again(h, true, in.verdicts); // its transaction alone is there
  const bool above = !tip || receipt.block.number > tip->number;
  if (!ours && !(above && wants_->has_factories())) // it may be a child's that is still to be read
    return irrelevant();
  if (!above && !held_.contradicts(receipt.block)) {
    in.found.push_back({std::move(h), receipt.block, *ours});
    return;
  }
  if (above)
    next_head_ = now_;
  else
    suspect_reorg_ = true;
  wait();
}

/// What the blocks read whole say, and then what became of the hints.
write_set tide::hints_set(const hints_in_hand& in,
                          const std::vector<block_reading>& readings) const {
  write_set set = new_set();
  saw seen;
  for (const auto& b : readings) {
    const auto named = std::find_if(in.found.begin(), in.found.end(),
                                    [&](const borne_out& f) { return f.block == b.header.id(); });
    const auto origin = named != in.found.end() ? "webhook:" + named->hint.source : "head";
    if (mark_ && b.header.number <= mark_->number) {
      set.verdicts.push_back(proof_of(b, origin));
    } else {
      for (auto& s : sightings_of(b, origin))
        seen.logs.push_back(std::move(s));
    }
  }
  if (!seen.logs.empty()) set.verdicts.push_back(std::move(seen));
  for (const auto& v : in.verdicts)
    set.verdicts.push_back(v);
  return set;
}

/// Those that wait, before those that came while this pass was reading.
void tide::put_back(hints_in_hand& in) {
  bool any_fresh = false;
  for (auto& h : hints_) {
    const auto same = [&](const chain_hint& x) { return x.webhook == h.webhook && x.n == h.n; };
    if (std::any_of(in.taken.begin(), in.taken.end(), same)) continue;
    in.waiting.push_back(std::move(h));
    any_fresh = true;
  }
  hints_ = std::move(in.waiting);
  next_hints_ = any_fresh ? now_ : now_ + settings_.poll;
  next_take_ = std::min(next_take_, now_ + settings_.poll);
}

/// What a webhook claims makes us look, and never makes anything true: the receipt says where, the
/// block read whole says what.
tide::pass tide::hint_pass() {
  hints_in_hand in;
  in.taken.assign(hints_.begin(), hints_.end());
  in.answered = co_await look_up(in);
  for (const auto& h : in.taken)
    weigh(in, h);

  // Several hints of one block are one reading of it; a block that was read whole needs none.
  std::vector<evm::block_id> unread;
  for (const auto& f : in.found) {
    const auto* held = held_.find(f.block.number);
    const bool late = mark_ && f.block.number <= mark_->number;
    const bool value_unknown =
        f.event && f.event->log_index < 0 && wants_->transactions()->by_value();
    if (f.event && held && held->whole && !late && settings_.follow && !value_unknown) continue;
    if (std::find(unread.begin(), unread.end(), f.block) == unread.end()) unread.push_back(f.block);
  }
  std::sort(unread.begin(), unread.end());
  auto readings = co_await read_whole(unread, in.endpoint, settings_.integrity);
  bool stand = false;
  if (readings) stand = co_await stands(*readings, in.endpoint);
  if (!stand) {
    // The passes will read these blocks; the hints look again later.
    for (const auto& f : in.found)
      look_again(f.hint, false, in.verdicts);
    in.found.clear();
    readings.emplace();
  }
  for (auto& f : in.found) {
    bool there = true;
    if (!f.event)
      for (const auto& b : *readings)
        if (b.header.id() == f.block) f.event = ours_in(b.logs, f.hint, *wants_, nursery_, there);
    // A transaction's value is known once its block was read.
    for (const auto& b : *readings)
      if (b.header.id() == f.block && f.event && f.event->log_index < 0 &&
          !has_ours(*wants_, b, f.event->tx))
        f.event.reset();
    if (!there)
      look_again(f.hint, true, in.verdicts);
    else
      in.verdicts.push_back(hint_verdict{f.hint.webhook,
                                         f.hint.n,
                                         f.event ? hint_state::verified : hint_state::irrelevant,
                                         {},
                                         f.hint.looks_ms,
                                         f.event});
  }
  if (write_set set = hints_set(in, *readings); !set.verdicts.empty()) {
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
  put_back(in);
  co_return pass_end::done;
}

} // namespace tidemark::tide
