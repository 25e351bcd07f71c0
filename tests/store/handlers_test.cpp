// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

// What the config says of a handler, and what of it is known while the config does not say it.

namespace {

store::handler_in app() {
  store::handler_in h{"h", false, true, "contract"};
  h.subscriptions = {"transfers"};
  h.chains = {world::chain};
  return h;
}
void know(world& w, const std::vector<store::handler_in>& all) {
  w.in_group([&] { must(w.db->register_handlers(all, ++w.now)); });
}
/// `away`: no chain routes anything to the handler.
void found(world& w, std::uint64_t number, bool away = false) {
  auto s = log(block(number), number);
  if (away) s.routes.clear();
  w.apply(number + 20, {tide::shown{{block(number)}, {s}, true}, tide::mark_moved{block(number)}},
          {header(number)});
}
void restart(world& w) { w.db = store::store::revive(std::move(w.db)); }

/// With a handler that starts at block 11.
struct starting : world {
  starting() : world(false) {
    db = open_store();
    turn = 0;
    in_group([&] { must(db->boot(chain)); });
    know(*this, {from(11)});
    apply(9, {tide::started{10, block(9)}}, {header(9)});
  }
  static store::handler_in from(std::uint64_t number) {
    auto h = app();
    h.from = {{chain, number}};
    return h;
  }
};

} // namespace

TEST_CASE("start counts when the handler is new: another one later leaves out nothing",
          "[handlers]") {
  starting w;
  const bool over_a_restart = GENERATE(false, true);
  found(w, 10);
  found(w, 11);
  CHECK(show(w.deliver()) == "c11");
  if (over_a_restart) restart(w);
  know(w, {starting::from(1'000)});
  found(w, 12);
  CHECK(show(w.deliver()) == "c12");
  SECTION("a chain that is new to it starts where it says") {
    auto h = app();
    h.chains = {world::chain, 8453};
    h.from = {{world::chain, 1'000}, {8453, 5}};
    know(w, {h});
    found(w, 13);
    CHECK(show(w.deliver()) == "c13");
  }
}

TEST_CASE("what lies before its start is nothing that a handler missed", "[handlers]") {
  starting w;
  know(w, {});
  found(w, 10, true);
  SECTION("nothing") {
    know(w, {starting::from(11)});
    CHECK(w.deliver().empty());
  }
  SECTION("what lies behind it is, whatever start says now") {
    found(w, 11, true);
    know(w, {starting::from(1'000)});
    const auto sent = w.deliver();
    REQUIRE(show(sent) == "g1");
    CHECK(sent[0].notice->data.find(R"("count":1,"reason":"away")") != std::string::npos);
  }
}

TEST_CASE("blocks that are passed below its start are none of a handler's", "[handlers]") {
  starting w;
  const auto pass = [&](std::uint64_t from, std::uint64_t to) {
    w.apply(20, {tide::skipped{from, to, "ops", "pruned"}, tide::mark_moved{block(to)}},
            {header(to)});
  };
  pass(10, 10);
  CHECK(w.deliver().empty());
  pass(11, 12);
  CHECK(show(w.deliver()) == "g1");
}

TEST_CASE("what a handler asked for counts while it is away, over a restart too", "[handlers]") {
  world w;
  auto h = app();
  h.max_message = 700;
  know(w, {h});
  auto s = log(block(10), 1);
  s.data = R"({"event_id":"x","data":"0x)" + std::string(2'000, 'a') + R"("})";
  w.apply(30, {tide::shown{{block(10)}, {s}, true}, tide::mark_moved{block(10)}}, {header(10)});
  const auto told = w.deliver();
  REQUIRE(show(told) == "c10");
  const auto elided = [](const store::message& m) {
    return store::message_body(m).find(R"("elided":["data"])") != std::string::npos;
  };
  CHECK(elided(told[0]));
  know(w, {});
  const bool over_a_restart = GENERATE(false, true);
  if (over_a_restart) restart(w);
  w.apply(31, {tide::skipped{11, 12, "ops", "pruned"}, tide::mark_moved{block(12)}}, {header(12)});
  w.apply(32, {tide::proved{block(10), {}, {}}});
  know(w, {h});
  std::string kinds;
  for (const auto& m : w.deliver()) {
    kinds += m.notice ? 'g' : 'r';
    if (!m.notice) CHECK(elided(m));
  }
  std::sort(kinds.begin(), kinds.end());
  CHECK(kinds == "gr");
}
