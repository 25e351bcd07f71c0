// SPDX-License-Identifier: MIT
#include "store/schema.hpp"

namespace tidemark::store {
namespace {

// Times are ms since 1970, UTC.  Codes are the enums of tide/codes.hpp, never renumbered.  `chain`
// is the id of the row in `chains`, `chain_id` the chain's own.  Columns before a big one can be
// read without its pages.
constexpr const char* version_1 = R"sql(
-- Words that repeat: stored once, small ids elsewhere; never deleted, so an old row keeps its name.
CREATE TABLE names (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name)) STRICT;

CREATE TABLE chains (
  chain INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL UNIQUE,
  start_block INTEGER,                           -- NULL: nothing is resolved yet
  turn INTEGER NOT NULL,                         -- +1 with every write set: a set drawn from an older state is refused
  mark INTEGER, mark_hash BLOB,                  -- read twice up to here, and the chain's own policy holds
  final INTEGER, final_hash BLOB, halted TEXT,
  indexes INTEGER NOT NULL DEFAULT 0,            -- tide::numbering, learned
  blooms INTEGER NOT NULL DEFAULT 0,             -- tide::blooms, learned
  forms INTEGER NOT NULL DEFAULT 0,              -- +1 with whatever lets more through
  factories TEXT NOT NULL DEFAULT '') STRICT;    -- whose children up to the mark are known
CREATE TABLE children (                          -- contracts that a subscription's factory made, by the log that named it
  chain INTEGER NOT NULL, block INTEGER NOT NULL, tx_index INTEGER NOT NULL, log_index INTEGER NOT NULL,
  subscription INTEGER NOT NULL, address BLOB NOT NULL, hash BLOB NOT NULL,
  made_by INTEGER NOT NULL,                      -- digest of the factory's contract, event and parameter
  PRIMARY KEY (chain, block, tx_index, log_index, subscription, made_by)) STRICT, WITHOUT ROWID;
CREATE TABLE blocks (                            -- from max_depth below the mark to the head; pruned behind it
  chain INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL, parent BLOB NOT NULL,
  time INTEGER NOT NULL, canonical INTEGER NOT NULL,
  whole INTEGER NOT NULL,                        -- read whole and proved, since it is canonical
  PRIMARY KEY (chain, number, hash)) STRICT, WITHOUT ROWID;

-- From which block each subscription counts, and what of it lies below the mark and is still to be scanned.
CREATE TABLE counting (
  chain INTEGER NOT NULL, subscription INTEGER NOT NULL, form TEXT NOT NULL,   -- tide::form
  given INTEGER,                                 -- start_block in the config
  from_block INTEGER,                            -- NULL: the chain's start, which is not resolved yet
  earlier INTEGER,                               -- what it let through before it was widened counts from here
  forms INTEGER NOT NULL,                        -- chains.forms when it last came to let more through
  lists INTEGER NOT NULL,                        -- what lists had up to this change was there when it was resolved
  PRIMARY KEY (chain, subscription)) STRICT, WITHOUT ROWID;
CREATE TABLE backfills (
  id INTEGER PRIMARY KEY, chain INTEGER NOT NULL, subscription INTEGER NOT NULL,
  from_block INTEGER NOT NULL, to_block INTEGER NOT NULL, at INTEGER NOT NULL, forms INTEGER NOT NULL) STRICT;
CREATE INDEX backfills_chain ON backfills (chain);
-- Lists of addresses, of files too. `change` 0: there from the first; else its addresses count from list_changes.
CREATE TABLE lists (list INTEGER PRIMARY KEY) STRICT;
CREATE TABLE list_entries (
  id INTEGER PRIMARY KEY, list INTEGER NOT NULL, address BLOB NOT NULL, change INTEGER NOT NULL,
  UNIQUE (list, address)) STRICT;
CREATE INDEX list_entries_list ON list_entries (list, id);
CREATE TABLE list_changes (
  chain INTEGER NOT NULL, change INTEGER NOT NULL, from_block INTEGER NOT NULL, given INTEGER NOT NULL,
  PRIMARY KEY (chain, change)) STRICT, WITHOUT ROWID;

-- `webhooks` is what came, append-only, the one row written before the answer.  `intake` is what became of it, written
-- in id order; a webhook above the cursor is `received`.  `again`: those below it that are to be read once more.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY, source INTEGER NOT NULL, at INTEGER NOT NULL, digest INTEGER NOT NULL,
  headers TEXT NOT NULL, body BLOB NOT NULL) STRICT;
