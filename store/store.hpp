// SPDX-License-Identifier: MIT
#pragma once

#include "store/redecode_types.hpp"
#include "store/types.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::store {

struct options {
  std::string path; ///< or ":memory:"
  /// An acknowledged webhook survives a power cut.  Otherwise it survives the process's crash
  /// alone; facts and messages are synced before anything of them is sent, whatever this says.
  bool full = true;
  std::string instance = "main"; ///< part of every message's source; kept with each message
  /// Tests only: called with a statement's text before it first runs, with "commit" before the
  /// commit and "committed" after it.  What it throws passes through, and the store is then only
  /// good for `revive`.
  std::function<void(const char* where)> hook;
  std::int64_t now = 0; ///< ms since 1970
};

enum class open_fault {
  damaged,         ///< no database of ours, or one that SQLite cannot read
  newer,           ///< written by a newer program
  held_by_another, ///< another process has it
  cannot_write     ///< no such folder, no permission, no room
};
struct open_error {
  open_fault kind = open_fault::damaged;
  std::string text;
};

struct parts;
struct pruning;
struct retention;

/// The one writer.  Not thread-safe: one thread owns it.  Time comes in.
///
/// Everything that writes (all but `untaken`, `boot` of a known chain and `size`) stands between
/// `begin` and `commit`, and what it returns is true only once `commit` has said so.  After a
/// failure inside a group only `commit` (which then undoes the group and returns that failure) or
/// `undo` may follow.
class store {
public:
  static std::variant<std::unique_ptr<store>, open_error> open(options o);
  /// Tests only: what a new process would find, on the same connection (the way to keep
  /// ":memory:").
  static std::unique_ptr<store> revive(std::unique_ptr<store> dead);
  ~store();

  // Groups
  result<void> begin();
  result<bells> commit();
  void undo();

  // Webhooks and hints
  result<webhook_receipt> append(const webhook_in& w);
  /// In id order, those to be read again first.  At least one if there is one, whatever its size.
  result<std::vector<raw_webhook>> untaken(std::size_t max_rows, std::size_t max_bytes);
  /// Hints, state and cursor of these webhooks, which `untaken` gave in this order.
  result<void> put_intake(std::span<const extracted> rows, std::int64_t now);
  /// A lease: what is not settled by a hint_verdict within 60 s comes again.
  result<hint_batch> take_hints(std::uint64_t chain_id, std::int64_t now, std::size_t limit);
  /// Puts webhooks back for extraction; the count of those that exist.
  result<std::uint64_t> reprocess(std::span<const std::int64_t> webhooks);

  /// From now on what they miss is counted.
  result<void> register_sources(std::span<const source_in> sources, std::int64_t now);

