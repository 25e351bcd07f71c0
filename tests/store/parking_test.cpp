// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// Confirmed events 1…n in blocks 10…, all under one key.
void confirm(world& w, std::uint64_t n) {
  std::vector<tide::held_header> headers;
  tide::shown all;
  all.settles = true;
  for (std::uint64_t i = 0; i < n; ++i) {
    headers.push_back(header(10 + i));
    all.blocks.push_back(block(10 + i));
    all.logs.push_back(log(block(10 + i), i + 1));
  }
  w.apply(10 + n + 20, {all, tide::mark_moved{all.blocks.back()}}, headers);
}

/// The top blocks, from `first` to `last`, leave for branch B.
void undo(world& w, std::uint64_t first, std::uint64_t last) {
  std::vector<tide::verdict> v;
  std::vector<tide::held_header> headers;
  for (auto n = last; n >= first; --n)
    v.push_back(tide::orphaned{block(n)});
  for (auto n = first; n <= last; ++n)
    headers.push_back(header(n, 'B', n == first ? 'A' : 'B'));
  v.push_back(tide::reorg{static_cast<std::uint32_t>(last - first + 1), block(first - 1),
                          block(last), block(last, 'B'), false});
  w.apply(last + 20, v, headers);
}

std::vector<store::dead_row> dead(world& w) {
  store::reader r(*w.db);
  return must(r.dead({})).items;
}
store::dead_done order(world& w, std::vector<std::int64_t> ids, bool skip = false,
                       bool all = false) {
  store::dead_order o;
  o.ids = std::move(ids);
  o.all = all;
  o.skip = skip;
  o.who = "ops";
  o.reason = "booked by hand";
  store::dead_done done;
  w.in_group([&] { done = must(w.db->order_dead(o, ++w.now)); });
  return done;
}
std::string state_of(world& w, std::uint64_t t) {
  store::reader r(*w.db);
  const auto life = must(r.event({world::chain, tx(t), 0}));
  for (const auto& [handler, state] : life->item.processing)
    if (handler == "h") return std::string(tide::to_text(state));
  return "none";
}
store::handler_row row(world& w) {
  store::reader r(*w.db);
  for (const auto& h : must(r.handlers()))
    if (h.name == "h") return h;
  FAIL("no handler");
  return {};
}

using counted = std::map<std::string, std::uint64_t>;

} // namespace

TEST_CASE("a message about messages is never parked", "[parking]") {
  world w;
  confirm(w, 2);
  w.park(w.take().at(0), tide::on_exhausted::park_event);
  for (const auto how : {tide::on_exhausted::park_event, tide::on_exhausted::park_key}) {
    const auto gap = w.take();
    REQUIRE(show(gap) == "g1");
    w.park(gap[0], how);
    CHECK(dead(w).size() == 1);
  }
  CHECK(show(w.deliver()) == "g1 c11");
}

TEST_CASE("a message that is parked alone: a gap in its place, its key goes on", "[parking]") {
  world w;
  confirm(w, 3);
  const auto first = w.take();
  w.park(first.at(0), tide::on_exhausted::park_event);
  CHECK(w.rung.did.gaps == counted{{"h", 1}});
  CHECK(state_of(w, 1) == "parked");
  REQUIRE(dead(w).size() == 1);
  const auto d = dead(w)[0];
  CHECK(d.message_id == tide::message_id(first[0].fact));
  CHECK(d.event_id == tide::event_id(world::chain, tx(1), 0));
  CHECK(d.handler == "h");
  CHECK(d.key == "1:k");
  CHECK(d.sequence == 1);
  CHECK(d.attempts == 1);
  CHECK(d.http_status == 500);
  CHECK(d.answer == "said");
  CHECK(row(w).parked == 1);
  const auto gap = w.take();
  REQUIRE(gap.size() == 1);
  REQUIRE(gap[0].notice);
  CHECK(gap[0].envelope.sequence == 1);
  CHECK(gap[0].attempt == 1);
  CHECK(gap[0].notice->data ==
        R"({"ids":[")" + d.message_id +
            R"("],"count":1,"reason":"exhausted","by":"tidemark","chain":"1",)"
            R"("from_block":10,"to_block":10})");
  w.finish(gap[0]);
  CHECK(show(w.deliver()) == "c11 c12");
  CHECK(state_of(w, 1) == "parked");

  SECTION("retried, it has the key's next sequence and its own id") {
    CHECK(order(w, {d.id}).count == 1);
    CHECK(dead(w).empty());
    const auto again = w.deliver();
    REQUIRE(show(again) == "c10");
    CHECK(again[0].envelope.sequence == 4);
    CHECK(store::message_id(again[0]) == d.message_id);
    CHECK(state_of(w, 1) == "delivered");
  }
  SECTION("skipped, one more gap says so") {
    CHECK(order(w, {d.id}, true).count == 1);
    CHECK(w.rung.did.gaps == counted{{"h", 1}});
    CHECK(state_of(w, 1) == "skipped");
    const auto said = w.deliver();
    REQUIRE(show(said) == "g4");
    CHECK(said[0].notice->data.find(R"("reason":"skipped","by":"ops")") != std::string::npos);
    store::reader r(*w.db);
    const auto gaps = must(r.gaps({})).items;
    REQUIRE(gaps.size() == 1);
    CHECK(gaps[0].who == "ops");
    CHECK(gaps[0].reason == "booked by hand");
    CHECK(gaps[0].from_block == 10);
  }
  SECTION("undone, it counts as told, and can only be skipped") {
    undo(w, 10, 12);
    const auto back = w.deliver();
    CHECK(show(back) == "r12 r11 r10");
    CHECK(back[2].fact.undoes == d.message_id);
    const auto refused = order(w, {d.id});
    REQUIRE(refused.refused.size() == 1);
    CHECK(refused.refused[0].second == store::dead_fault::undone);
    CHECK(order(w, {}, false, true).count == 0);
    CHECK(order(w, {d.id}, true).count == 1);
    CHECK(show(w.deliver()) == "g7");
  }
  CHECK(order(w, {99}).refused.at(0).second == store::dead_fault::none);
}

