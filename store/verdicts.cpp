// SPDX-License-Identifier: MIT
#include "store/apply.hpp"

#include <algorithm>
#include <map>
#include <set>

// What each verdict does to the chain's row and to the rows of its events (tide/write_set.hpp says
// what they mean).

namespace tidemark::store {
namespace {

tide::log_place place_of(const tide::sighting& s) { return {s.tx, s.log_index}; }
tide::log_place place_of(const stored_event& e) { return {e.tx, e.log_index}; }

/// The id that the range names at this height; absent: no block has that number.
const evm::block_id* at_height(const std::vector<evm::block_id>& ascending, std::uint64_t number) {
  const auto at =
      std::lower_bound(ascending.begin(), ascending.end(), number,
                       [](const evm::block_id& b, std::uint64_t n) { return b.number < n; });
  return at != ascending.end() && at->number == number ? &*at : nullptr;
}

} // namespace

void chain_writer::take(work& w, const tide::started& v) {
  if (w.c.start_block) throw refusal{"the chain has its start already"};
  w.c.start_block = v.start_block;
  w.c.mark = w.mark_before = v.mark;
  counts_.started(w.c.chain, v.start_block);
}

void chain_writer::take(work& w, const tide::orphaned& v) {
  if (canonical(w, v.block.number) == v.block.hash)
    throw refusal{"block " + std::to_string(v.block.number) + " is orphaned and canonical at once"};
  auto events = events_.active(w.c.chain, v.block.number, v.block.number);
  for (auto e = events.rbegin(); e != events.rend(); ++e) {
    if (e->row.block != v.block) continue;
    if (e->row.status == tide::status::confirmed) ++w.confirmed_undone;
    roll_back(w, *e, tide::why::reorg);
  }
}

void chain_writer::take(work& w, const tide::saw& v) {
  const evm::block_id* checked = nullptr;
  for (const tide::sighting& log : v.logs) {
    if (!checked || *checked != log.block) must_be_canonical(w, log.block, "a log was seen in");
    checked = &log.block;
  }
  take_logs(w, v.logs, tide::reading::saw);
}

void chain_writer::take(work& w, const tide::shown& v) {
  if (v.blocks.empty()) return;
  const std::uint64_t first = v.blocks.front().number, to = v.blocks.back().number;
  const std::uint64_t from = std::min(v.void_from.value_or(first), first);
  for (rows r = headers_.query(w.c.chain, from, to); r.next();) {
    const evm::block_id* named = at_height(v.blocks, r.u64(0));
    if (!named || named->hash != r.hash(1))
      throw refusal{"the range differs from what is held at block " + std::to_string(r.u64(0))};
  }
  const tide::reading how = v.settles ? tide::reading::settled : tide::reading::shown;
  std::map<tide::log_place, stored_event> held;
  for (stored_event& e : events_.active(w.c.chain, from, to)) {
    const evm::block_id* named = at_height(v.blocks, e.row.block.number);
    if (!named || *named != e.row.block)
      w.left.insert(e.row.block);
    else if (!w.proved.contains(e.row.block.hash))
      held.emplace(place_of(e), e);
  }
  for (const tide::sighting& log : v.logs) {
    if (w.proved.contains(log.block.hash)) continue;
    const evm::block_id* named = at_height(v.blocks, log.block.number);
    if (!named || *named != log.block) throw refusal{"a log lies outside of its range"};
    const auto known = held.find(place_of(log));
    if (known == held.end()) {
      take_log(w, events_.find(w.c.chain, log.tx, log.log_index), log, how);
    } else {
      take_log(w, known->second, log, how);
      held.erase(known);
    }
  }
  if (v.only_adds) return;
  for (const auto& [place, e] : held)
    if (tide::fold_absent(e.row, how).dispute == tide::dispute::read_whole)
      w.read_whole.insert(e.row.block);
}

void chain_writer::take(work& w, const tide::proved& v) {
  must_be_canonical(w, v.block, "a proof is about");
  w.proved.insert(v.block.hash);
  const bool with_digests = v.digests.size() == v.places.size();
  std::map<tide::log_place, std::uint64_t> places;
  for (std::size_t i = 0; i < v.places.size(); ++i)
    places.emplace(v.places[i], with_digests ? v.digests[i] : 0);
  const auto denies = [&places](const stored_event& e) {
    const auto at = places.find(place_of(e));
    return at == places.end() || (at->second != 0 && at->second != e.row.digest);
  };
  std::set<tide::log_place> ours;
  for (const tide::sighting& log : v.logs) {
    if (log.block != v.block || !places.contains(place_of(log)))
      throw refusal{"a log is not in the block that was proved"};
    ours.insert(place_of(log));
  }
  const auto from = std::min(v.void_from.value_or(v.block.number), v.block.number);
  auto events = events_.active(w.c.chain, from, v.block.number);
  for (auto e = events.rbegin(); e != events.rend(); ++e) {
    if (e->row.block != v.block)
      w.left.insert(e->row.block);
    else if (!ours.contains(place_of(*e)) && denies(*e) &&
             tide::fold_absent(e->row, tide::reading::proved).corrects)
      roll_back(w, *e, tide::why::corrected);
  }
  // What no subscription asks for any more is confirmed as before.
  for (stored_event& e : events)
    if (e.row.block == v.block && !denies(e) && !ours.contains(place_of(e))) ripen(w, e);
  take_logs(w, v.logs, tide::reading::proved);
}

void chain_writer::take(work& w, const tide::mark_moved& v) {
  if (w.c.mark && v.to.number < w.c.mark->number && !w.reorg)
    throw refusal{"the mark goes back without a reorg"};
  must_be_canonical(w, v.to, "the mark is to be at");
  w.c.mark = v.to;
}

void chain_writer::take(work& w, const tide::final_moved& v) {
  const bool accepted = w.reorg && w.reorg->accepted;
  if (w.c.final_block && v.to.number < w.c.final_block->number && !accepted)
    throw refusal{"the final block goes back without an accepted reorg"};
  w.c.final_block = v.to;
}

void chain_writer::take(work& w, const tide::reorg& v) {
  if (w.c.mark) w.c.mark = tide::mark_after(*w.c.mark, v.ancestor, w.c.start_block.value_or(0));
  w.done.recounted = counts_.forked(w.c.chain, v.ancestor.number);
  if (v.accepted && w.c.final_block && v.ancestor.number < w.c.final_block->number)
    w.c.final_block = v.ancestor;
}

void chain_writer::take(work& w, const tide::halted& v) {
  w.c.halted = v.reason;
  ledger_.chains.set_halted(w.c.chain, true);
  stop_lanes_.run(w.by.at, w.c.chain);
}

void chain_writer::take(work& w, const tide::resumed&) {
  w.c.halted.reset();
  ledger_.chains.set_halted(w.c.chain, false);
  wake_lanes_.run(w.by.at, w.c.chain);
  for (rows r = lane_handlers_.query(w.c.chain); r.next();)
    ledger_.bells.handler(r.i64(0));
}

void chain_writer::take(work& w, const tide::learned& v) { w.c.ways = v.ways; }

void chain_writer::take(work& w, const tide::skipped& v) {
  insert_gap_.run(w.by.at, std::string_view(v.who), w.c.chain, v.from, v.to,
                  std::string_view(v.reason));
  tide::gap gap;
  gap.reason = tide::gap_reason::blocks;
  gap.by = v.who;
  gap.chain = ledger_.chain_name(w.c.chain_id);
  gap.from_block = v.from;
  gap.to_block = v.to;
  for (const auto& [handler, settings] : ledger_.settings) {
    const auto& chains = settings.chains;
    if (std::find(chains.begin(), chains.end(), w.c.chain_id) == chains.end()) continue;
    if (ledger_.before_start(handler, w.c.chain_id, v.to)) continue;
    lane& l = lanes_.open(handler, std::to_string(w.c.chain_id), w.c.chain);
    lanes_.append(l, {{}, {}, false, tide::gap_notice(gap, l.id, l.next, w.by.at)});
  }
  for (const stored_event& e : events_.active(w.c.chain, v.from, v.to))
    if (e.row.status == tide::status::pending) lanes_.let_pass(e);
}

void chain_writer::take(work& w, const tide::backfilled& v) {
  counts_.advance(w.c.chain, v, w.set.forms);
}

void chain_writer::take(work& w, const tide::born& v) {
  clear_children_.run(w.c.chain, v.block);
  for (const tide::child& c : v.children)
    insert_child_.run(w.c.chain, v.block, c.tx_index, c.log_index,
                      ledger_.names.id(tide::name_kind::subscription, c.subscription), c.address,
                      c.block.hash, c.made_by);
}

void chain_writer::take(work& w, const tide::raised& v) { w.c.factories = v.factories; }

void chain_writer::take(work& w, const tide::hint_verdict& v) { hints_.settle(w.c.chain, v); }

/// The mark passed blocks that were read without a subscription which counts there by now.
void chain_writer::cover(work& w) {
  const auto next = w.mark_before ? w.mark_before->number + 1 : w.c.start_block.value_or(0);
  if (!w.c.mark || next > w.c.mark->number) return;
  w.done.recounted |= counts_.cover(w.c.chain, w.set.forms, {next, w.c.mark->number});
}

void chain_writer::write_reorg(const work& w) {
  const tide::reorg& r = *w.reorg;
  insert_reorg_.run(w.c.chain, w.by.at, r.depth, w.confirmed_undone, r.ancestor.number,
                    r.ancestor.hash, r.old_head.number, r.old_head.hash, r.new_head.number,
                    r.new_head.hash);
  ledger_.did.reorgs.emplace_back(w.c.chain_id, r.depth);
}

} // namespace tidemark::store
