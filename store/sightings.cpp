// SPDX-License-Identifier: MIT
#include "store/apply.hpp"

#include "evm/hex.hpp"

// One log against one row: tide::fold says what, this writes it and tells the lanes.

namespace tidemark::store {

void chain_writer::take_logs(work& w, const std::vector<tide::sighting>& logs, tide::reading how) {
  // What each replaces is looked up before any is written: where indexes shift by less than a
  // transaction has logs, the row that one leaves is the row that another takes.
  std::vector<std::optional<std::int64_t>> replaces;
  replaces.reserve(logs.size());
  for (const tide::sighting& log : logs)
    replaces.push_back(events_.replaced(w.c.chain, log));
  for (std::size_t i = 0; i < logs.size(); ++i)
    take_log(w, events_.find(w.c.chain, logs[i].tx, logs[i].log_index), logs[i], how, replaces[i]);
}

void chain_writer::take_log(work& w, std::optional<stored_event> e, const tide::sighting& log,
                            tide::reading how, std::optional<std::int64_t> replaces) {
  std::optional<tide::event_row> row;
  if (e) row = e->row;
  bool left = false;
  if (row && row->status != tide::status::rolled_back && row->block != log.block) {
    const auto held = canonical(w, row->block.number);
    left = row->block.number == log.block.number || (held && *held != row->block.hash);
  }
  const tide::folded f = tide::fold(row, log, how, w.set.view, left);
  switch (f.dispute) {
  case tide::dispute::none:
    break;
  case tide::dispute::read_whole:
    w.read_whole.insert(log.block);
    return;
  case tide::dispute::left:
    w.left.insert(row->block);
    return;
  case tide::dispute::second:
    return note_second(w, *e, log);
  }
  w.done.equal += !f.corrects && !f.opens;
  if (f.corrects) roll_back(w, *e, tide::why::corrected);
  if (f.opens) {
    const bool late = w.late(log.block.number), is_new = !e;
    const auto to = f.confirms ? tide::status::confirmed : tide::status::pending;
    e = events_.open(w.c.chain, e, log, to, replaces, w.by);
    ++w.done.added;
    w.done.confirmed += f.confirms;
    if (f.confirms) {
      if (is_new)
        quality_.confirmed_new(w.c.chain, log.time, log.origin);
      else
        quality_.confirmed(*e);
      lanes_.told_confirmed(*e, log.routes, late, true);
    } else {
      lanes_.told_pending(*e, log.routes, late);
    }
  } else if (f.confirms) {
    confirm(w, *e, log);
  } else {
    const bool pending = e->row.status == tide::status::pending;
    if (pending && e->row.asks + log.asks != e->row.asks)
      events_.ask_more(*e, e->row.asks + log.asks);
    if (pending && !w.late(log.block.number)) lanes_.read_again(*e, log.routes);
    // One that was another subscription's before; while it is pending, its confirmation tells all.
    if (w.backfill) {
      const auto fresh = events_.note(*e, log.subscriptions);
      if (!pending) lanes_.told_late(*e, log.routes, fresh);
    }
  }
  if (e->row.status == tide::status::pending && w.late(log.block.number))
    w.done.waiting.push_back({log.block, e->row.asks});
}

void chain_writer::confirm(work& w, stored_event& e, const tide::sighting& log) {
  events_.note(e, log.subscriptions); // one may have come while it was pending
  events_.confirm(e, e.row.asks + log.asks, w.by);
  events_.amend(e, log.data);
  quality_.confirmed(e);
  lanes_.told_confirmed(e, log.routes, w.late(e.row.block.number), false);
  ++w.done.confirmed;
}

void chain_writer::ripen(work& w, stored_event& e) {
  if (e.row.status != tide::status::pending) return;
  if (tide::holds(e.row.asks, e.row.block.number, w.set.view)) {
    events_.confirm(e, e.row.asks, w.by);
    quality_.confirmed(e);
    lanes_.told_confirmed(e, {}, false, false);
    ++w.done.confirmed;
  } else if (w.late(e.row.block.number)) {
    w.done.waiting.push_back({e.row.block, e.row.asks});
  }
}

void chain_writer::roll_back(work& w, stored_event& e, tide::why why) {
  events_.roll_back(e, why, w.by);
  lanes_.told_rolled_back(e);
  ++w.done.rolled_back;
}

void chain_writer::note_second(work& w, const stored_event& e, const tide::sighting& log) {
  const std::string reason = "event " + tide::event_id(w.c.chain_id, e.tx, e.log_index) +
                             " is in two canonical blocks; the one in " +
                             evm::to_hex(log.block.hash) + " is not stored";
  {
    rows r = gap_known_.query(w.c.chain, log.block.number, std::string_view(reason));
    if (r.next()) return;
  }
  insert_gap_.run(w.by.at, std::string_view("tidemark"), w.c.chain, log.block.number,
                  log.block.number, std::string_view(reason));
}

} // namespace tidemark::store