TEST_CASE("a key that is parked waits whole", "[parking]") {
  world w;
  confirm(w, 3);
  const auto first = w.take();
  w.park(first.at(0), tide::on_exhausted::park_key);
  CHECK(w.take().empty());
  CHECK(dead(w).size() == 3);
  CHECK(row(w).parked == 3);
  CHECK(row(w).due == 0);
  CHECK(state_of(w, 3) == "parked");
  const auto late = log(block(13), 4);
  w.apply(40, {tide::shown{{block(13)}, {late}, true}, tide::mark_moved{block(13)}}, {header(13)});
  CHECK(dead(w).size() == 4);
  SECTION("also after a restart") {
    w.db = store::store::revive(std::move(w.db));
    CHECK(w.take().empty());
  }
  const auto rows = dead(w); // newest first
  SECTION("only its first can be retried, and takes the others along") {
    CHECK(order(w, {rows[0].id}).refused.at(0).second == store::dead_fault::behind);
    CHECK(order(w, {rows[3].id}).count == 1);
    const auto sent = w.deliver();
    CHECK(show(sent) == "c10 c11 c12 c13");
    CHECK(sent[0].envelope.sequence == 1);
    CHECK(dead(w).empty());
  }
  SECTION("all") {
    CHECK(order(w, {}, false, true).count == 4);
    CHECK(show(w.deliver()) == "c10 c11 c12 c13");
  }
  SECTION("its first skipped: a gap in its place, then the others") {
    CHECK(order(w, {rows[3].id}, true).count == 1);
    CHECK(show(w.deliver()) == "g1 c11 c12 c13");
    CHECK(state_of(w, 1) == "skipped");
    CHECK(dead(w).empty());
  }
  SECTION("a later one skipped: the key still waits") {
    CHECK(order(w, {rows[1].id}, true).count == 1);
    CHECK(w.take().empty());
    CHECK(order(w, {rows[3].id}).count == 1);
    CHECK(show(w.deliver()) == "c10 c11 g3 c13");
  }
  SECTION("undone: behind it, and it can only be skipped") {
    undo(w, 10, 13);
    CHECK(w.take().empty());
    CHECK(dead(w).size() == 8);
    CHECK(order(w, {rows[3].id}).refused.at(0).second == store::dead_fault::undone);
    CHECK(order(w, {rows[3].id}, true).count == 1);
    CHECK(show(w.deliver()) == "g1 c11 c12 c13 r13 r12 r11 r10");
  }
  SECTION("a halted chain's stays, also when it is retried then") {
    w.apply(50, {tide::halted{"too deep"}});
    CHECK(order(w, {rows[3].id}).count == 1);
    CHECK(w.take().empty());
    w.apply(50, {tide::resumed{}});
    CHECK(show(w.take()) == "c10");
  }
  SECTION("resuming the chain frees no parked key") {
    w.apply(50, {tide::halted{"too deep"}});
    w.apply(50, {tide::resumed{}});
    CHECK(w.take().empty());
  }
}

TEST_CASE("the budget that is used up is kept with the message", "[parking]") {
  world w;
  confirm(w, 1);
  const auto m = w.take();
  store::finished f;
  f.lane = m[0].lane;
  f.seq = m[0].seq;
  f.attempt_id = m[0].attempt_id;
  f.outcome = tide::outcome::failed;
  f.aged = 700;
  w.in_group([&] { must(w.db->finish(std::span(&f, 1), ++w.now)); });
  CHECK(w.take().at(0).age == 700);
  w.db = store::store::revive(std::move(w.db));
  CHECK(w.take().at(0).age == 700);
}

TEST_CASE("chain skip: each handler of the chain is told in the place of what was not read",
          "[parking]") {
  world w;
  w.in_group([&] {
    store::handler_in h{"h", false, true, "contract"};
    h.chains = {world::chain};
    const store::handler_in all[] = {h, {"g", true, true, "chain"}};
    must(w.db->register_handlers(all, w.now));
  });
  w.apply(15, {tide::skipped{10, 12, "ops", "pruned everywhere"}, tide::mark_moved{block(12)}},
          {header(12)});
  CHECK(w.rung.did.gaps == counted{{"h", 1}});
  const auto sent = w.deliver();
  REQUIRE(show(sent) == "g1");
  CHECK(sent[0].envelope.key == "1");
  CHECK(sent[0].notice->data == R"({"ids":[],"count":0,"reason":"blocks","by":"ops","chain":"1",)"
                                R"("from_block":10,"to_block":12})");
  CHECK(w.deliver("g").empty());
}
