// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

void found(world& w, std::uint64_t number, std::uint64_t t) {
  w.apply(number + 20,
          {tide::shown{{block(number)}, {log(block(number), t)}, true},
           tide::mark_moved{block(number)}},
          {header(number)});
}

std::vector<store::unfilled_handler> unfilled_with(world& w, const store::handler_in& g,
                                                   bool there = true) {
  std::vector<store::handler_in> all{{"h", false, true, "contract"}};
  if (there) all.push_back(g);
  w.in_group([&] { must(w.db->register_handlers(all, ++w.now)); });
  return must(w.db->unfilled());
}

} // namespace

TEST_CASE("a handler that comes later is sent what the store has", "[places]") {
  world w;
  found(w, 10, 1);
  found(w, 11, 2);
  auto waits = log(block(12), 3);
  waits.asks.blocks = 30;
  w.apply(34, {tide::saw{{waits}}}, {header(12)});
  w.apply(34, {tide::shown{{block(12)}, {waits}, false}, tide::mark_moved{block(12)}});
  found(w, 13, 4);
  w.in_group([&] {
    must(w.db->filled("h"));
    must(w.db->filled("g"));
  });
  const store::handler_in late{"late", true, true, "contract"};
  const store::handler_in all[] = {
      {"h", false, true, "contract"}, {"g", true, true, "chain"}, late};
  w.in_group([&] { must(w.db->register_handlers(all, ++w.now)); });
  CHECK(must(w.db->unfilled()) == std::vector<store::unfilled_handler>{{"late", true}});
  for (int twice = 0; twice < 2; ++twice) { // as after a crash
    std::optional<store::backlog_place> after;
    for (;;) {
      const auto some = must(w.db->backlog(world::chain, 11, after, 2));
      if (some.empty()) break;
      after = some.back().place;
      std::vector<store::backlog_route> routes;
      for (const auto& e : some)
        routes.push_back({e.tx, e.place.log_index, {"late", "1:k", "transfers", true, true}});
      w.in_group([&] { must(w.db->fill(world::chain, routes, ++w.now)); });
    }
  }
  w.in_group([&] { must(w.db->filled("late")); });
  CHECK(must(w.db->unfilled()).empty());
  CHECK(show(w.deliver("late")) == "c11 p12"); // what waits holds what comes behind it
  w.apply(45, {tide::proved{block(12), {{tx(3), 0}}, {waits}}});
  CHECK(show(w.deliver("late")) == "c12 c13");
}

TEST_CASE("a handler of what comes now has its place in what waits", "[places]") {
  world w;
  found(w, 10, 1);
  auto waits = log(block(12), 3);
  waits.asks.blocks = 30;
  w.apply(34, {tide::saw{{waits}}}, {header(12)});
  w.apply(34, {tide::shown{{block(12)}, {waits}, false}, tide::mark_moved{block(12)}});
  const store::handler_in all[] = {
      {"h", false, true, "contract"}, {"g", true, true, "chain"}, {"late", true, true, "contract"}};
  w.in_group([&] { must(w.db->register_handlers(all, ++w.now)); });
  const auto some =
      must(w.db->backlog(world::chain, 0, std::nullopt, 10, store::backlog_of::pending));
  REQUIRE(some.size() == 1);
  CHECK(some[0].place.block == 12);
  CHECK(some[0].status == tide::status::pending);
  CHECK(some[0].subscriptions == std::vector<std::string>{"transfers"});
  const auto after = some[0].place;
  CHECK(must(w.db->backlog(world::chain, 0, after, 10, store::backlog_of::pending)).empty());
  const store::backlog_route place{
      some[0].tx, some[0].place.log_index, {"late", "1:k", "transfers", false, true}};
  w.in_group([&] { must(w.db->fill(world::chain, std::span(&place, 1), ++w.now)); });
  CHECK(show(w.deliver("late")).empty());
  auto next = log(block(13), 4);
  next.routes.push_back({"late", "1:k", "transfers", true, true});
  w.apply(35, {tide::shown{{block(13)}, {next}, true}, tide::mark_moved{block(13)}}, {header(13)});
  CHECK(show(w.deliver("late")).empty());
  waits.routes.push_back({"late", "1:k", "transfers", true, true});
  w.apply(45, {tide::proved{block(12), {{tx(3), 0}}, {waits}}});
  CHECK(show(w.deliver("late")) == "c12 c13");
}

