// SPDX-License-Identifier: MIT
#pragma once

#include "tide/courier.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tidemark::tide {

inline exchange_end answered(std::uint16_t status, std::string retry_after = {}) {
  return {exchange_end::kind::answered, status, std::move(retry_after), {}, 5};
}
inline exchange_end unreachable() {
  return {exchange_end::kind::unreachable, 0, {}, "the connection was refused", 5};
}
inline exchange_end no_answer() {
  return {exchange_end::kind::no_answer, 0, {}, "the connection was cut", 5};
}

/// A courier with a store and a handler of a few lines, on a clock that jumps from one thing to the
/// next. Checks what must hold at every step.
struct courier_world {
  struct lane {
    std::uint64_t head = 0, next = 0; ///< head: the one to send
    std::uint32_t tries = 0;
    std::optional<std::int64_t> due; ///< absent: empty or in flight
  };
  struct on_its_way {
    sent_message m;
    std::int64_t ends = 0;
  };
  /// What the handler does with a message, and how long it takes.
  std::function<exchange_end(std::int64_t lane, std::uint64_t seq, std::int64_t now)> handler;
  std::function<std::int64_t()> latency = [] { return std::int64_t{20}; };

  courier_settings settings;
  courier c;
  std::int64_t now = 1'000'000;
  std::map<std::int64_t, lane> lanes;
  std::vector<on_its_way> flying;
  std::int64_t last_id = 0;
  bool paused = false; ///< as the store has it

  std::size_t sends = 0, counted = 0, most_flying = 0, turns = 0;
  std::map<std::int64_t, std::vector<std::int64_t>> delivered_at; ///< lane → when

  explicit courier_world(courier_settings s = {}, std::uint64_t seed = 1)
      : settings(s), c(s, seed, 1'000'000) {}

  void put(std::int64_t id, std::uint64_t count = 1) {
    auto& l = lanes[id];
    const bool empty = l.head == l.next;
    l.next += count;
    if (empty) l.due = now;
    c.bell(now);
  }
  std::size_t waiting() const {
    std::size_t n = 0;
    for (const auto& [id, l] : lanes)
      n += l.next - l.head;
    return n;
  }

  void take() {
    const auto order = c.wants(now);
    if (order.messages == 0) return;
    ++turns;
    c.taking();
    std::vector<std::pair<std::int64_t, std::int64_t>> due; // when, lane
    const auto probe = order.probe_behind;
    for (const auto& [id, l] : lanes)
      if (l.due && (probe || *l.due <= now) && !paused)
        due.emplace_back(probe ? id <= *probe : *l.due, id);
    std::sort(due.begin(), due.end());
    std::vector<sent_message> taken;
    for (const auto& [when, id] : due) {
      if (taken.size() == order.messages) break;
      auto& l = lanes[id];
      l.due.reset();
      taken.push_back({++last_id, id, l.head, ++l.tries, 1'000});
    }
    std::optional<std::int64_t> next;
    for (const auto& [id, l] : lanes)
      if (l.due && !paused && (!next || *l.due < *next)) next = l.due;
    c.took(taken, next, now);
    for (const auto& m : taken)
      flying.push_back({m, now + latency()});
    sends += taken.size();
    most_flying = std::max(most_flying, flying.size());
    REQUIRE(flying.size() <= settings.concurrency);
    REQUIRE(c.in_flight() == flying.size());
  }

  void end(const on_its_way& f) {
    const auto what = c.ended(f.m.id, handler(f.m.lane, f.m.seq, now), now);
    auto& l = lanes[f.m.lane];
    REQUIRE(what.done == (what.outcome == outcome::ok));
    REQUIRE_FALSE(what.parks);
    REQUIRE((!what.retry_at || *what.retry_at >= now));
    if (what.done) {
      ++l.head;
      l.tries = 0;
      delivered_at[f.m.lane].push_back(now);
      if (l.head < l.next) l.due = now;
      return;
    }
    l.due = what.retry_at.value_or(now);
    if (what.outcome == outcome::failed)
      ++counted;
    else
      --l.tries;
    if (c.must_pause()) {
      paused = true;
      c.pause_stored();
    }
  }

  /// Until that time, or until nothing happens any more.
  void run(std::int64_t until) {
    for (;;) {
      take();
      std::optional<std::int64_t> next = c.next_wake();
      for (const auto& f : flying)
        next = std::min(next.value_or(f.ends), f.ends);
      if (!next || *next > until) break;
      REQUIRE(*next >= now);
      now = *next;
      const auto over = std::partition(flying.begin(), flying.end(),
                                       [&](const on_its_way& f) { return f.ends > now; });
      const std::vector<on_its_way> ended(over, flying.end());
      flying.erase(over, flying.end());
      for (const auto& f : ended)
        end(f);
    }
    now = until;
  }
  void run_for(std::int64_t ms) { run(now + ms); }
};

} // namespace tidemark::tide
