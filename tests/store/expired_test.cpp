// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// Block 10 leaves for branch B.
void undo(world& w) {
  w.apply(30,
          {tide::orphaned{block(10)}, tide::reorg{1, block(9), block(10), block(10, 'B'), false}},
          {header(10, 'B', 'A')});
}

} // namespace

TEST_CASE("a pending that is too old is not sent any more", "[expired]") {
  world w;
  w.in_group([&] {
    store::handler_in g{"g", true, true, "chain"};
    g.pending_max_age = 50;
    const store::handler_in all[] = {{"h", false, true, "contract"}, g};
    must(w.db->register_handlers(all, w.now));
  });
  auto s = log(block(10), 1);
  s.routes = {{.handler = "g", .key = "1", .subscription = "transfers", .pending = true}};
  w.apply(12, {tide::saw{{s}}}, {header(10)});
  SECTION("in time") { CHECK(show(w.deliver("g")) == "p10"); }
  SECTION("late: a gap in its place") {
    w.now += 60;
    const auto sent = w.take("g");
    CHECK(w.rung.did.gaps == (std::map<std::string, std::uint64_t>{{"g", 1}}));
    REQUIRE(show(sent) == "g1");
    w.finish(sent[0]);
    CHECK(w.rung.did.gaps.empty());
    CHECK(sent[0].notice->data.find(R"("reason":"expired")") != std::string::npos);
  }
  w.apply(14, {tide::shown{{block(10)}, {s}, false}, tide::mark_moved{block(10)}});
  CHECK(show(w.deliver("g")) == "c10");
}

TEST_CASE("a pending that expired was never told, so nothing takes it back", "[expired]") {
  world w;
  w.in_group([&] {
    store::handler_in g{"g", true, true, "chain"};
    g.pending_max_age = 50;
    must(w.db->register_handlers({&g, 1}, w.now));
  });
  auto s = log(block(10), 1);
  s.routes = {{.handler = "g", .key = "1", .subscription = "transfers", .pending = true}};
  w.apply(12, {tide::saw{{s}}}, {header(10)});
  const auto fails = [&](std::optional<std::uint16_t> http) {
    const auto m = w.take("g");
    REQUIRE(show(m) == "p10");
    store::finished f;
    f.handler = "g";
    f.lane = m[0].lane;
    f.seq = m[0].seq;
    f.attempt_id = m[0].attempt_id;
    f.outcome = tide::outcome::failed;
    f.http_status = http;
    w.in_group([&] { must(w.db->finish(std::span(&f, 1), ++w.now)); });
  };
  SECTION("it is undone afterwards") {
    SECTION("nobody was asked") {}
    SECTION("it was refused") { fails(503); }
    w.now += 60;
    CHECK(show(w.deliver("g")) == "g1");
    undo(w);
    CHECK(w.deliver("g").empty());
  }
  SECTION("it is undone while it waits") {
    undo(w);
    w.now += 60;
    const auto sent = w.deliver("g");
    REQUIRE(show(sent) == "g1 g2");
    CHECK(sent[1].notice->data.find(R"("reason":"expired")") != std::string::npos);
    CHECK(sent[1].notice->data.find("_r1\"]") != std::string::npos);
  }
  SECTION("a try of it had no answer: it may have been heard") {
    fails(std::nullopt);
    w.now += 60;
    CHECK(show(w.deliver("g")) == "g1");
    undo(w);
    CHECK(show(w.deliver("g")) == "r10");
  }
  SECTION("its confirmation was told, and is taken back") {
    w.now += 60;
    CHECK(show(w.deliver("g")) == "g1");
    w.apply(14, {tide::shown{{block(10)}, {s}, false}, tide::mark_moved{block(10)}});
    const auto told = w.deliver("g");
    CHECK(show(told) == "c10");
    undo(w);
    const auto back = w.deliver("g");
    REQUIRE(show(back) == "r10");
    CHECK(back[0].fact.undoes == store::message_id(told[0]));
  }
}
