// SPDX-License-Identifier: MIT
#pragma once

#include "store/facts.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <new>

// What the reader's files share.

namespace tidemark::store {

struct reader_parts {
  std::unique_ptr<connection> owned; ///< none: the writer's
  connection* db = nullptr;
  std::string path;
};

using reading_clock = std::chrono::steady_clock;
inline constexpr std::chrono::milliseconds read_limit{250};

/// A scan that filters row by row stops here, with a short page.
class scan_budget {
public:
  /// Once a row.
  bool spent() {
    ++rows_;
    return rows_ > 100'000 || (rows_ % 64 == 0 && reading_clock::now() > until_);
  }

private:
  std::size_t rows_ = 0;
  reading_clock::time_point until_ = reading_clock::now() + std::chrono::milliseconds(120);
};

/// One read transaction; `limited`: ended after read_limit.
class read_span {
public:
  read_span(connection& db, bool limited);
  ~read_span();
  read_span(const read_span&) = delete;
  read_span& operator=(const read_span&) = delete;

private:
  static int late(void* deadline);
  connection& db_;
  reading_clock::time_point deadline_;
};

template <class F> auto reading(reader_parts& p, F f) -> result<decltype(f(*p.db))> {
  try {
    const read_span span(*p.db, p.owned != nullptr);
    return result<decltype(f(*p.db))>(boost::system::in_place_value, f(*p.db));
  } catch (const sql_error& e) {
    const bool slow = (e.code & 0xff) == SQLITE_INTERRUPT;
    return store_failure{e.fatal(), slow ? "the read took too long" : e.what()};
  } catch (const std::bad_alloc&) {
    return store_failure{false, "out of memory"};
  }
}

inline std::uint32_t rows_of(const page_request& p) { return std::clamp(p.limit, 1U, 1'000U); }

inline std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t n = 0;
  const char* end = text.data() + text.size();
  const auto got = std::from_chars(text.data(), end, n);
  return got.ec == std::errc{} && got.ptr == end ? std::optional(n) : std::nullopt;
}

/// A cursor that is one number; absent, or one that nobody gave out: from the newest.
inline std::int64_t below(const page_request& p) {
  return p.after ? parse_number(*p.after).value_or(INT64_MAX) : INT64_MAX;
}

/// Takes rows of a list whose column 0 is the id, one more than the page has to know whether there
/// is more.
template <class T, class F> page<T> read_page(rows& r, std::uint32_t limit, F read) {
  page<T> found;
  std::int64_t last = 0;
  while (r.next()) {
    if (found.items.size() == limit) {
      found.next = std::to_string(last);
      break;
    }
    last = r.i64(0);
    found.items.push_back(read(r));
  }
  return found;
}

/// The states of an event's messages, and the facts that the feed shows.
class event_reading {
public:
  explicit event_reading(connection& db);
  event_item item(std::int64_t event);
  std::vector<std::pair<std::string, tide::message_state>> processing(std::int64_t event);
  /// Gives a rolled_back fact what it undoes in the feed.
  void add_undoes(tide::fact& f, std::int64_t event);

private:
  statement last_, before_, sent_, held_;
};

} // namespace tidemark::store
