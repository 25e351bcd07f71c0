// SPDX-License-Identifier: MIT
#include "tide/held.hpp"

#include "tests/tide/rpc_world.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

held_headers held(std::initializer_list<std::uint64_t> numbers, char branch = 'A') {
  held_headers h;
  for (const auto n : numbers)
    h.add(held_of(block_of(n, 0, branch).header));
  return h;
}
std::vector<std::uint64_t> numbers(const held_headers& h) {
  std::vector<std::uint64_t> out;
  for (const auto& [n, one] : h.all())
    out.push_back(n);
  return out;
}
using list = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("held: nothing") {
  const held_headers h;
  CHECK(h.empty());
  CHECK_FALSE(h.tip());
  CHECK(h.linked_down_to() == 0);
  CHECK_FALSE(h.find(0));
  CHECK_FALSE(h.contradicts(id_of(1)));
}

TEST_CASE("held: the tip, what is found and what contradicts") {
  auto h = held({7, 5, 6});
  CHECK(h.tip() == id_of(7));
  REQUIRE(h.find(6));
  CHECK(h.find(6)->id == id_of(6));
  CHECK(h.find(6)->parent == id_of(5).hash);
  CHECK(h.find(6)->time == block_of(6).header.time);
  CHECK_FALSE(h.find(8));
  CHECK_FALSE(h.contradicts(id_of(6)));
  CHECK(h.contradicts(id_of(6, 'B')));
  CHECK_FALSE(h.contradicts(id_of(8, 'B'))); // a height that is not held says nothing
  h.add(held_of(block_of(6, 0, 'B').header));
  CHECK(h.contradicts(id_of(6)));
  CHECK(numbers(h) == list{5, 6, 7});
}

TEST_CASE("held: whole is remembered of what is held") {
  auto h = held({5, 6});
  h.set_whole(6);
  h.set_whole(9);
  CHECK_FALSE(h.find(5)->whole);
  CHECK(h.find(6)->whole);
  CHECK(numbers(h) == list{5, 6});
  h.add(held_of(block_of(7).header, true));
  CHECK(h.find(7)->whole);
}

TEST_CASE("held: what is dropped") {
  struct row {
    const char* name;
    void (*drop)(held_headers&);
    list left;
  };
  const row rows[] = {
      {"above", [](held_headers& h) { h.drop_above(6); }, {4, 5, 6}},
      {"above all", [](held_headers& h) { h.drop_above(3); }, {}},
      {"above the tip", [](held_headers& h) { h.drop_above(8); }, {4, 5, 6, 7, 8}},
      {"below", [](held_headers& h) { h.drop_below(6); }, {6, 7, 8}},
      {"below all", [](held_headers& h) { h.drop_below(9); }, {}},
      {"below the lowest", [](held_headers& h) { h.drop_below(0); }, {4, 5, 6, 7, 8}},
      {"between", [](held_headers& h) { h.drop_between(5, 7); }, {4, 8}},
      {"between, one", [](held_headers& h) { h.drop_between(6, 6); }, {4, 5, 7, 8}},
      {"between, inverted", [](held_headers& h) { h.drop_between(7, 5); }, {4, 5, 6, 7, 8}},
      {"between, wider", [](held_headers& h) { h.drop_between(0, 99); }, {}},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    auto h = held({4, 5, 6, 7, 8});
    r.drop(h);
    CHECK(numbers(h) == r.left);
  }
}

TEST_CASE("held: how far down parents lead") {
  CHECK(held({9}).linked_down_to() == 9);
  CHECK(held({0, 1, 2}).linked_down_to() == 0);
  CHECK(held({4, 5, 6}).linked_down_to() == 4);
  CHECK(held({2, 3, 5, 6, 7}).linked_down_to() == 5); // a hole
  auto fork = held({4, 5, 6, 7});
  fork.add(held_of(block_of(5, 0, 'B').header));
  CHECK(fork.linked_down_to() == 6); // 6's parent is the other 5
  fork.add(held_of(block_of(7, 0, 'B').header));
  CHECK(fork.linked_down_to() == 7);
}

TEST_CASE("held: any block at a height that is void contradicts, one in the hole does not") {
  held_headers h;
  h.add(held_of(block_of(5).header));
  auto child = block_of(8).header; // 6 and 7 are void
  child.parent = id_of(5).hash;
  h.add(held_of(child));
  h.add(held_of(block_of(20).header)); // the hole is between
  CHECK(h.contradicts(id_of(6)));
  CHECK(h.contradicts(id_of(7)));
  CHECK_FALSE(h.contradicts(id_of(12)));
  CHECK_FALSE(h.contradicts(id_of(21)));
  CHECK(h.below(8)->id == id_of(5));
  CHECK(h.above(5)->id == id_of(8));
}