CREATE TABLE webhook_keys (key INTEGER NOT NULL, webhook INTEGER NOT NULL, PRIMARY KEY (key, webhook)) STRICT, WITHOUT ROWID;
CREATE TABLE intake (
  webhook INTEGER PRIMARY KEY, state INTEGER NOT NULL, hints INTEGER NOT NULL, seen INTEGER NOT NULL,
  last_at INTEGER NOT NULL) STRICT;
CREATE INDEX intake_odd ON intake (state) WHERE state <> 1;
CREATE TABLE again (webhook INTEGER PRIMARY KEY) STRICT;
CREATE TABLE hints (
  webhook INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER, tx BLOB, block INTEGER, block_hash BLOB,
  log_index INTEGER, state INTEGER NOT NULL, event INTEGER, tries INTEGER NOT NULL, looks_ms INTEGER NOT NULL,
  due INTEGER,                                   -- NULL: settled
  takes_back INTEGER NOT NULL DEFAULT 0,         -- the sender says that it is gone
  PRIMARY KEY (webhook, n)) STRICT, WITHOUT ROWID;
CREATE INDEX hints_due   ON hints (chain, due) WHERE due IS NOT NULL;
CREATE INDEX hints_event ON hints (event) WHERE event IS NOT NULL;
CREATE TABLE sources (
  source INTEGER PRIMARY KEY, last_at INTEGER NOT NULL, received INTEGER NOT NULL, duplicate INTEGER NOT NULL,
  not_found INTEGER NOT NULL, late INTEGER NOT NULL DEFAULT 0, out_of_order INTEGER NOT NULL DEFAULT 0,
  missed INTEGER NOT NULL DEFAULT 0) STRICT;
-- Which chains a source speaks of, since when, and the highest block that it named; how long after a block it spoke.
CREATE TABLE source_chains (
  source INTEGER NOT NULL, chain INTEGER NOT NULL, since INTEGER NOT NULL, highest INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (chain, source)) STRICT, WITHOUT ROWID;
CREATE TABLE source_delays (
  source INTEGER NOT NULL, step INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (source, step)) STRICT, WITHOUT ROWID;
