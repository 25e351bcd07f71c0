// SPDX-License-Identifier: MIT
#include "store/keys.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tidemark::store {
namespace {

constexpr std::size_t least_written = 2'048; // of a run with one group: a few milliseconds

/// Column 0 is either the number itself or a hash whose first bytes are it.
std::uint64_t key_of(const rows& r) { return r.is_blob(0) ? tx_key(r.hash(0)) : r.u64(0); }

} // namespace

std::uint64_t tx_key(const evm::hash32& tx) {
  std::uint64_t v = 0;
  for (std::size_t i = 0; i < 8; ++i)
    v = v << 8 | tx.octets[i];
  return v;
}

const key_table webhook_key_table = {
    "webhook_keys", "INSERT OR IGNORE INTO webhook_keys (key, webhook) VALUES (?1, ?3)",
    "SELECT webhook FROM webhook_keys WHERE key = ?1 AND ?2 = 0",
    "SELECT digest, 0, id FROM webhooks WHERE id > ?1 ORDER BY id"};
const key_table event_key_table = {
    "event_keys", "INSERT OR IGNORE INTO event_keys (key, log_index, event) VALUES (?1, ?2, ?3)",
    "SELECT event FROM event_keys WHERE key = ?1 AND log_index = ?2",
    "SELECT tx, log_index, id FROM events WHERE id > ?1 ORDER BY id"};

std::size_t key_tail::slot_of(std::uint64_t key, std::int32_t extra) const {
  // Whoever makes webhooks chooses their digests to some degree; spreading costs nothing. A
  // transaction may have thousands of logs, whose keys differ in `extra` alone.
  const auto both = key + static_cast<std::uint64_t>(extra) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::size_t>((both * 0x9e3779b97f4a7c15ULL) >> 20) & (slots_.size() - 1);
}

void key_tail::grow() {
  slots_.assign(std::max<std::size_t>(1'024, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = slot_of(entries_[i].key, entries_[i].extra);
    while (slots_[at] != 0)
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

void key_tail::add(const key_entry& e) {
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  std::size_t at = slot_of(e.key, e.extra);
  while (slots_[at] != 0)
    at = (at + 1) & (slots_.size() - 1);
  entries_.push_back(e);
  slots_[at] = static_cast<std::uint32_t>(entries_.size());
}

void key_tail::shrink_to(std::size_t size) {
  // The newest entry stands at the end of its probe chain, so backwards nothing else loses its way.
  for (; entries_.size() > size; entries_.pop_back()) {
    std::size_t at = slot_of(entries_.back().key, entries_.back().extra);
    while (slots_[at] != entries_.size())
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = 0;
  }
}

void key_tail::find(std::uint64_t key, std::int32_t extra, std::vector<std::int64_t>& rows) const {
  if (slots_.empty()) return;
  for (std::size_t at = slot_of(key, extra); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
    const key_entry& e = entries_[slots_[at] - 1];
    if (e.key == key && e.extra == extra) rows.push_back(e.row);
  }
}

key_runs::key_runs(connection& db, const key_table& table, std::size_t run_size)
    : table_(table), run_size_(run_size), insert_(db, table.insert), find_(db, table.find),
      newer_(db, table.newer), cursor_(db, "SELECT at FROM cursors WHERE name = ?"),
      set_cursor_(db, "INSERT INTO cursors (name, at) VALUES (?1, ?2) "
                      "ON CONFLICT (name) DO UPDATE SET at = ?2") {
  load();
}

void key_runs::load() {
  std::int64_t from = 0;
  {
    rows at = cursor_.query(std::string_view(table_.name));
    if (at.next()) from = at.i64(0);
  }
  rows r = newer_.query(from);
  while (r.next())
    tail_.add({key_of(r), r.i64(2), r.i32(1)});
  if (tail_.size() >= run_size_) freeze();
}

const std::vector<std::int64_t>& key_runs::find(std::uint64_t key, std::int32_t extra) {
  found_.clear();
  tail_.find(key, extra, found_);
  run_.find(key, extra, found_);
  const bool in_memory = !found_.empty();
  rows r = find_.query(key, extra);
  while (r.next())
    // A run half written is in both places.
    if (!in_memory || std::find(found_.begin(), found_.end(), r.i64(0)) == found_.end())
      found_.push_back(r.i64(0));
  return found_;
}

void key_runs::add(std::uint64_t key, std::int32_t extra, std::int64_t row) {
  tail_.add({key, row, extra});
  ++added_;
}

void key_runs::write_some() {
  writing_ = 0;
  if (sorted_.empty()) return;
  // Faster than keys come, so a run is gone before the next one is full.
  const std::size_t least = std::max({least_written, 4 * added_, run_size_ / 64});
  writing_ = std::min(sorted_.size() - written_, least);
  for (std::size_t i = 0; i < writing_; ++i) {
    const key_entry& e = run_.entries()[sorted_[written_ + i]];
    insert_.run(e.key, e.extra, e.row);
  }
  if (written_ + writing_ == sorted_.size())
    set_cursor_.run(std::string_view(table_.name), run_.entries().back().row);
}

void key_runs::settle(bool committed) {
  added_ = 0;
  if (committed) written_ += writing_;
  writing_ = 0;
  if (!sorted_.empty() && written_ == sorted_.size()) {
    run_ = {};
    sorted_ = {};
    written_ = 0;
  }
  if (sorted_.empty() && tail_.size() >= run_size_) freeze();
}

void key_runs::freeze() {
  run_ = std::exchange(tail_, {});
  sorted_.resize(run_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::sort(sorted_.begin(), sorted_.end(), [this](std::uint32_t left, std::uint32_t right) {
    const key_entry& a = run_.entries()[left];
    const key_entry& b = run_.entries()[right];
    // As SQLite compares: signed.
    return std::tuple(static_cast<std::int64_t>(a.key), a.extra, a.row) <
           std::tuple(static_cast<std::int64_t>(b.key), b.extra, b.row);
  });
}

} // namespace tidemark::store
