// SPDX-License-Identifier: MIT
#include "store/sql.hpp"
#include "tests/store/world.hpp"

// Rows of new events wait until their set is whole, or is read within it.

using namespace tidemark;
using namespace tidemark::test;

namespace {

std::vector<tide::sighting> logs_in(const evm::block_id& b, std::uint64_t from, int count) {
  std::vector<tide::sighting> all;
  for (int i = 0; i < count; ++i)
    all.push_back(log(b, from + static_cast<std::uint64_t>(i), i));
  return all;
}

} // namespace

TEST_CASE("what a set has found counts for what it says next", "[new_events]") {
  world w;
  const auto l = log(block(10), 1);
  tide::proved nothing;
  nothing.block = block(10);
  SECTION("a proof that it is not there") {
    const auto a = w.apply(10, {tide::saw{{l}}, nothing}, {header(10)});
    CHECK(a.added == 1);
    CHECK(a.rolled_back == 1);
    CHECK(w.history(1) == "p1 r!2");
  }
  SECTION("the second reading") {
    CHECK(w.apply(13, {tide::saw{{l}}, tide::shown{{block(10)}, {l}, false}}, {header(10)}).added ==
          1);
    CHECK(w.history(1) == "p1 c2");
  }
  SECTION("the same log twice") {
    CHECK(w.apply(10, {tide::saw{{l, l}}}, {header(10)}).added == 1);
    CHECK(w.history(1) == "p1");
  }
}

TEST_CASE("a set that is not taken leaves nothing of its new events to the next", "[new_events]") {
  world w;
  const auto found = logs_in(block(10), 1, 9);
  const auto again = [&] {
    CHECK(w.apply(10, {tide::saw{found}}, {header(10)}).added == 9);
    CHECK(w.feed().size() == 9);
    for (std::uint64_t t = 1; t <= 9; ++t)
      CHECK(w.history(t, static_cast<std::int32_t>(t) - 1) == "p1");
  };
  SECTION("refused") {
    w.refused(10, {tide::saw{found}, tide::mark_moved{block(8)}}, {header(10)});
    again();
  }
  SECTION("only tried") {
    auto set = w.set(10, {tide::saw{found}}, {header(10)});
    set.dry = true;
    CHECK(std::get<tide::applied>(w.answer(set)).added == 9);
    CHECK(w.feed().empty());
    again();
  }
}

TEST_CASE("a group that fails at any statement leaves nothing of its new events to the next",
          "[new_events]") {
  for (int step = 0, over = 0; !over; ++step) {
    INFO("at statement " << step);
    REQUIRE(step < 500);
    int left = 1 << 30;
    store::options o;
    o.path = ":memory:";
    o.hook = [&](const char*) {
      if (left-- == 0) throw store::sql_error(SQLITE_FULL, "no room");
    };
    world w;
    w.db = std::move(std::get<0>(store::store::open(std::move(o))));
    w.turn = 0;
    w.in_group([&] {
      must(w.db->boot(world::chain));
      w.know_handlers();
    });
    w.apply(9, {tide::started{10, block(9)}}, {header(9)});
    const auto found = logs_in(block(10), 1, 9);
    must(w.db->begin());
    left = step;
    const auto tried = w.db->apply(w.set(10, {tide::saw{found}}, {header(10)}), ++w.now);
    over = left >= 0;
    left = 1 << 30;
    CHECK(tried.has_value() == (over != 0));
    w.db->undo();
    CHECK(w.feed().empty());
    CHECK(w.apply(10, {tide::saw{found}}, {header(10)}).added == 9);
    CHECK(w.feed().size() == 9);
    if (over) CHECK(step > 10);
  }
}