CREATE TABLE cursors (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- log_index -1 is the transaction itself.  event_keys.key: first 8 bytes of the tx hash; a hit is compared in full.
CREATE TABLE events (
  id INTEGER PRIMARY KEY, chain INTEGER NOT NULL, tx BLOB NOT NULL, tx_index INTEGER NOT NULL, log_index INTEGER NOT NULL,
  ordinal INTEGER, block INTEGER NOT NULL, inclusion INTEGER NOT NULL, status INTEGER NOT NULL, version INTEGER NOT NULL,
  depth INTEGER NOT NULL, tag INTEGER NOT NULL,  -- what it needs before it is confirmed
  first_seen INTEGER NOT NULL, address BLOB NOT NULL) STRICT;
CREATE TABLE event_keys (
  key INTEGER NOT NULL, log_index INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (key, log_index, event)) STRICT, WITHOUT ROWID;
CREATE INDEX events_block   ON events (chain, block, tx_index, log_index);
CREATE INDEX events_address ON events (address);
CREATE INDEX events_origin  ON events (first_seen);
CREATE INDEX events_pending ON events (chain, block) WHERE status = 0;
CREATE INDEX events_undone  ON events (tx) WHERE status = 2;
CREATE TABLE event_subscriptions (
  subscription INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (subscription, event)) STRICT, WITHOUT ROWID;
CREATE TABLE inclusions (                        -- one appearance in one block: `data`, packed, written once
  id INTEGER PRIMARY KEY, event INTEGER NOT NULL, block INTEGER NOT NULL, block_hash BLOB NOT NULL, time INTEGER NOT NULL,
  ordinal INTEGER, digest INTEGER NOT NULL, replaces INTEGER, data BLOB NOT NULL) STRICT;
CREATE TABLE amended (                           -- whose `data` says more from that version of its event on
  inclusion INTEGER PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE feed (                              -- the facts, append-only
  seq INTEGER PRIMARY KEY, event INTEGER NOT NULL, inclusion INTEGER NOT NULL, version INTEGER NOT NULL,
  status INTEGER NOT NULL, why INTEGER NOT NULL, n INTEGER NOT NULL, head INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX feed_event ON feed (event, version);

CREATE TABLE handlers (
  handler INTEGER PRIMARY KEY, pending INTEGER NOT NULL, confirmed INTEGER NOT NULL, order_by TEXT NOT NULL,
  paused INTEGER NOT NULL, reason TEXT NOT NULL, since INTEGER NOT NULL, epoch INTEGER NOT NULL,
  announced INTEGER NOT NULL,                    -- the epoch that is being sent: the next begins when its queue is empty
  raised TEXT NOT NULL,                          -- those that were raised and why, as TIDEMARK_RAISE_EPOCH
  subscriptions TEXT NOT NULL,                   -- that it is told of, one a line
  filling INTEGER NOT NULL,                      -- 1: new, and its part of what was there is not all queued yet; 2: told
                                                 -- more than before, and has no place yet in what waits
  away INTEGER,                                  -- the feed's end when it left the config; NULL: it is there
  chains TEXT NOT NULL,                          -- that it may get events of, by id; also while it is away
  first_blocks TEXT NOT NULL,                    -- "chain id:block …", as `start` said when the chain was new to it
  max_message INTEGER NOT NULL,
  wait_until INTEGER NOT NULL DEFAULT 0) STRICT; -- it asked for that: 429, or 503 with Retry-After
-- A lane is a handler's key.  seq < head: done; = head: the one to send; up to next: queued.
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY, handler INTEGER NOT NULL, key TEXT NOT NULL, epoch INTEGER NOT NULL, chain INTEGER NOT NULL,
  state INTEGER NOT NULL,                        -- of the head, as tide::message_state; delivered: there is none
  head INTEGER NOT NULL, next INTEGER NOT NULL, held INTEGER NOT NULL, tries INTEGER NOT NULL, since INTEGER NOT NULL,
  due INTEGER,                                   -- NULL: empty, in flight, halted, or behind another lane
  behind INTEGER,                                -- that lane
  job INTEGER NOT NULL DEFAULT 0,                -- of a replay, whose messages are in `replays`; 0: none
  age INTEGER NOT NULL DEFAULT 0,                -- ms of the head's budget that are used up
  batch INTEGER NOT NULL DEFAULT 0,              -- how many messages the batch holds that was composed; 0: none is
  singles INTEGER NOT NULL DEFAULT 0,            -- messages below go one by one
  UNIQUE (handler, key, epoch, job)) STRICT;
CREATE INDEX lanes_due    ON lanes (handler, due) WHERE due IS NOT NULL;
CREATE INDEX lanes_open   ON lanes (handler) WHERE state <> 3 OR held > 0;
CREATE INDEX lanes_job    ON lanes (job) WHERE job > 0;
CREATE INDEX lanes_behind ON lanes (behind) WHERE behind IS NOT NULL;
CREATE TABLE waiting (                           -- seen, not yet released: keeps the lane's order
  lane INTEGER NOT NULL, late INTEGER NOT NULL, block INTEGER NOT NULL, tx_index INTEGER NOT NULL, log_index INTEGER NOT NULL,
  event INTEGER NOT NULL, subscription INTEGER NOT NULL, feed INTEGER,
  PRIMARY KEY (lane, late, block, tx_index, log_index, event)) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_event ON waiting (event);
CREATE TABLE outbox (                            -- the released messages; a notice may take a message's place
  lane INTEGER NOT NULL, seq INTEGER NOT NULL, feed INTEGER, subscription INTEGER, instance INTEGER NOT NULL,
  late INTEGER NOT NULL, most INTEGER NOT NULL,
  job INTEGER NOT NULL,                          -- of the replay that sends it as a new one; 0: none
  alone INTEGER NOT NULL,                        -- in no batch: it was parked, and may have been the first of one
  notice TEXT,
  untold INTEGER NOT NULL DEFAULT 0,             -- the notice took its place before anybody can have heard of it
  PRIMARY KEY (lane, seq)) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_feed ON outbox (feed);
CREATE TABLE parked (
  id INTEGER PRIMARY KEY AUTOINCREMENT, lane INTEGER NOT NULL, seq INTEGER NOT NULL, tries INTEGER NOT NULL,
  at INTEGER NOT NULL,
  behind INTEGER NOT NULL,                       -- it did not fail, an earlier one of its key did
  UNIQUE (lane, seq)) STRICT;
CREATE TABLE replays (                           -- what a replay's lane sends: the message at another lane's place
  lane INTEGER NOT NULL, seq INTEGER NOT NULL, of_lane INTEGER NOT NULL, of_seq INTEGER NOT NULL,
  due INTEGER NOT NULL,                          -- not before
  PRIMARY KEY (lane, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY, feed INTEGER, lane INTEGER NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL,
  at INTEGER NOT NULL, outcome INTEGER NOT NULL, http INTEGER, ms INTEGER, answer BLOB) STRICT;
CREATE INDEX attempts_feed ON attempts (feed);
CREATE INDEX attempts_open ON attempts (id) WHERE outcome = 0;

CREATE TABLE reorgs (
  id INTEGER PRIMARY KEY, chain INTEGER NOT NULL, at INTEGER NOT NULL, depth INTEGER NOT NULL, rolled_back INTEGER NOT NULL,
  ancestor INTEGER NOT NULL, ancestor_hash BLOB NOT NULL, old_head INTEGER NOT NULL, old_hash BLOB NOT NULL,
  new_head INTEGER NOT NULL, new_hash BLOB NOT NULL) STRICT;
CREATE TABLE gaps (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, chain INTEGER, from_block INTEGER, to_block INTEGER,
  lane INTEGER, from_seq INTEGER, to_seq INTEGER, reason TEXT NOT NULL) STRICT;
CREATE INDEX gaps_block ON gaps (chain, from_block);
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, state INTEGER NOT NULL, missing INTEGER NOT NULL, extra INTEGER NOT NULL,
  equal INTEGER NOT NULL, at INTEGER NOT NULL,   -- of its last change
  reason TEXT NOT NULL) STRICT;
CREATE INDEX jobs_running ON jobs (id) WHERE state = 0;
CREATE TABLE redecodes (                         -- what such a job reads again, and how far it is
  job INTEGER PRIMARY KEY, subscription TEXT, dry INTEGER NOT NULL,
  newest INTEGER NOT NULL,                       -- later inclusions were read as the config said by then
  chain_id INTEGER, block INTEGER, tx_index INTEGER, log_index INTEGER,
  examples TEXT NOT NULL) STRICT;                -- JSON objects, one a line
CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
)sql";

constexpr migration steps_[] = {{1, version_1}};

} // namespace

