// SPDX-License-Identifier: MIT
#include "store/apply.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tidemark::store {
namespace {

constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::optional<evm::block_id> read_block(const rows& r, int number, int hash) {
  if (r.null(number)) return std::nullopt;
  return evm::block_id{r.u64(number), r.hash(hash)};
}

std::optional<std::uint64_t> number_of(const std::optional<evm::block_id>& b) {
  return b ? std::optional(b->number) : std::nullopt;
}
std::optional<evm::hash32> hash_of(const std::optional<evm::block_id>& b) {
  return b ? std::optional(b->hash) : std::nullopt;
}

/// The highest block that a verdict names, beside those of its logs.
std::uint64_t top_of(const tide::started& v) {
  return std::max(v.start_block, v.mark ? v.mark->number : 0);
}
std::uint64_t top_of(const tide::orphaned& v) { return v.block.number; }
std::uint64_t top_of(const tide::saw&) { return 0; }
std::uint64_t top_of(const tide::shown& v) { return v.blocks.empty() ? 0 : v.blocks.back().number; }
std::uint64_t top_of(const tide::proved& v) { return v.block.number; }
std::uint64_t top_of(const tide::mark_moved& v) { return v.to.number; }
std::uint64_t top_of(const tide::final_moved& v) { return v.to.number; }
std::uint64_t top_of(const tide::reorg& v) {
  return std::max({v.ancestor.number, v.old_head.number, v.new_head.number});
}
std::uint64_t top_of(const tide::halted&) { return 0; }
std::uint64_t top_of(const tide::resumed&) { return 0; }
std::uint64_t top_of(const tide::learned&) { return 0; }
std::uint64_t top_of(const tide::skipped& v) { return v.to; }
std::uint64_t top_of(const tide::backfilled& v) { return v.to; }
std::uint64_t top_of(const tide::hint_verdict&) { return 0; }
std::uint64_t top_of(const tide::born& v) { return v.block; }
std::uint64_t top_of(const tide::raised&) { return 0; }

bool not_above(const evm::block_id& below, const evm::block_id& above) {
  return above.number <= below.number;
}

const std::vector<tide::sighting>* logs_of(const tide::verdict& v) {
  if (const auto* saw = std::get_if<tide::saw>(&v)) return &saw->logs;
  if (const auto* shown = std::get_if<tide::shown>(&v)) return &shown->logs;
  if (const auto* proved = std::get_if<tide::proved>(&v)) return &proved->logs;
  return nullptr;
}

/// Do the confirmations of what lies above the mark come in the chain's order? Not where a block is
/// proved before its range.
bool in_order(const tide::write_set& set, const std::optional<evm::block_id>& mark) {
  std::optional<std::uint64_t> reached = number_of(mark);
  for (const tide::verdict& v : set.verdicts) {
    std::optional<std::uint64_t> first, last;
    if (const auto* shown = std::get_if<tide::shown>(&v); shown && !shown->blocks.empty()) {
      first = shown->blocks.front().number;
      last = shown->blocks.back().number;
    } else if (const auto* proved = std::get_if<tide::proved>(&v)) {
      first = last = proved->block.number;
    }
    const bool late = mark && last && *last <= mark->number;
    if (!first || late) continue;
    if (reached && *first <= *reached) return false;
    reached = last;
  }
  return true;
}

} // namespace

