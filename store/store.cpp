// SPDX-License-Identifier: MIT
#include "store/parts.hpp"
#include "store/schema.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

namespace tidemark::store {
namespace {

constexpr int restart_wait_ms = 300; // longer than a reader's transaction
constexpr std::uint64_t restart_again = 16ULL << 20;

store_failure failure_of(const sql_error& e) { return {e.fatal(), e.what()}; }

/// Runs `f` where nothing has failed yet, and turns what SQLite says into a value.
template <class F> auto guarded(parts& p, F f) -> result<decltype(f())> {
  using value = decltype(f());
  if (p.failed) return *p.failed;
  try {
    if constexpr (std::is_void_v<value>) {
      f();
      return {};
    } else {
      return result<value>(boost::system::in_place_value, f());
    }
  } catch (const sql_error& e) {
    p.failed = failure_of(e);
  } catch (const std::bad_alloc&) {
    p.failed = store_failure{false, "out of memory"};
  }
  const store_failure why = *p.failed;
  if (!p.in_group) p.failed.reset();
  return why;
}

/// The same for what has to stand in a group.
template <class F> auto writing(parts& p, F f) -> result<decltype(f())> {
  if (!p.in_group) return store_failure{false, "a write outside of a group"};
  return guarded(p, std::move(f));
}

void put_back(parts& p) {
  p.in_group = false;
  p.failed.reset();
  p.all->book.last = p.before;
  p.all->book.bells.clear();
  p.all->book.must_sync = false;
  p.all->webhooks.forget();
  p.all->deliveries.forget();
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
    p.all->deliveries.ring();
    p.all->webhook_keys.write_some();
    p.all->event_keys.write_some();
    rung = p.all->book.bells.take(p.all->book.names);
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

result<tide::boot_state> store::boot(std::uint64_t chain_id) {
  const auto read = [&] { return parts_->all->chains.boot(chain_id); };
  if (parts_->all->book.chains.by_id(chain_id)) return guarded(*parts_, read);
  return writing(*parts_, read);
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
  return writing(*parts_, [&] { return parts_->all->chains.apply(set, now); });
}

result<void> store::register_handlers(std::span<const handler_in> handlers, std::int64_t now) {
  return writing(*parts_, [&] { parts_->all->deliveries.put_handlers(handlers, now); });
}

result<void> store::set_paused(std::string_view handler, bool paused, std::string_view reason,
                               std::int64_t now) {
  return writing(*parts_,
                 [&] { parts_->all->deliveries.set_paused(handler, paused, reason, now); });
}

result<message_batch> store::take(std::string_view handler, std::int64_t now, std::size_t limit,
                                  std::size_t max_bytes) {
  return writing(*parts_,
                 [&] { return parts_->all->deliveries.take(handler, now, limit, max_bytes); });
}

result<void> store::finish(std::span<const finished> exchanges, std::int64_t now) {
  return writing(*parts_, [&] {
    for (const finished& f : exchanges)
      parts_->all->deliveries.finish(f, now);
  });
}

result<void> store::audit(std::string_view who, std::string_view what, std::string_view detail,
                          std::int64_t now) {
  return writing(*parts_, [&] {
    statement insert(*parts_->db, "INSERT INTO audit (at, who, what, detail) VALUES (?, ?, ?, ?)");
    insert.run(now, who, what, detail);
  });
}

void store::set_instance(std::string name) { parts_->all->book.instance = std::move(name); }

sizes store::size() const {
  const auto size_of = [](const std::string& path) -> std::uint64_t {
    std::error_code none;
    const auto n = std::filesystem::file_size(path, none);
    return none ? 0 : n;
  };
  return {size_of(parts_->how.path), size_of(parts_->how.path + "-wal")};
}

} // namespace tidemark::store
