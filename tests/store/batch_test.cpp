// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

struct batches : world {
  explicit batches(std::uint32_t most = 3, std::int64_t linger = 0, std::uint64_t bytes = 0) {
    store::handler_in h{"h", false, true, "contract"};
    h.batch = most;
    h.linger = linger;
    h.max_message = bytes;
    const store::handler_in all[] = {h, {"g", true, true, "chain"}};
    in_group([&] { must(db->register_handlers(all, now)); });
  }
  void found(std::uint64_t number) {
    apply(number + 20,
          {tide::shown{{block(number)}, {log(block(number), number)}, true},
           tide::mark_moved{block(number)}},
          {header(number)});
  }
  store::message one() {
    const auto taken = take();
    REQUIRE(taken.size() == 1);
    return taken[0];
  }
  store::event_life life(std::uint64_t t) {
    store::reader r(*db);
    return *must(r.event({world::chain, tx(t), 0}));
  }
  tide::message_state state(std::uint64_t t) { return life(t).item.processing.at(0).second; }
  void end(const store::message& m, std::function<void(store::finished&)> how) {
    store::finished f;
    f.handler = "h";
    f.lane = m.lane;
    f.seq = m.seq;
    f.attempt_id = m.attempt_id;
    f.count = static_cast<std::uint32_t>(m.count());
    how(f);
    in_group([&] { must(db->finish(std::span(&f, 1), ++now)); });
  }
};

} // namespace

TEST_CASE("a batch is composed once", "[batch]") {
  batches w;
  w.found(10);
  w.found(11);
  const auto first = w.one();
  CHECK(first.batch);
  CHECK(first.count() == 2);
  CHECK(store::message_id(first) == "batch_" + tide::message_id(first.fact) + "_2");
  const auto body = store::message_body(first);
  CHECK(body.front() == '[');
  w.found(12);
  SECTION("what did not count goes again as it was") {
    w.finish(first, tide::outcome::later);
    const auto again = w.one();
    CHECK(again.count() == 2);
    CHECK(store::message_body(again) == body);
    w.finish(again);
    CHECK(w.one().count() == 1);
  }
  SECTION("also over a restart") {
    w.db = store::store::revive(std::move(w.db));
    CHECK(w.one().count() == 2);
  }
  SECTION("a part of it is taken: the rest is a new batch") {
    w.end(first, [](store::finished& f) {
      f.outcome = tide::outcome::ok;
      f.done = true;
      f.taken = 1;
    });
    const auto rest = w.one();
    CHECK(rest.envelope.sequence == 2);
    CHECK(rest.count() == 2);
    CHECK(w.life(10).attempts.at(0).outcome == tide::outcome::ok);
    CHECK(w.life(11).attempts.at(0).outcome == tide::outcome::later);
    CHECK(w.life(11).attempts.at(1).outcome == tide::outcome::open);
  }
  SECTION("all of it is being sent") {
    CHECK(w.state(10) == tide::message_state::sending);
    CHECK(w.state(11) == tide::message_state::sending);
    CHECK(w.state(12) == tide::message_state::queued);
  }
  SECTION("split: message by message, and nothing counted") {
    w.end(first, [](store::finished& f) {
      f.outcome = tide::outcome::failed;
      f.split = true;
    });
    const auto alone = w.one();
    CHECK_FALSE(alone.batch);
    CHECK(alone.attempt == 1);
    w.finish(alone);
    const auto next = w.one();
    CHECK_FALSE(next.batch);
    CHECK(next.envelope.sequence == 2);
    w.finish(next);
    CHECK(w.one().batch); // what came behind
  }
  SECTION("each of its events has the attempt") {
    w.finish(first);
    store::reader r(*w.db);
    for (const std::uint64_t t : {10, 11}) {
      const auto life = must(r.event({world::chain, tx(t), 0}));
      REQUIRE(life->attempts.size() == 1);
      CHECK(life->attempts[0].outcome == tide::outcome::ok);
    }
  }
}

TEST_CASE("a batch has at most so many messages, and bytes", "[batch]") {
  batches w(3);
  for (std::uint64_t n = 10; n < 15; ++n)
    w.found(n);
  const auto first = w.one();
  CHECK(first.count() == 3);
  batches small(3, 0, store::message_body(first).size() - 10);
  for (std::uint64_t n = 10; n < 15; ++n)
    small.found(n);
  CHECK(small.one().count() == 2);
}

TEST_CASE("what grows too old in a batch that was composed goes again with it", "[batch]") {
  batches w;
  store::handler_in h{"h", true, true, "contract"};
  h.batch = 3;
  h.pending_max_age = 5'000;
  w.in_group([&] { must(w.db->register_handlers({&h, 1}, w.now)); });
  std::vector<tide::sighting> logs;
  for (std::uint64_t n = 10; n < 12; ++n) {
    logs.push_back(log(block(n), n));
    logs.back().routes[0].pending = true;
  }
  w.apply(12, {tide::saw{logs}}, {header(10), header(11), header(12)});
  const auto first = w.one();
  CHECK(first.count() == 2);
  w.finish(first, tide::outcome::later);
  w.now += 10'000;
  const auto again = w.one();
  CHECK(store::message_id(again) == store::message_id(first));
  CHECK(store::message_body(again) == store::message_body(first));
  // Composed anew, it is too old.
  w.end(again, [](store::finished& f) {
    f.outcome = tide::outcome::failed;
    f.split = true;
  });
  CHECK(show({w.one()}) == "g1");
}

// Its id would be that of the batch which it began once, with other messages.
TEST_CASE("what was parked and is tried again goes alone", "[batch]") {
  batches w(2);
  w.found(10);
  w.found(11);
  std::map<std::string, std::string> bodies;
  const auto same_for_its_id = [&](const store::message& m) {
    const auto body = store::message_body(m);
    CHECK(bodies.emplace(store::message_id(m), body).first->second == body);
  };
  const auto first = w.one();
  REQUIRE(first.count() == 2);
  same_for_its_id(first);
  w.end(first, [](store::finished& f) {
    f.outcome = tide::outcome::failed;
    f.split = true;
  });
  w.park(w.one(), tide::on_exhausted::park_event);
  w.deliver();
  const auto retry = [&] {
    store::dead_order o;
    o.all = true;
    w.in_group([&] { REQUIRE(must(w.db->order_dead(o, ++w.now)).count == 1); });
  };
  SECTION("before what comes behind it") {
    retry();
    w.found(12);
    const auto again = w.one();
    CHECK_FALSE(again.batch);
    CHECK(show({again}) == "c10");
    w.finish(again);
    CHECK(show(w.deliver()) == "c12");
  }
  SECTION("behind what went before it") {
    w.found(12);
    retry();
    const auto before = w.one();
    CHECK(before.count() == 1);
    same_for_its_id(before);
    w.finish(before);
    CHECK_FALSE(w.one().batch);
  }
}

TEST_CASE("a batch lingers", "[batch]") {
  batches w(3, 500);
  w.found(10);
  CHECK(w.take().empty());
  SECTION("until it is full") {
    w.found(11);
    w.found(12);
    CHECK(w.one().count() == 3);
  }
  SECTION("so long at most") {
    w.now += 500;
    CHECK(w.one().count() == 1);
  }
}