chain_writer::chain_writer(ledger& l, key_runs& keys, event_table& events, lane_book& lanes,
                           hint_queue& hints, source_quality& quality, count_book& counts)
    : ledger_(l), keys_(keys), events_(events), lanes_(lanes), hints_(hints), quality_(quality),
      counts_(counts),
      chain_(l.db, "SELECT chain, turn, start_block, mark, mark_hash, final, final_hash, halted,"
                   " indexes, blooms, forms, factories FROM chains WHERE chain_id = ?"),
      set_chain_(
          l.db,
          "UPDATE chains SET turn = ?, start_block = ?, mark = ?, mark_hash = ?, final = ?,"
          " final_hash = ?, halted = ?, indexes = ?, blooms = ?, factories = ? WHERE chain = ?"),
      headers_(l.db,
               "SELECT number, hash, parent, time, whole FROM blocks"
               " WHERE chain = ? AND number BETWEEN ? AND ? AND canonical = 1 ORDER BY number"),
      canonical_(l.db, "SELECT hash FROM blocks WHERE chain = ? AND number = ? AND canonical = 1"),
      leave_above_(l.db,
                   "UPDATE blocks SET canonical = 0, whole = 0 WHERE chain = ? AND number > ?"),
      leave_others_(l.db, "UPDATE blocks SET canonical = 0, whole = 0"
                          " WHERE chain = ? AND number = ? AND hash <> ?"),
      put_header_(l.db,
                  "INSERT INTO blocks (chain, number, hash, parent, time, canonical, whole)"
                  " VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT (chain, number, hash) DO UPDATE SET"
                  " canonical = 1, whole = max(whole, excluded.whole)"),
      drop_below_(l.db, "DELETE FROM blocks WHERE chain = ? AND number < ?"),
      insert_reorg_(
          l.db, "INSERT INTO reorgs (chain, at, depth, rolled_back, ancestor, ancestor_hash,"
                " old_head, old_hash, new_head, new_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      gap_known_(l.db, "SELECT 1 FROM gaps WHERE chain = ? AND from_block = ? AND reason = ?"),
      insert_gap_(l.db, "INSERT INTO gaps (at, who, chain, from_block, to_block, reason)"
                        " VALUES (?, ?, ?, ?, ?, ?)"),
      stop_lanes_(l.db, "UPDATE lanes SET age = " TIDEMARK_AGE_NOW ", due = NULL"
                        " WHERE chain = ?2 AND due IS NOT NULL"),
      wake_lanes_(l.db, "UPDATE lanes SET " TIDEMARK_WAKE " WHERE chain = ?2 AND due IS NULL"
                        " AND behind IS NULL AND " TIDEMARK_LANE_READY),
      lane_handlers_(l.db,
                     "SELECT DISTINCT handler FROM lanes WHERE chain = ? AND due IS NOT NULL"),
      children_(l.db, "SELECT block, tx_index, log_index, subscription, address, hash, made_by"
                      " FROM children WHERE chain = ?"),
      clear_children_(l.db, "DELETE FROM children WHERE chain = ? AND block = ?"),
      orphan_children_(l.db, "DELETE FROM children WHERE chain = ? AND block > ?"),
      insert_child_(l.db,
                    "INSERT OR IGNORE INTO children (chain, block, tx_index, log_index,"
                    " subscription, address, hash, made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)") {}

std::optional<chain_writer::chain_state> chain_writer::read_chain(std::uint64_t chain_id) {
  rows r = chain_.query(chain_id);
  if (!r.next()) return std::nullopt;
  chain_state c;
  c.chain = r.i64(0);
  c.chain_id = chain_id;
  c.turn = r.u64(1);
  c.start_block = r.maybe_u64(2);
  c.mark = read_block(r, 3, 4);
  c.final_block = read_block(r, 5, 6);
  if (!r.null(7)) c.halted = r.text(7);
  c.ways.indexes = static_cast<tide::numbering>(r.i64(8));
  c.ways.bloom = static_cast<tide::blooms>(r.i64(9));
  c.forms = r.u64(10);
  c.factories = r.text(11);
  return c;
}

tide::boot_state chain_writer::boot(std::uint64_t chain_id) {
  if (!ledger_.chains.by_id(chain_id)) ledger_.chains.make(chain_id);
  const chain_state c = *read_chain(chain_id);
  tide::boot_state b;
  b.chain_id = chain_id;
  b.turn = c.turn;
  b.start_block = c.start_block;
  b.mark = c.mark;
  b.final_block = c.final_block;
  b.halted = c.halted;
  b.ways = c.ways;
  b.factories = c.factories;
  for (rows r = children_.query(c.chain); r.next();) {
    const evm::block_id block{r.u64(0), r.hash(5)};
    const auto& name = ledger_.names.text(r.i64(3));
    b.children.push_back({name, r.address(4), block, r.u32(1), r.u32(2), r.u64(6)});
  }
  for (rows r = headers_.query(c.chain, 0, highest); r.next();)
    b.headers.push_back({{r.u64(0), r.hash(1)}, r.hash(2), r.u64(3), r.i64(4) != 0});
  b.counting = counts_.read(c.chain);
  if (c.mark) b.waiting = events_.pending(c.chain, std::nullopt, c.mark->number);
  return b;
}

tide::store_answer chain_writer::apply(const tide::write_set& set, std::int64_t now) {
  const auto c = read_chain(set.chain_id);
  if (!c) return tide::refused{"the store has no such chain"};
  if (c->turn != set.turn)
    return tide::refused{"the set was drawn from turn " + std::to_string(set.turn) +
                         ", the store is at " + std::to_string(c->turn)};
  work w{.set = set, .c = *c, .mark_before = c->mark, .by = {set.view.head, now}};
  const last_ids before = ledger_.last;
  const std::size_t keys = keys_.mark();
  const tally did = ledger_.did;
  ledger_.db.exec("SAVEPOINT one_set");
  tide::store_answer answer;
  try {
    answer = write_all(w);
  } catch (const refusal& r) {
    answer = tide::refused{r.text};
  }
  auto* done = std::get_if<tide::applied>(&answer);
  if (done && set.dry) done->turn = set.turn;
  if (!done || set.dry) {
    ledger_.db.exec("ROLLBACK TO one_set");
    ledger_.last = before;
    ledger_.did = did;
    ledger_.names.forget();
    ledger_.chains.load();
    events_.forget_new();
    quality_.forget();
    keys_.rewind(keys);
  }
  ledger_.db.exec("RELEASE one_set");
  ledger_.must_sync = true;
  return answer;
}

tide::store_answer chain_writer::write_all(work& w) {
  check(w);
  lanes_.start(w.by.at, in_order(w.set, w.c.mark));
  for (const tide::verdict& v : w.set.verdicts)
    if (const auto* r = std::get_if<tide::reorg>(&v))
      w.reorg = r;
    else if (std::holds_alternative<tide::backfilled>(v))
      w.backfill = true;
  if (w.reorg) {
    leave_above_.run(w.c.chain, w.reorg->ancestor.number);
    orphan_children_.run(w.c.chain, w.reorg->ancestor.number);
    // What the new branch has is not late, though the mark was there before.
    if (w.late(w.reorg->ancestor.number)) w.mark_before = w.reorg->ancestor;
  }
  take_headers(w);
  for (const tide::verdict& v : w.set.verdicts)
    std::visit([&](const auto& one) { take(w, one); }, v);
  if (!w.read_whole.empty() || !w.left.empty())
    return tide::disputed{{w.read_whole.begin(), w.read_whole.end()},
                          {w.left.begin(), w.left.end()}};
  if (w.reorg) write_reorg(w);
  if (w.stale()) cover(w);
  events_.write_new();
  find_waiting(w);
  lanes_.finish();
  write_chain(w);
  drop_below_.run(w.c.chain, std::min(w.set.keep_from, highest));
  w.done.turn = w.set.turn + 1;
  return w.done;
}

void chain_writer::check(const work& w) const {
  bool fits = w.set.view.head <= highest;
  for (const tide::held_header& h : w.set.headers)
    fits = fits && h.id.number <= highest && h.time <= highest;
  for (const tide::verdict& v : w.set.verdicts) {
    fits = fits && std::visit([](const auto& one) { return top_of(one); }, v) <= highest;
    if (const auto* logs = logs_of(v))
      for (const tide::sighting& s : *logs)
        fits = fits && s.block.number <= highest && s.time <= highest && s.log_index >= -1;
    const auto* shown = std::get_if<tide::shown>(&v);
    if (shown && std::adjacent_find(shown->blocks.begin(), shown->blocks.end(), not_above) !=
                     shown->blocks.end())
      throw refusal{"a range is not in order"};
  }
  if (!fits) throw refusal{"a number is out of range"};
}

void chain_writer::take_headers(work& w) {
  for (const tide::held_header& h : w.set.headers) {
    leave_others_.run(w.c.chain, h.id.number, h.id.hash);
    put_header_.run(w.c.chain, h.id.number, h.id.hash, h.parent, h.time, h.whole && !w.stale());
  }
}

std::optional<evm::hash32> chain_writer::canonical(const work& w, std::uint64_t number) {
  rows r = canonical_.query(w.c.chain, number);
  return r.next() ? std::optional(r.hash(0)) : std::nullopt;
}

void chain_writer::must_be_canonical(const work& w, const evm::block_id& b, const char* what) {
  const auto held = canonical(w, b.number);
  if (held && *held != b.hash)
    throw refusal{std::string(what) + " " + std::to_string(b.number) + " " + evm::to_hex(b.hash) +
                  " is not the canonical block there"};
}

/// Pending rows that the mark has just passed, beside those at or below it that this set looked at.
void chain_writer::find_waiting(work& w) {
  auto& all = w.done.waiting;
  if (!w.c.mark) return all.clear();
  const std::uint64_t mark = w.c.mark->number;
  std::erase_if(all, [&](const tide::ripening& r) { return r.block.number > mark; });
  if (!w.late(mark)) {
    const auto passed = events_.pending(w.c.chain, number_of(w.mark_before), mark);
    all.insert(all.end(), passed.begin(), passed.end());
  }
  const auto order = [](const tide::ripening& r) {
    return std::tuple(r.block, r.asks.blocks, r.asks.at_least);
  };
  std::sort(all.begin(), all.end(),
            [&](const tide::ripening& a, const tide::ripening& b) { return order(a) < order(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void chain_writer::write_chain(const work& w) {
  const chain_state& c = w.c;
  std::optional<std::string_view> halted;
  if (c.halted) halted = *c.halted;
  set_chain_.run(c.turn + 1, c.start_block, number_of(c.mark), hash_of(c.mark),
                 number_of(c.final_block), hash_of(c.final_block), halted,
                 static_cast<std::int64_t>(c.ways.indexes), static_cast<std::int64_t>(c.ways.bloom),
                 std::string_view(c.factories), c.chain);
}

} // namespace tidemark::store
