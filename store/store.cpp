// SPDX-License-Identifier: MIT
#include "store/guarded.hpp"
#include "store/schema.hpp"
#include "store/upkeep_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

namespace tidemark::store {
namespace {

constexpr int restart_wait_ms = 300; // longer than a reader's transaction
constexpr std::uint64_t restart_again = 16ULL << 20;

void put_back(parts& p) {
  p.in_group = false;
  p.failed.reset();
  p.all->book.last = p.before;
  p.all->book.bells.clear();
  p.all->book.did = {};
  p.all->book.must_sync = false;
  p.all->webhooks.forget();
  p.all->deliveries.forget();
  p.all->lists.forget();
  p.all->events.forget_new();
  p.all->quality.forget();
  p.all->webhook_keys.rewind(p.webhooks_before);
  p.all->event_keys.rewind(p.events_before);
  p.all->webhook_keys.settle(false);
  p.all->event_keys.settle(false);
}

/// With `durability: normal` a commit is not synced; what leaves the house is.
void sync_log(connection& db) {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (!log || !log->pMethods) return;
  const int rc = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  if (rc != SQLITE_OK) throw sql_error(SQLITE_IOERR_FSYNC, "the store's log cannot be synced");
}

/// The helper copies behind the writer, but only who writes can make the log begin anew where
/// commits never pause.
void restart_log(parts& p) {
  sqlite3_busy_timeout(p.db->handle(), restart_wait_ms);
  const int rc = sqlite3_wal_checkpoint_v2(p.db->handle(), nullptr, SQLITE_CHECKPOINT_RESTART,
                                           nullptr, nullptr);
  sqlite3_busy_timeout(p.db->handle(), busy_wait_ms);
  // A reader in the way: not again at once, or every group would wait for it.
  p.restart_above = rc == SQLITE_OK ? parts::first_restart : p.log_bytes + restart_again;
}

void after_commit(parts& p) {
  p.all->webhooks.forget();
  p.all->webhook_keys.settle(true);
  p.all->event_keys.settle(true);
  if (!p.helper) return;
  // Not while the helper copies: its next round begins here alone, so one that is idle stays so.
  if (p.log_bytes > p.restart_above && p.helper->idle())
    restart_log(p);
  else
    p.helper->log_is(p.log_bytes);
}

} // namespace

store::store(std::unique_ptr<parts> p) : parts_(std::move(p)) {}
store::~store() = default;

result<void> store::begin() {
  parts& p = *parts_;
  if (p.in_group) return store_failure{false, "a group in a group"};
  auto begun = guarded(p, [&] { p.db->exec("BEGIN IMMEDIATE"); });
  if (!begun) return begun;
  p.in_group = true;
  p.before = p.all->book.last;
  p.webhooks_before = p.all->webhook_keys.mark();
  p.events_before = p.all->event_keys.mark();
  return {};
}

result<bells> store::commit() {
  parts& p = *parts_;
  bells rung;
  auto written = writing(p, [&] {
    p.all->webhooks.count();
    p.all->handlers.announce(p.all->book.now);
    p.all->deliveries.ring();
    p.all->webhook_keys.write_some();
    p.all->event_keys.write_some();
    rung = p.all->book.bells.take(p.all->book.names);
    rung.did = std::exchange(p.all->book.did, {});
    if (p.how.hook) p.how.hook("commit");
    p.db->exec("COMMIT");
    if (!p.how.full && std::exchange(p.all->book.must_sync, false)) sync_log(*p.db);
  });
  if (!written) {
    undo();
    return written.error();
  }
  p.in_group = false;
  after_commit(p);
  if (p.how.hook) p.how.hook("committed");
  return rung;
}

void store::undo() {
  parts& p = *parts_;
  if (!p.in_group) return;
  sqlite3_exec(p.db->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  put_back(p);
  // Names and handlers may be gone with it. If even this can't be read, the next group says so.
  (void)guarded(p, [&] { p.all->book.reload(); });
}

result<webhook_receipt> store::append(const webhook_in& w) {
  return writing(*parts_, [&] { return parts_->all->webhooks.append(w); });
}

result<std::vector<raw_webhook>> store::untaken(std::size_t max_rows, std::size_t max_bytes) {
  return guarded(*parts_, [&] { return parts_->all->hints.untaken(max_rows, max_bytes); });
}

result<void> store::put_intake(std::span<const extracted> rows, std::int64_t now) {
  return writing(*parts_, [&] { parts_->all->hints.put(rows, now); });
}

result<hint_batch> store::take_hints(std::uint64_t chain_id, std::int64_t now, std::size_t limit) {
  return writing(*parts_, [&] { return parts_->all->hints.take(chain_id, now, limit); });
}

result<std::uint64_t> store::reprocess(std::span<const std::int64_t> webhooks) {
  return writing(*parts_, [&] { return parts_->all->hints.again(webhooks); });
}

result<void> store::register_sources(std::span<const source_in> sources, std::int64_t now) {
  return writing(*parts_, [&] { parts_->all->quality.put_sources(sources, now); });
}

result<tide::boot_state> store::boot(std::uint64_t chain_id) {
  const auto read = [&] { return parts_->all->chains.boot(chain_id); };
  if (parts_->all->book.chains.by_id(chain_id)) return guarded(*parts_, read);
  return writing(*parts_, read);
}

result<void> store::count(std::span<const counting_in> chains) {
  return writing(*parts_, [&] {
    for (const counting_in& c : chains)
      parts_->all->counts.adopt(c);
  });
}

result<list_result> store::change_list(const list_order& order, std::int64_t now) {
  auto changed = writing(*parts_, [&] { return parts_->all->lists.change(order); });
  if (!changed) return changed;
  const std::string from = order.from_block ? " from " + std::to_string(*order.from_block) : "";
  if (auto noted = audit(order.who, "lists",
                         order.name + ": +" + std::to_string(order.add.size()) + " -" +
                             std::to_string(order.remove.size()) + from,
                         now);
      !noted)
    return noted.error();
  return changed;
}

result<void> store::adopt(const config_in& config, std::int64_t now) {
  set_chain_names(config.chain_names);
  if (auto put = register_sources(config.sources, now); !put) return put;
  if (auto put = register_handlers(config.handlers, now); !put) return put;
  auto lists = writing(*parts_, [&] {
    for (const file_list& l : config.lists)
      parts_->all->lists.adopt(l);
  });
  if (!lists) return lists;
  return count(config.chains);
}

result<std::vector<tide::event_block>> store::event_blocks(std::uint64_t chain_id,
                                                           std::size_t limit) {
  return guarded(*parts_, [&] {
    const chain_entry* c = parts_->all->book.chains.by_id(chain_id);
    return c ? parts_->all->events.blocks_from_the_top(c->chain, limit)
             : std::vector<tide::event_block>();
  });
}

result<tide::store_answer> store::apply(const tide::write_set& set, std::int64_t now) {
  return writing(*parts_, now, [&] { return parts_->all->chains.apply(set, now); });
}

result<std::int64_t> store::begin_job(std::string_view kind, std::int64_t now) {
  return writing(*parts_, [&] { return parts_->all->jobs.begin(kind, now); });
}

result<bool> store::job_runs(std::int64_t id) {
  return guarded(*parts_, [&] { return parts_->all->jobs.running(id); });
}

result<void> store::note_job(std::int64_t id, const job_counts& c) {
  return writing(*parts_, [&] { parts_->all->jobs.note(id, c); });
}

result<void> store::end_job(std::int64_t id, tide::job_state how, std::string_view reason,
                            std::int64_t now) {
  return writing(*parts_, [&] { parts_->all->jobs.end(id, how, reason, now); });
}

result<bool> store::cancel_job(std::int64_t id, std::int64_t now) {
  return writing(*parts_, [&] {
    return parts_->all->replays.cancel(id, now) || parts_->all->jobs.cancel(id, now);
  });
}

result<void> store::prune(const retention& keep, std::int64_t now, std::size_t rows, pruning& at) {
  return writing(*parts_, [&] {
    if (!parts_->all->old) parts_->all->old = std::make_unique<pruner>(parts_->all->book);
    parts_->all->old->step(keep, now, rows, at);
  });
}

result<void> store::note_backup(std::int64_t now) {
  return writing(*parts_, [&] { put_backup_note(*parts_->db, now); });
}

result<std::uint32_t> store::epoch() {
  return guarded(*parts_, [&] {
    const auto raised = parts_->db->number("SELECT at FROM cursors WHERE name = 'epoch'");
    return raised == 0 ? std::uint32_t{1} : static_cast<std::uint32_t>(raised);
  });
}

result<std::optional<std::int64_t>> store::last_backup() {
  return guarded(*parts_, [&] {
    const auto at = parts_->db->number("SELECT at FROM cursors WHERE name = 'last_backup'");
    return at == 0 ? std::optional<std::int64_t>() : std::optional(at);
  });
}

void store::set_instance(std::string name) { parts_->all->book.instance = std::move(name); }
void store::set_chain_names(std::map<std::uint64_t, std::string> names) {
  parts_->all->book.chain_names = std::move(names);
}

const std::string& store::log_set_aside() const { return parts_->log_set_aside; }

sizes store::size() const {
  const auto size_of = [](const std::string& path) -> std::uint64_t {
    std::error_code none;
    const auto n = std::filesystem::file_size(path, none);
    return none ? 0 : n;
  };
  return {size_of(parts_->how.path), size_of(parts_->how.path + "-wal")};
}

} // namespace tidemark::store
