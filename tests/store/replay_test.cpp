// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

void found(world& w, std::uint64_t number, std::uint64_t t, const char* key = "1:k") {
  auto s = log(block(number), t);
  s.routes[0].key = key;
  w.apply(number + 20, {tide::shown{{block(number)}, {s}, true}, tide::mark_moved{block(number)}},
          {header(number)});
}

store::replay_started replay(world& w, store::replay_order o) {
  o.handler = "h";
  o.who = "ops";
  store::replay_started started;
  w.in_group([&] { started = must(w.db->replay(o, ++w.now)); });
  return started;
}
tide::job_state state_of(world& w, std::int64_t job) {
  store::reader r(*w.db);
  return must(r.job(job))->state;
}

} // namespace

TEST_CASE("a replay: the same ids and bytes, before what is queued", "[replay]") {
  world w;
  found(w, 10, 1);
  found(w, 11, 2);
  found(w, 12, 3, "1:other");
  std::vector<std::string> bodies;
  for (const auto& m : w.deliver())
    bodies.push_back(store::message_body(m));
  CHECK(bodies.size() == 3);
  store::replay_order all;
  SECTION("only counted") {
    all.dry_run = true;
    const auto counted = replay(w, all);
    CHECK(counted.count == 3);
    CHECK_FALSE(counted.job);
    CHECK(w.take().empty());
  }
  SECTION("sent") {
    found(w, 13, 4);
    const auto started = replay(w, all);
    CHECK(started.count == 3);
    REQUIRE(started.job);
    CHECK(state_of(w, *started.job) == tide::job_state::running);
    const auto sent = w.deliver();
    std::vector<std::string> again;
    std::string of_key;
    for (const auto& m : sent) {
      if (m.job != 0) again.push_back(store::message_body(m));
      if (m.envelope.key == "1:k") of_key += std::to_string(m.fact.block.number) + ' ';
    }
    std::sort(bodies.begin(), bodies.end());
    std::sort(again.begin(), again.end());
    CHECK(again == bodies);
    CHECK(of_key == "10 11 13 ");
    CHECK(state_of(w, *started.job) == tide::job_state::done);
  }
  SECTION("what is in flight comes first") {
    found(w, 13, 4);
    const auto live = w.take();
    REQUIRE(live.size() == 1);
    replay(w, all);
    CHECK(show(w.take()) == "c12"); // of the other key
    w.finish(live[0]);
    CHECK(show(w.take()) == "c10");
  }
  SECTION("what is in flight and fails comes behind it") {
    found(w, 13, 4);
    const auto live = w.take();
    REQUIRE(live.size() == 1);
    all.event = tide::event_key{world::chain, tx(1), 0};
    replay(w, all);
    CHECK(w.take().empty());
    w.finish(live[0], tide::outcome::failed);
    CHECK(show(w.deliver()) == "c10 c13");
  }
  SECTION("by what is chosen") {
    all.dry_run = true;
    all.event = tide::event_key{world::chain, tx(2), 0};
    CHECK(replay(w, all).count == 1);
    all.event.reset();
    all.from_seq = 2;
    all.to_seq = 2;
    CHECK(replay(w, all).count == 1);
    all.from_seq = all.to_seq = std::nullopt;
    all.chain_id = world::chain;
    all.from_block = 11;
    CHECK(replay(w, all).count == 2);
    all.to_block = 11;
    CHECK(replay(w, all).count == 1);
    all.chain_id = 5;
    CHECK(replay(w, all).count == 0);
    all = {};
    all.dry_run = true;
    all.since = w.now + 1'000;
    CHECK(replay(w, all).count == 0);
  }
  SECTION("as new ones") {
    all.as_new = true;
    all.event = tide::event_key{world::chain, tx(1), 0};
    const auto started = replay(w, all);
    const auto m = w.deliver();
    REQUIRE(m.size() == 1);
    CHECK(m[0].envelope.sequence == 3);
    CHECK(state_of(w, *started.job) == tide::job_state::done);
    const auto own = tide::message_id(m[0].fact);
    CHECK(store::message_id(m[0]) == own + "_x" + std::to_string(*started.job));
    CHECK(store::message_body(m[0]).find(R"("replayof":")" + own + '"') != std::string::npos);
  }
  SECTION("cancelled: what is in flight is its last") {
    const auto started = replay(w, all);
    const auto first = w.take();
    CHECK(first.size() == 2);
    found(w, 13, 4);
    w.in_group([&] { CHECK(must(w.db->cancel_job(*started.job, ++w.now))); });
    for (const auto& m : first)
      w.finish(m);
    CHECK(show(w.deliver()) == "c13");
    CHECK(state_of(w, *started.job) == tide::job_state::cancelled);
  }
  SECTION("cancelled: what fails then was its last too, and its key waited for it") {
    const auto started = replay(w, all);
    const auto first = w.take();
    CHECK(first.size() == 2);
    found(w, 13, 4);
    w.in_group([&] { CHECK(must(w.db->cancel_job(*started.job, ++w.now))); });
    CHECK(w.take().empty());
    SECTION("in its process") {
      for (const auto& m : first)
        w.finish(m, tide::outcome::failed);
    }
    SECTION("which ended") { w.db = store::store::revive(std::move(w.db)); }
    CHECK(show(w.deliver()) == "c13");
    CHECK(state_of(w, *started.job) == tide::job_state::cancelled);
  }
  SECTION("cancelled while the chain is halted: nothing goes before it is resumed") {
    all.rate = 0.001;
    const auto started = replay(w, all);
    CHECK(show(w.deliver()) == "c10");
    found(w, 13, 4);
    CHECK(w.take().empty());
    w.apply(50, {tide::halted{"too deep"}});
    w.in_group([&] { CHECK(must(w.db->cancel_job(*started.job, ++w.now))); });
    CHECK(w.take().empty());
    w.apply(50, {tide::resumed{}});
    CHECK(show(w.deliver()) == "c13");
  }
  SECTION("at a rate") {
    all.rate = 10;
    replay(w, all);
    CHECK(w.take().size() == 1);
    w.now += 300;
    CHECK(w.take().size() >= 1);
  }
  SECTION("over a restart") {
    const auto started = replay(w, all);
    w.take();
    w.db = store::store::revive(std::move(w.db));
    CHECK(show(w.deliver()).size() == 11);
    CHECK(state_of(w, *started.job) == tide::job_state::done);
  }
  SECTION("one that always fails is left out by nothing but an end of the job") {
    all.event = tide::event_key{world::chain, tx(1), 0};
    const auto started = replay(w, all);
    for (const auto how : {tide::on_exhausted::park_key, tide::on_exhausted::park_event}) {
      const auto again = w.take();
      REQUIRE(show(again) == "c10");
      CHECK(again[0].replayed);
      w.park(again[0], how);
      CHECK(state_of(w, *started.job) == tide::job_state::running);
    }
    store::reader r(*w.db);
    CHECK(must(r.dead({})).items.empty());
    w.in_group([&] { CHECK(must(w.db->cancel_job(*started.job, ++w.now))); });
    CHECK(state_of(w, *started.job) == tide::job_state::cancelled);
    CHECK(w.take().empty());
  }
}

TEST_CASE("a replay has the rolled_back too, in the first order", "[replay]") {
  world w;
  found(w, 10, 1);
  w.deliver();
  w.apply(30, {tide::proved{block(10), {}, {}}});
  w.deliver();
  CHECK(replay(w, {}).count == 2);
  CHECK(show(w.deliver()) == "c10 r10");
}

TEST_CASE("a replay sends an event's messages in their first order, whatever their keys",
          "[replay]") {
  world w;
  found(w, 10, 1);
  w.deliver();
  const char* key = "1:z"; // its own in the other block
  SECTION("of one epoch") {}
  SECTION("of two epochs") {
    store::handler_in h{"h", false, true, "chain"};
    w.in_group([&] { must(w.db->register_handlers({&h, 1}, ++w.now)); });
    key = "1:k";
  }
  w.deliver();
  w.apply(30,
          {tide::orphaned{block(10)}, tide::reorg{1, block(9), block(10), block(10, 'B'), false}},
          {header(10, 'B', 'A')});
  auto again = log(block(10, 'B'), 1);
  again.routes[0].key = key;
  w.apply(30, {tide::shown{{block(10, 'B')}, {again}, true}, tide::mark_moved{block(10, 'B')}});
  CHECK(show(w.deliver()) == "r10 c10");
  CHECK(replay(w, {}).count == 3);
  std::string versions;
  for (auto some = w.take(); !some.empty(); some = w.take()) {
    REQUIRE(some.size() == 1);
    versions += std::to_string(some[0].fact.version);
    w.finish(some[0]);
  }
  CHECK(versions == "123");
}

TEST_CASE("what takes back names the last that was told, be it a copy", "[replay]") {
  world w;
  found(w, 10, 1);
  const auto own = store::message_id(w.deliver().at(0));
  store::replay_order as_new;
  as_new.as_new = true;
  CHECK(replay(w, as_new).count == 1);
  w.deliver();
  const auto second = replay(w, as_new); // of the first alone, not of its copy
  CHECK(second.count == 1);
  const auto last = store::message_id(w.deliver().at(0));
  CHECK(last == own + "_x" + std::to_string(*second.job));
  w.apply(30, {tide::proved{block(10), {}, {}}});
  const auto undone = w.deliver();
  REQUIRE(undone.size() == 1);
  CHECK(undone[0].fact.undoes == last);
  const auto again = replay(w, {});
  CHECK(again.count == 4);
  CHECK(store::message_body(w.deliver().at(3)) == store::message_body(undone[0]));
  // A copy of both: the one takes back the other.
  CHECK(replay(w, as_new).count == 2);
  const auto copies = w.deliver();
  REQUIRE(copies.size() == 2);
  CHECK(copies[1].fact.undoes == store::message_id(copies[0]));
}
