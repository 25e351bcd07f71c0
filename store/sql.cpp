// SPDX-License-Identifier: MIT
#include "store/sql.hpp"

namespace tidemark::store {

bool sql_error::fatal() const {
  // A write that fails (a quota, a limit) is undone like a full disk; what was read or synced is
  // not in doubt.
  if (code == SQLITE_IOERR_NOMEM || code == SQLITE_IOERR_WRITE) return false;
  const int primary = code & 0xff;
  return primary == SQLITE_IOERR || primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
}

namespace {

/// SQLite counts its memory under a lock that every allocation of every connection would take;
/// nobody asks for the count.
void count_no_memory() {
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)once; // refused if SQLite runs already: then it only costs time
}

} // namespace

connection::connection(const std::string& path, int flags) {
  count_no_memory();
  const int rc = sqlite3_open_v2(path.c_str(), &db_, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  if (rc == SQLITE_OK) return;
  const std::string text = db_ ? sqlite3_errmsg(db_) : sqlite3_errstr(rc);
  sqlite3_close(db_);
  throw sql_error(rc, "cannot open the store: " + text);
}

connection::~connection() { sqlite3_close_v2(db_); }

void connection::fail(int code, const char* doing) const {
  throw sql_error(code, std::string(sqlite3_errmsg(db_)) + " (" + doing + ")");
}

void connection::exec(const char* sql) {
  const int rc = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) fail(rc, sql);
}

std::int64_t connection::number(const char* sql) {
  statement s(*this, sql);
  rows r = s.query();
  return r.next() ? r.i64(0) : 0;
}

rows::~rows() { s_.reset(); }
bool rows::next() { return s_.step(); }
bool rows::null(int column) const { return sqlite3_column_type(s_.stmt_, column) == SQLITE_NULL; }
bool rows::is_blob(int column) const {
  return sqlite3_column_type(s_.stmt_, column) == SQLITE_BLOB;
}
std::int64_t rows::i64(int column) const { return sqlite3_column_int64(s_.stmt_, column); }
std::string_view rows::text(int column) const {
  const void* p = sqlite3_column_blob(s_.stmt_, column);
  const auto n = static_cast<std::size_t>(sqlite3_column_bytes(s_.stmt_, column));
  return p ? std::string_view(static_cast<const char*>(p), n) : std::string_view();
}

statement::statement(connection& db, const char* sql) : db_(db) {
  const int rc =
      sqlite3_prepare_v3(db.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt_, nullptr);
  if (rc != SQLITE_OK) db.fail(rc, sql);
}

statement::~statement() { sqlite3_finalize(stmt_); }

void statement::start(int count) {
  if (count != sqlite3_bind_parameter_count(stmt_))
    throw sql_error(SQLITE_MISUSE, std::string("wrong number of arguments: ") + sqlite3_sql(stmt_));
  if (db_.hook) db_.hook(sqlite3_sql(stmt_));
  sqlite3_clear_bindings(stmt_);
}

void statement::finish() {
  const int rc = sqlite3_step(stmt_);
  if (rc == SQLITE_DONE || rc == SQLITE_ROW) return reset();
  // The message goes with a reset, so it is taken first.
  const std::string text =
      std::string(sqlite3_errmsg(db_.handle())) + " (" + sqlite3_sql(stmt_) + ")";
  reset();
  throw sql_error(rc, text);
}

bool statement::step() {
  const int rc = sqlite3_step(stmt_);
  if (rc == SQLITE_ROW) return true;
  if (rc != SQLITE_DONE) db_.fail(rc, sqlite3_sql(stmt_));
  return false;
}

void statement::reset() noexcept { sqlite3_reset(stmt_); }

void statement::bind_i64(int at, std::int64_t v) {
  const int rc = sqlite3_bind_int64(stmt_, at, v);
  if (rc != SQLITE_OK) db_.fail(rc, sqlite3_sql(stmt_));
}

void statement::bind_text(int at, std::string_view v, sqlite3_destructor_type how) {
  // A null pointer would be NULL, not an empty text.
  const int rc =
      sqlite3_bind_text64(stmt_, at, v.data() ? v.data() : "", v.size(), how, SQLITE_UTF8);
  if (rc != SQLITE_OK) db_.fail(rc, sqlite3_sql(stmt_));
}

void statement::bind_blob(int at, const void* data, std::size_t size, sqlite3_destructor_type how) {
  const int rc = sqlite3_bind_blob64(stmt_, at, data ? data : "", size, how);
  if (rc != SQLITE_OK) db_.fail(rc, sqlite3_sql(stmt_));
}

} // namespace tidemark::store
