// SPDX-License-Identifier: MIT
#pragma once

#include "store/parts.hpp"

#include <new>

// How the store's methods run: what SQLite says becomes a value.

namespace tidemark::store {

inline store_failure failure_of(const sql_error& e) { return {e.fatal(), e.what()}; }

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

/// The same for one that has a time.
template <class F> auto writing(parts& p, std::int64_t now, F f) -> result<decltype(f())> {
  p.all->book.now = now;
  return writing(p, std::move(f));
}

} // namespace tidemark::store