TEST_CASE("who is told more than before lacks its places", "[places]") {
  world w;
  w.in_group([&] {
    must(w.db->filled("h"));
    must(w.db->filled("g"));
  });
  store::handler_in g{"g", true, false, "chain"};
  g.subscriptions = {"transfers"};
  using lacking = std::vector<store::unfilled_handler>;
  const auto filled = [&] { w.in_group([&] { must(w.db->filled("g")); }); };
  unfilled_with(w, g);
  filled();
  CHECK(unfilled_with(w, g).empty());
  g.subscriptions = {"transfers", "transfers2"};
  CHECK(unfilled_with(w, g) == lacking{{"g", false}});
  CHECK(unfilled_with(w, g) == lacking{{"g", false}}); // until it has them
  filled();
  g.subscriptions = {"transfers2"};
  CHECK(unfilled_with(w, g).empty());
  g.confirmed = true;
  CHECK(unfilled_with(w, g) == lacking{{"g", false}});
  filled();
  unfilled_with(w, g, false);
  CHECK(unfilled_with(w, g) == lacking{{"g", false}}); // it was away
}

TEST_CASE("what waits and is read again above the mark gives a place to whom it fits by now",
          "[places]") {
  world w;
  auto waits = log(block(10), 1);
  waits.asks.blocks = 30;
  waits.routes[0].handler = "g";
  w.apply(12, {tide::saw{{waits}}}, {header(10)});
  auto behind = log(block(11), 2);
  waits.routes.push_back(behind.routes[0]);
  for (int twice = 0; twice < 2; ++twice)
    w.apply(12, {tide::saw{{waits}}});
  w.apply(15,
          {tide::shown{{block(10), block(11)}, {waits, behind}, true}, tide::mark_moved{block(11)}},
          {header(11)});
  CHECK(show(w.deliver()).empty());
  w.apply(40, {tide::proved{block(10), {{tx(1), 0}}, {waits}}});
  CHECK(show(w.deliver()) == "c10 c11");
}

TEST_CASE("one that was told as pending alone gets its place too, and nothing twice", "[places]") {
  world w;
  auto waits = log(block(10), 1);
  waits.routes[0].pending = true;
  waits.routes[0].confirmed = false;
  w.apply(10, {tide::saw{{waits}}}, {header(10)});
  CHECK(show(w.deliver()) == "p10");
  const store::backlog_route place{tx(1), 0, {"h", "1:k", "transfers", true, true}};
  for (int twice = 0; twice < 2; ++twice)
    w.in_group([&] { must(w.db->fill(world::chain, std::span(&place, 1), ++w.now)); });
  CHECK(w.deliver().empty());
  waits.routes[0].confirmed = true;
  w.apply(13, {tide::shown{{block(10)}, {waits}, false}, tide::mark_moved{block(10)}});
  CHECK(show(w.deliver()) == "c10");
}

TEST_CASE("what waits in a block that is skipped holds nothing any more, and goes late",
          "[places]") {
  world w;
  auto waits = log(block(10), 1);
  waits.asks.blocks = 30;
  const auto behind = log(block(11), 2);
  w.apply(11, {tide::saw{{waits, behind}}}, {header(10), header(11)});
  CHECK(w.deliver().empty());
  SECTION("with the mark") {
    w.apply(14, {tide::skipped{10, 10, "ops", "pruned"}, tide::mark_moved{block(10)}});
    w.apply(15, {tide::shown{{block(11)}, {behind}, false}, tide::mark_moved{block(11)}});
  }
  SECTION("below it") {
    w.apply(15, {tide::shown{{block(10), block(11)}, {waits, behind}, false},
                 tide::mark_moved{block(11)}});
    CHECK(w.deliver().empty());
    w.apply(15, {tide::skipped{10, 10, "ops", "pruned"}});
  }
  CHECK(show(w.deliver()) == "c11");
  w.apply(40, {tide::proved{block(10), {{tx(1), 0}}, {waits}}});
  CHECK(show(w.deliver()) == "c10L");
}
