// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

TEST_CASE("headers below keep_from are dropped", "[headers]") {
  world w;
  auto s = w.set(13, {}, {header(10), header(11), header(12)});
  s.keep_from = 11;
  w.answer(s);
  const auto b = w.db->boot(world::chain);
  REQUIRE(b->headers.size() == 2);
  CHECK(b->headers[0].id == block(11));
}

TEST_CASE("blocks with events, from the top", "[headers]") {
  world w;
  const auto l = log(block(10), 1, 0), m = log(block(10), 2, 1), n = log(block(11), 3);
  w.apply(12, {tide::saw{{l, m, n}}}, {header(10), header(11), header(12)});
  w.apply(13, {tide::shown{{block(10)}, {l, m}, false}});
  const auto found = w.db->event_blocks(world::chain);
  REQUIRE(found->size() == 2);
  CHECK((*found)[0].id == block(11));
  CHECK((*found)[0].confirmed == 0);
  CHECK((*found)[1].id == block(10));
  CHECK((*found)[1].confirmed == 2);
  CHECK(w.db->event_blocks(world::chain, 1)->size() == 1);
}

TEST_CASE("a block that comes back is to be read again", "[headers]") {
  world w;
  const auto fork = [](std::uint64_t ancestor) {
    tide::reorg r;
    r.depth = 1;
    r.ancestor = block(ancestor);
    return r;
  };
  auto again = header(11);
  again.whole = false; // by its number alone
  w.apply(11, {}, {header(10), header(11)});
  const auto is_whole = [&] { return must(w.db->boot(world::chain)).headers.back().whole; };
  REQUIRE(is_whole());
  SECTION("behind a fork") {
    w.apply(11, {fork(10)}); // whose height is void there
    w.apply(11, {}, {again});
  }
  SECTION("in the place of another of its height") {
    w.apply(11, {}, {header(11, 'B', 'A')});
    w.apply(11, {}, {again});
  }
  CHECK_FALSE(is_whole());
  w.apply(11, {}, {header(11)});
  CHECK(is_whole());
}