std::span<const migration> migrations() { return steps_; }

void set_writing(connection& db, bool full) {
  sqlite3_busy_timeout(db.handle(), busy_wait_ms);
  db.exec("PRAGMA page_size = 4096; PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = WAL;"
          "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store "
          "= MEMORY; PRAGMA mmap_size = 0;"
          "PRAGMA cache_size = -32768; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF;");
  db.exec(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

void set_reading(connection& db) {
  sqlite3_busy_timeout(db.handle(), 250);
  db.exec("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;"
          "PRAGMA cache_size = -8192; PRAGMA trusted_schema = OFF;");
}

file_state file_marks(connection& db, std::span<const migration> steps) {
  const std::int64_t mark = db.number("PRAGMA application_id");
  const std::int64_t version = db.number("PRAGMA user_version");
  const bool empty =
      mark == 0 && version == 0 && db.number("SELECT count(*) FROM sqlite_master") == 0;
  if (mark != application_id && !empty) return file_state::not_ours;
  return version > steps.back().to ? file_state::newer : file_state::ours;
}

void migrate(connection& db, std::span<const migration> steps) {
  std::int64_t version = db.number("PRAGMA user_version");
  for (const migration& step : steps) {
    if (step.to <= version) continue;
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(step.sql);
      const std::string marks = "PRAGMA application_id = " + std::to_string(application_id) +
                                "; PRAGMA user_version = " + std::to_string(step.to) + "; COMMIT";
      db.exec(marks.c_str());
    } catch (const sql_error&) {
      sqlite3_exec(db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
    version = step.to;
  }
}

} // namespace tidemark::store
