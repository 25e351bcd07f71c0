// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

// SQLite with owners and types.  `sql_error` stays inside this folder: the public classes turn it
// into a store_failure.

namespace tidemark::store {

struct sql_error : std::runtime_error {
  sql_error(int c, const std::string& text) : std::runtime_error(text), code(c) {}
  int code; ///< SQLite's extended result code
  /// What was read or synced can't be trusted any more.
  bool fatal() const;
};

/// Bytes that are no text.
struct blob {
  std::string_view bytes;
};
struct owned_blob {
  std::string bytes;
};

/// One handle.  One thread at a time.
class connection {
public:
  /// `flags`: SQLITE_OPEN_…; throws.
  connection(const std::string& path, int flags);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  sqlite3* handle() const { return db_; }
  /// Any number of statements without arguments or rows.
  void exec(const char* sql);
  std::int64_t number(const char* sql); ///< the first column of the first row; 0: none
  [[noreturn]] void fail(int code, const char* doing) const;

  /// Called before a statement of a writer first runs (tests only).
  std::function<void(const char*)> hook;

private:
  sqlite3* db_ = nullptr;
};

class statement;

/// The rows of one run of a statement; ends the run when it goes.  Views are good until the next
/// `next`.
class rows {
public:
  explicit rows(statement& s) : s_(s) {}
  ~rows();
  rows(const rows&) = delete;
  rows& operator=(const rows&) = delete;

  bool next();
  bool null(int column) const;
  bool is_blob(int column) const;
  std::int64_t i64(int column) const;
  std::uint64_t u64(int column) const { return static_cast<std::uint64_t>(i64(column)); }
  std::uint32_t u32(int column) const { return static_cast<std::uint32_t>(i64(column)); }
  std::int32_t i32(int column) const { return static_cast<std::int32_t>(i64(column)); }
  std::string_view text(int column) const; ///< or a blob's bytes
  template <class E> E code(int column) const { return static_cast<E>(i64(column)); }
  template <std::size_t N> evm::fixed_bytes<N> fixed(int column) const {
    evm::fixed_bytes<N> v;
    const std::string_view b = text(column);
    std::memcpy(v.octets.data(), b.data(), std::min(b.size(), N));
    return v;
  }
  evm::hash32 hash(int column) const { return fixed<32>(column); }
  evm::address20 address(int column) const { return fixed<20>(column); }
  std::optional<std::int64_t> maybe_i64(int column) const {
    return null(column) ? std::nullopt : std::optional(i64(column));
  }
  std::optional<std::uint64_t> maybe_u64(int column) const {
    return null(column) ? std::nullopt : std::optional(u64(column));
  }
  std::optional<evm::hash32> maybe_hash(int column) const {
    return null(column) ? std::nullopt : std::optional(hash(column));
  }

private:
  statement& s_;
};

/// A prepared statement, kept for the connection's life.
class statement {
public:
  statement(connection& db, const char* sql);
  ~statement();
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  /// Runs it to its end.  Texts and blobs are not copied.
  template <class... A> void run(const A&... args) {
    start(static_cast<int>(sizeof...(args)));
    int at = 0;
    (bind(++at, args, SQLITE_STATIC), ...);
    finish();
  }
  /// Runs it row by row; the arguments are copied.
  template <class... A> rows query(const A&... args) {
    start(static_cast<int>(sizeof...(args)));
    int at = 0;
    (bind(++at, args, SQLITE_TRANSIENT), ...);
    return rows(*this);
  }
  connection& db() const { return db_; }

private:
  friend class rows;
  void start(int count);
  void finish();
  bool step();
  void reset() noexcept;

  void bind_i64(int at, std::int64_t v);
  void bind_text(int at, std::string_view v, sqlite3_destructor_type how);
  void bind_blob(int at, const void* data, std::size_t size, sqlite3_destructor_type how);

  template <class T>
  requires(std::integral<T> || std::is_enum_v<T>) void bind(int at, T v, sqlite3_destructor_type) {
    bind_i64(at, static_cast<std::int64_t>(v));
  }
  void bind(int at, std::string_view v, sqlite3_destructor_type how) { bind_text(at, v, how); }
  void bind(int at, const blob& v, sqlite3_destructor_type how) {
    bind_blob(at, v.bytes.data(), v.bytes.size(), how);
  }
  void bind(int at, const owned_blob& v, sqlite3_destructor_type how) {
    bind(at, blob{v.bytes}, how);
  }
  template <std::size_t N>
  void bind(int at, const evm::fixed_bytes<N>& v, sqlite3_destructor_type how) {
    bind_blob(at, v.octets.data(), N, how);
  }
  template <class T> void bind(int at, const std::optional<T>& v, sqlite3_destructor_type how) {
    if (v) bind(at, *v, how); // absent: reset has bound NULL
  }

  connection& db_;
  sqlite3_stmt* stmt_ = nullptr;
};

} // namespace tidemark::store