  // Chains
  /// Makes the chain's row if there is none (then inside a group).
  result<tide::boot_state> boot(std::uint64_t chain_id);
  /// The subscriptions as a config has them, on every chain of it. What one that is new, or lets
  /// more through, counts from is resolved here.
  result<void> count(std::span<const counting_in> chains);
  /// A change of a list, with its audit row.
  result<list_result> change_list(const list_order& order, std::int64_t now);
  /// All that a config changes here: sources, handlers, lists of files, subscriptions.
  result<void> adopt(const config_in& config, std::int64_t now);
  /// Blocks with pending or confirmed events, from the top; for the ancestor of a fork below every
  /// held header.
  result<std::vector<tide::event_block>> event_blocks(std::uint64_t chain_id,
                                                      std::size_t limit = 65'536);
  /// One conclusion, undone alone if the answer is disputed or refused; the group goes on.
  /// A block that a `proved` of the same set covers is left out of a later `shown`: a proof beats
  /// an answer.
  result<tide::store_answer> apply(const tide::write_set& set, std::int64_t now);

  // Handlers and their messages
  result<void> register_handlers(std::span<const handler_in> handlers, std::int64_t now);
  result<void> set_paused(std::string_view handler, bool paused, std::string_view reason,
                          std::int64_t now);
  /// At most one message a lane.  Counts the attempts: commit before sending.  A paused handler
  /// gets nothing.  `probe_behind`: one message, as tide::courier::order says it.
  result<message_batch> take(std::string_view handler, std::int64_t now, std::size_t limit,
                             std::size_t max_bytes, std::optional<std::int64_t> probe_behind = {});
  result<void> finish(std::span<const finished> exchanges, std::int64_t now);
  /// Whoever sent for this handler is gone: what it had in flight is unknown, and goes again.
  result<void> abandon(std::string_view handler, std::int64_t now);
  /// Parked messages: tries them again, or lets a gap take their places.
  result<dead_done> order_dead(const dead_order& o, std::int64_t now);
  result<replay_started> replay(const replay_order& o, std::int64_t now);
  /// `reason`: restore or order_by. What is made from now on is of the next epoch, which a
  /// `tidemark.epoch` announces when the old one's queue is empty.
  result<void> raise_epoch(std::string_view handler, std::string_view reason);

  // What the store has, for handlers that come later: those that are new, its events in the chain's
  // order, and what of it they are sent. It may be told twice, after a crash.
  result<std::vector<unfilled_handler>> unfilled();
  result<std::vector<backlog_event>> backlog(std::uint64_t chain_id, std::uint64_t from_block,
                                             const std::optional<backlog_place>& after,
                                             std::size_t limit, backlog_of what = backlog_of::all);
  result<void> fill(std::uint64_t chain_id, std::span<const backlog_route> routes,
                    std::int64_t now);
  result<void> filled(std::string_view handler);

  // Jobs: what goes on for longer than one request
  result<std::int64_t> begin_job(std::string_view kind, std::int64_t now);
  /// Before each step: false once it was cancelled.
  result<bool> job_runs(std::int64_t id);
  result<void> note_job(std::int64_t id, const job_counts& c);
  result<void> end_job(std::int64_t id, tide::job_state how, std::string_view reason,
                       std::int64_t now);
  /// False: there is none of that id that runs.
  result<bool> cancel_job(std::int64_t id, std::int64_t now);

  // Reading stored events again, as a job that outlives the process: each page is read, judged,
  // written and noted in one transaction.
  result<std::int64_t> begin_redecode(const redecode_order& o,
                                      std::int64_t now); ///< with its audit
  result<std::vector<std::int64_t>> running_redecodes();
  /// Nothing: it was cancelled, or has ended.
  result<std::optional<redecode_state>> redecode_at(std::int64_t job);
  result<kept_page> kept(std::uint64_t chain_id, const redecode_state& s, std::size_t limit);
  /// True: an event waits at or below the mark now, which its chain does not know of.
  result<bool> redecode(std::uint64_t chain_id, std::span<const reread_row> rows, std::int64_t now);
  result<void> note_redecode(std::int64_t job, const redecode_state& s);

  // The rest
  result<void> audit(std::string_view who, std::string_view what, std::string_view detail,
                     std::int64_t now);
  /// One step of letting go of what is old: `at` says where it goes on and whether it is done.
  result<void> prune(const retention& keep, std::int64_t now, std::size_t rows, pruning& at);
  /// A backup was made.
  result<void> note_backup(std::int64_t now);
  /// Of the store as a whole: only a restore raises it.
  result<std::uint32_t> epoch();
  result<std::optional<std::int64_t>> last_backup();
  /// What every later message says as its instance.
  void set_instance(std::string name);
  /// How gaps and epochs call chains.
  void set_chain_names(std::map<std::uint64_t, std::string> names);
  sizes size() const;
  /// Where the log went that lay beside a backup and was none of its own; empty: there was none.
  const std::string& log_set_aside() const;

private:
  friend class reader;
  explicit store(std::unique_ptr<parts> p);
  std::unique_ptr<parts> parts_;
};

} // namespace tidemark::store
