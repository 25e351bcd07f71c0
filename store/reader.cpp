// SPDX-License-Identifier: MIT
#include "store/reader.hpp"

#include "store/parts.hpp"
#include "store/quality.hpp"
#include "store/reading.hpp"
#include "store/schema.hpp"

#include <filesystem>

namespace tidemark::store {
namespace {

chain_row read_chain_row(const rows& r) {
  chain_row c;
  c.chain_id = r.u64(0);
  c.start_block = r.maybe_u64(1);
  if (!r.null(2)) c.mark = evm::block_id{r.u64(2), r.hash(3)};
  if (!r.null(4)) c.final_block = evm::block_id{r.u64(4), r.hash(5)};
  if (!r.null(6)) c.halted = r.text(6);
  return c;
}

#define CHAIN_COLUMNS "chain_id, start_block, mark, mark_hash, final, final_hash, halted"

} // namespace

read_span::read_span(connection& db, bool limited)
    : db_(db), deadline_(reading_clock::now() + read_limit) {
  db_.exec("BEGIN");
  if (limited) sqlite3_progress_handler(db_.handle(), 1'000, &read_span::late, &deadline_);
}

read_span::~read_span() {
  sqlite3_progress_handler(db_.handle(), 0, nullptr, nullptr);
  sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

int read_span::late(void* deadline) {
  return reading_clock::now() > *static_cast<reading_clock::time_point*>(deadline);
}

reader::reader(std::unique_ptr<reader_parts> p) : parts_(std::move(p)) {}
reader::~reader() = default;

reader::reader(store& writer) : parts_(std::make_unique<reader_parts>()) {
  parts_->db = writer.parts_->db.get();
  parts_->path = writer.parts_->how.path;
}

result<std::unique_ptr<reader>> reader::open(const std::string& path) {
  auto p = std::make_unique<reader_parts>();
  p->path = path;
  try {
    p->owned = std::make_unique<connection>(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX);
    p->db = p->owned.get();
    set_reading(*p->db);
    if (file_marks(*p->db, migrations()) != file_state::ours)
      return store_failure{false, path + " is not a store of this version"};
  } catch (const sql_error& e) {
    return store_failure{e.fatal(), e.what()};
  }
  return std::unique_ptr<reader>(new reader(std::move(p)));
}

result<std::vector<chain_row>> reader::chains() {
  return reading(*parts_, [](connection& db) {
    statement all(db, "SELECT " CHAIN_COLUMNS " FROM chains ORDER BY chain");
    std::vector<chain_row> found;
    for (rows r = all.query(); r.next();)
      found.push_back(read_chain_row(r));
    return found;
  });
}

result<std::optional<chain_row>> reader::chain(std::uint64_t chain_id) {
  return reading(*parts_, [&](connection& db) {
    statement one(db, "SELECT " CHAIN_COLUMNS " FROM chains WHERE chain_id = ?");
    rows r = one.query(chain_id);
    return r.next() ? std::optional(read_chain_row(r)) : std::nullopt;
  });
}

result<std::vector<source_row>> reader::sources() {
  return reading(*parts_, [](connection& db) {
    statement all(db, "SELECT n.name, s.last_at, s.received, s.duplicate, s.not_found, s.late,"
                      " s.out_of_order, s.missed, s.source FROM sources s"
                      " CROSS JOIN names n ON n.id = s.source ORDER BY n.name");
    statement delays(db, "SELECT step, count FROM source_delays WHERE source = ? ORDER BY step");
    std::vector<source_row> found;
    for (rows r = all.query(); r.next();) {
      source_row& s =
          found.emplace_back(source_row{std::string(r.text(0)), r.i64(1), r.u64(2), r.u64(3),
                                        r.u64(4), r.u64(5), r.u64(6), r.u64(7)});
      std::vector<delay_count> counts;
      for (rows d = delays.query(r.i64(8)); d.next();)
        counts.push_back({d.u32(0), d.u64(1)});
      s.delay_p50 = delay_quantile(counts, 50);
      s.delay_p99 = delay_quantile(counts, 99);
    }
    return found;
  });
}

result<sizes> reader::size() {
  return reading(*parts_, [&](connection& db) {
    sizes s;
    s.bytes =
        static_cast<std::uint64_t>(db.number("PRAGMA page_count") * db.number("PRAGMA page_size"));
    std::error_code none;
    const auto log = std::filesystem::file_size(parts_->path + "-wal", none);
    s.wal_bytes = none ? 0 : log;
    return s;
  });
}

result<page<reorg_row>> reader::reorgs(const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement all(
        db, "SELECT r.id, c.chain_id, r.at, r.depth, r.rolled_back, r.ancestor, r.ancestor_hash,"
            " r.old_head, r.old_hash, r.new_head, r.new_hash FROM reorgs r"
            " CROSS JOIN chains c ON c.chain = r.chain WHERE r.id < ?"
            " ORDER BY r.id DESC LIMIT ?");
    rows r = all.query(below(p), rows_of(p) + 1);
    return read_page<reorg_row>(r, rows_of(p), [](const rows& row) {
      return reorg_row{row.u64(1),
                       row.i64(2),
                       row.u32(3),
                       row.u32(4),
                       {row.u64(5), row.hash(6)},
                       {row.u64(7), row.hash(8)},
                       {row.u64(9), row.hash(10)}};
    });
  });
}

result<page<gap_row>> reader::gaps(const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement all(db,
                  "SELECT g.id, g.at, g.who, (SELECT chain_id FROM chains WHERE chain = g.chain),"
                  " g.from_block, g.to_block, g.reason FROM gaps g WHERE g.id < ?"
                  " ORDER BY g.id DESC LIMIT ?");
    rows r = all.query(below(p), rows_of(p) + 1);
    return read_page<gap_row>(r, rows_of(p), [](const rows& row) {
      return gap_row{row.i64(0),       row.i64(1),       std::string(row.text(2)), row.maybe_u64(3),
                     row.maybe_u64(4), row.maybe_u64(5), std::string(row.text(6))};
    });
  });
}

result<page<audit_row>> reader::audit(const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement all(
        db, "SELECT id, at, who, what, detail FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?");
    rows r = all.query(below(p), rows_of(p) + 1);
    return read_page<audit_row>(r, rows_of(p), [](const rows& row) {
      return audit_row{row.i64(0), row.i64(1), std::string(row.text(2)), std::string(row.text(3)),
                       std::string(row.text(4))};
    });
  });
}

result<std::optional<job_row>> reader::job(std::int64_t id) {
  return reading(*parts_, [&](connection& db) -> std::optional<job_row> {
    statement one(db, "SELECT j.id, j.kind, j.state, j.missing, j.extra, j.equal, j.at, j.reason,"
                      " coalesce(r.examples, '') FROM jobs j LEFT JOIN redecodes r ON r.job = j.id"
                      " WHERE j.id = ?");
    rows r = one.query(id);
    if (!r.next()) return std::nullopt;
    return job_row{r.i64(0),
                   std::string(r.text(1)),
                   r.code<tide::job_state>(2),
                   {r.u64(3), r.u64(4), r.u64(5)},
                   r.i64(6),
                   std::string(r.text(7)),
                   std::string(r.text(8))};
  });
}

} // namespace tidemark::store
