// SPDX-License-Identifier: MIT
#pragma once

#include "store/sql.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::store {

/// New rows of one table, that wait until `write` puts them in, several to a statement: for each
/// statement SQLite opens the table and its indexes anew, which costs more than a small row does.
/// Until then no other statement sees them.
template <class... C> class insert_batch {
public:
  static constexpr std::size_t at_once = 8;

  /// `into`: the statement up to VALUES.
  insert_batch(connection& db, const std::string& into)
      : one_(db, with_rows(into, 1).c_str()), many_(db, with_rows(into, at_once).c_str()) {}

  void add(C... values) { rows_.emplace_back(std::move(values)...); }
  void write() {
    std::size_t at = 0;
    for (; at + at_once <= rows_.size(); at += at_once)
      write_many(at, std::make_index_sequence<at_once>());
    for (; at < rows_.size(); ++at)
      std::apply([this](const C&... values) { one_.run(values...); }, rows_[at]);
    rows_.clear();
  }
  void forget() { rows_.clear(); }

private:
  using row = std::tuple<C...>;

  static std::string with_rows(const std::string& into, std::size_t count) {
    std::string values = "(";
    for (std::size_t i = 0; i < sizeof...(C); ++i)
      values += i == 0 ? "?" : ", ?";
    values += ')';
    std::string sql = into + " VALUES " + values;
    for (std::size_t i = 1; i < count; ++i)
      sql += ", " + values;
    return sql;
  }

  static std::tuple<const C&...> bound(const row& r) {
    return std::apply([](const C&... values) { return std::tie(values...); }, r);
  }
  template <std::size_t... I> void write_many(std::size_t at, std::index_sequence<I...>) {
    std::apply([this](const auto&... values) { many_.run(values...); },
               std::tuple_cat(bound(rows_[at + I])...));
  }

  statement one_, many_;
  std::vector<row> rows_;
};

} // namespace tidemark::store
