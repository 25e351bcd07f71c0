// SPDX-License-Identifier: MIT
#include "tide/release.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::tide;

TEST_CASE("where a fact goes", "[release]") {
  const route all{
      .handler = "h", .key = "k", .subscription = "s", .pending = true, .confirmed = true};
  route only_confirmed = all, only_pending = all;
  only_confirmed.pending = false;
  only_pending.confirmed = false;
  struct row {
    const char* name;
    status s;
    const route& r;
    bool late, waits;
    dispatch want;
  };
  const auto p = status::pending, c = status::confirmed;
  const row rows[] = {
      {"pending goes when seen, and holds", p, all, false, false, {.send = true, .hold = true}},
      {"whatever waits", p, all, false, true, {.send = true, .hold = true}},
      {"not asked for, it only holds",
       p,
       only_confirmed,
       false,
       true,
       {.send = false, .hold = true}},
      {"pending alone holds nothing", p, only_pending, false, false, {.send = true, .hold = false}},
      {"confirmed where nothing waits", c, all, false, false, {.send = true, .hold = false}},
      {"confirmed behind what waits",
       c,
       only_confirmed,
       false,
       true,
       {.send = false, .hold = true}},
      {"late goes when found", c, all, true, true, {.send = true, .hold = false}},
      {"confirmed is not asked for", c, only_pending, false, false, {}},
      {"rolled back goes by what was told", status::rolled_back, all, false, false, {}},
  };
  for (const row& one : rows) {
    INFO(one.name);
    CHECK(dispatch_fact(one.s, one.r, one.late, one.waits) == one.want);
  }
}

TEST_CASE("an unconfirmed one holds all behind it", "[release]") {
  const auto count = [](std::initializer_list<bool> front) {
    std::vector<held_message> held;
    for (const bool confirmed : front)
      held.push_back({confirmed});
    return released(held);
  };
  CHECK(count({}) == 0);
  CHECK(count({false}) == 0);
  CHECK(count({true}) == 1);
  CHECK(count({true, true, false, true}) == 2);
  CHECK(count({false, true, true}) == 0);
  CHECK(count({true, true, true}) == 3);
}

TEST_CASE("each handler's last message is taken back", "[release]") {
  const told_message confirmed_a{1, 10, 5}, pending_a{1, 11, 5}, pending_b{2, 20, 6};
  CHECK(taken_back({}).empty());
  const told_message told[] = {confirmed_a, pending_b, pending_a};
  CHECK(taken_back(told) == std::vector<told_message>{confirmed_a, pending_b});
}
