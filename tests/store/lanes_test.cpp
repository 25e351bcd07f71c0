// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

#include <set>

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// A log that goes to each of these handlers, under one key.
tide::sighting sent_to(tide::sighting s, std::initializer_list<const char*> handlers,
                       const char* key = "1:k", bool pending = false) {
  s.routes.clear();
  for (const char* h : handlers)
    s.routes.push_back({.handler = h,
                        .key = key,
                        .subscription = "transfers",
                        .pending = pending,
                        .confirmed = true});
  return s;
}

tide::sighting slow(tide::sighting s, std::uint64_t blocks) {
  s.asks.blocks = blocks;
  return s;
}

tide::shown range(std::uint64_t from, std::uint64_t to, std::vector<tide::sighting> logs,
                  bool settles = false) {
  tide::shown v;
  for (auto n = from; n <= to; ++n)
    v.blocks.push_back(block(n));
  v.logs = std::move(logs);
  v.settles = settles;
  return v;
}

std::vector<tide::held_header> headers(std::uint64_t from, std::uint64_t to, char branch = 'A') {
  std::vector<tide::held_header> all;
  for (auto n = from; n <= to; ++n)
    all.push_back(header(n, branch, n == from ? 'A' : branch));
  return all;
}

tide::reorg fork_at(std::uint64_t ancestor, std::uint32_t depth) {
  return {depth, block(ancestor), block(ancestor + depth), block(ancestor + depth, 'B'), false};
}

std::string sequences(const std::vector<store::message>& messages) {
  std::string text;
  for (const auto& m : messages)
    text += std::to_string(m.envelope.sequence) + ' ';
  return text;
}

} // namespace

TEST_CASE("confirmed messages go in the chain's order", "[lanes]") {
  world w;
  const auto a = log(block(10), 1, 0), b = log(block(10), 2, 1), c = log(block(12), 3);
  w.apply(12, {tide::saw{{a, b, c}}}, headers(10, 12));
  CHECK(w.take().empty());
  w.apply(15, {range(10, 12, {a, b, c}), tide::mark_moved{block(12)}});
  CHECK(w.rung.handlers_due == std::vector<std::string>{"h"});
  CHECK(w.rung.feed);
  const auto sent = w.deliver();
  CHECK(show(sent) == "c10 c10 c12");
  CHECK(sequences(sent) == "1 2 3 ");
  CHECK(sent[0].fact.tx == tx(1));
  CHECK(sent[1].fact.tx == tx(2));
  CHECK(sent[0].envelope.key == "1:k");
  CHECK(sent[0].envelope.handler == "h");
  CHECK(sent[0].envelope.subscription == "transfers");
  CHECK(sent[0].envelope.instance == "main");
  CHECK(sent[0].fact.head == 15);
  CHECK(sent[0].fact.first_seen == "head");
}

TEST_CASE("an earlier pending event of the key holds the later ones", "[lanes]") {
  world w;
  const auto early = slow(log(block(10), 1), 20), late = log(block(12), 2);
  const auto other = sent_to(log(block(12), 3, 5), {"h"}, "1:other");
  w.apply(12, {tide::saw{{early, late, other}}}, headers(10, 12));
  w.apply(15, {range(10, 12, {early, late, other}), tide::mark_moved{block(12)}});
  CHECK(w.history(2) == "p1 c2");
  const auto free = w.deliver();
  CHECK(show(free) == "c12"); // the other key does not wait
  CHECK(free[0].envelope.key == "1:other");
  SECTION("until it is confirmed") {
    tide::proved p{block(10), {{tx(1), 0}}, {early}};
    w.apply(30, {p});
    CHECK(show(w.deliver()) == "c10 c12");
  }
  SECTION("until it is undone: nothing is sent for it") {
    w.apply(16,
            {tide::orphaned{block(12)}, tide::orphaned{block(11)}, tide::orphaned{block(10)},
             fork_at(9, 3), tide::saw{{log(block(12, 'B'), 2)}}},
            headers(10, 16, 'B'));
    CHECK(w.history(1) == "p1 r2");
    CHECK(show(w.deliver()) == "r12"); // of the other key; what was only held is closed
    w.apply(16, {tide::shown{{block(12, 'B')}, {log(block(12, 'B'), 2)}, false}});
    CHECK(show(w.deliver()) == "c12");
  }
  SECTION("until a proof denies it: what it held goes") {
    w.apply(16, {tide::proved{block(10), {}, {}}});
    CHECK(show(w.deliver()) == "c12");
  }
  SECTION("what is seen later under the key waits too") {
    const auto last = log(block(13), 4);
    w.apply(16, {tide::saw{{last}}}, headers(13, 16));
    w.apply(16, {range(13, 13, {last}), tide::mark_moved{block(13)}});
    CHECK(w.deliver().empty());
    w.apply(30, {tide::proved{block(10), {{tx(1), 0}}, {early}}});
    CHECK(show(w.deliver()) == "c10 c12 c13");
  }
}

TEST_CASE("a block that is proved before its range keeps the order", "[lanes]") {
  world w;
  const auto a = log(block(10), 1), missed = log(block(11), 2), c = log(block(12), 3);
  w.apply(12, {tide::saw{{a, c}}}, headers(10, 12));
  w.apply(15, {tide::proved{block(11), {{tx(2), 0}}, {missed}}, range(10, 12, {a, missed, c})});
  CHECK(show(w.deliver()) == "c10 c11 c12");
}

TEST_CASE("pending goes when seen, to who asks for it", "[lanes]") {
  world w;
  const auto a = sent_to(log(block(10), 1), {"h"});
  auto both = a;
  both.routes.push_back({.handler = "g",
                         .key = "1",
                         .subscription = "transfers",
                         .pending = true,
                         .confirmed = true});
  auto pending_alone = log(block(11), 2);
  pending_alone.routes = {{.handler = "g",
                           .key = "1",
                           .subscription = "transfers",
                           .pending = true,
                           .confirmed = false}};
  w.apply(11, {tide::saw{{both, pending_alone}}}, headers(10, 11));
  CHECK(show(w.deliver("h")) == "");
  CHECK(show(w.deliver("g")) == "p10 p11");
  w.apply(14, {range(10, 11, {both, pending_alone})});
  CHECK(show(w.deliver("h")) == "c10");
  CHECK(show(w.deliver("g")) == "c10");
  SECTION("what was told is taken back, whatever it was") {
    w.apply(14, {tide::orphaned{block(11)}, tide::orphaned{block(10)}, fork_at(9, 5)}, {});
    CHECK(show(w.deliver("h")) == "r10");
    const auto g = w.deliver("g");
    CHECK(show(g) == "r11 r10");
    CHECK(g[0].fact.undoes->ends_with("_p1"));
    CHECK(g[1].fact.undoes->ends_with("_c1"));
  }
}

TEST_CASE("what a reorg undoes", "[lanes]") {
  world w;
  const auto a = log(block(10), 1), b = log(block(11), 2), c = log(block(12), 3);
  w.apply(12, {tide::saw{{a, b, c}}}, headers(10, 12));
  w.apply(14, {range(10, 11, {a, b}), tide::mark_moved{block(11)}}, headers(13, 14));
  const auto undo = [&](std::vector<tide::verdict> more = {}) {
    std::vector<tide::verdict> v{tide::orphaned{block(12)}, tide::orphaned{block(11)},
                                 tide::orphaned{block(10)}, fork_at(9, 5)};
    v.insert(v.end(), more.begin(), more.end());
    w.apply(16, v, headers(10, 16, 'B'));
  };
  SECTION("sent: a rolled_back each, in reverse order; held: nothing") {
    CHECK(show(w.deliver()) == "c10 c11");
    undo();
    const auto back = w.deliver();
    CHECK(show(back) == "r11 r10");
    CHECK(back[0].fact.why == tide::why::reorg);
    CHECK(sequences(back) == "3 4 ");
  }
  SECTION("queued: it still goes, with its rolled_back behind it") {
    undo();
    CHECK(show(w.deliver()) == "c10 c11 r11 r10");
  }
  SECTION("then the new branch") {
    const auto again = log(block(11, 'B'), 1);
    undo({tide::saw{{again}}});
    w.apply(16, {tide::shown{{block(11, 'B')}, {again}, false}});
    const auto all = w.deliver();
    CHECK(show(all) == "c10 c11 r11 r10 c11");
    CHECK_FALSE(all.back().envelope.late); // it lies where the mark was, but the mark went back
    std::set<std::string> ids;
    for (const auto& m : all)
      ids.insert(tide::message_id(m.fact));
    CHECK(ids.size() == 5);
    CHECK(sequences(all) == "1 2 3 4 5 ");
  }
}

TEST_CASE("nothing that a set confirms and then denies is sent", "[lanes]") {
  world w;
  const auto a = log(block(10), 1), b = log(block(11), 2);
  w.apply(12, {tide::saw{{a, b}}}, headers(10, 12));
  w.apply(15, {range(10, 11, {a, b}), tide::proved{block(10), {}, {}}});
  CHECK(w.history(1) == "p1 c2 r!3");
  CHECK(show(w.deliver()) == "c11");
}

TEST_CASE("late: found at or below the mark", "[lanes]") {
  world w;
  const auto held = slow(log(block(12), 1), 50);
  w.apply(12, {tide::saw{{held}}}, headers(10, 12));
  w.apply(13, {range(10, 12, {held}), tide::mark_moved{block(12)}});
  const auto found = log(block(11), 2), later = log(block(13), 3);
  SECTION("goes when found, waits for nothing") {
    w.apply(16, {tide::proved{block(11), {{tx(2), 0}}, {found}}});
    CHECK(show(w.deliver()) == "c11L");
  }
  SECTION("and holds nothing") {
    w.apply(16, {tide::saw{{slow(found, 100)}}}, headers(13, 16));
    const auto a = w.apply(16, {tide::proved{block(12), {{tx(1), 0}}, {}}});
    CHECK(a.waiting == std::vector<tide::ripening>{{block(12), {.blocks = 50}}});
    w.apply(62, {tide::proved{block(12), {{tx(1), 0}}, {}}});
    CHECK(show(w.deliver()) == "c12");
    w.apply(200, {tide::proved{block(11), {{tx(2), 0}}, {}}});
    CHECK(show(w.deliver()) == "c11L");
  }
  SECTION("a policy that asks for more than the mark is not late") {
    w.apply(62, {tide::proved{block(12), {{tx(1), 0}}, {held}}});
    CHECK(show(w.deliver()) == "c12");
  }
}

TEST_CASE("a handler that is there at the confirmation gets it", "[lanes]") {
  world w;
  const auto a = log(block(10), 1);
  w.apply(12, {tide::saw{{a}}}, headers(10, 12));
  w.apply(13, {range(10, 10, {sent_to(a, {"h", "g"})})});
  CHECK(show(w.deliver("h")) == "c10");
  CHECK(show(w.deliver("g")) == "c10");
}

TEST_CASE("whatever the key, an event's versions go one after the other", "[lanes]") {
  world w;
  const auto a = sent_to(log(block(10), 1), {"h"}, "1:x");
  w.apply(10, {tide::saw{{a}}}, headers(10, 10));
  w.apply(13, {range(10, 10, {a}), tide::mark_moved{block(10)}}, headers(11, 13));
  auto first = w.take();
  REQUIRE(show(first) == "c10"); // in flight from here on
  const auto again = sent_to(log(block(10, 'B'), 1), {"h"}, "1:y");
  w.apply(13, {tide::orphaned{block(10)}, fork_at(9, 4), tide::saw{{again}}}, headers(10, 13, 'B'));
  w.apply(13, {tide::shown{{block(10, 'B')}, {again}, false}});
  CHECK(w.history(1) == "p1 c2 r3 p4 c5");
  CHECK(w.take().empty()); // 1:x is in flight, 1:y stands behind it
  SECTION("done") {
    w.finish(first[0]);
    const auto back = w.take();
    REQUIRE(show(back) == "r10");
    CHECK(back[0].envelope.key == "1:x");
    CHECK(w.take().empty());
    w.finish(back[0]);
    CHECK(w.rung.handlers_due == std::vector<std::string>{"h"});
    const auto next = w.take();
    REQUIRE(show(next) == "c10");
    CHECK(next[0].envelope.key == "1:y");
    CHECK(next[0].envelope.sequence == 1);
  }
  SECTION("after a restart too") {
    w.db = store::store::revive(std::move(w.db));
    const auto sent = w.deliver();
    CHECK(show(sent) == "c10 r10 c10");
    CHECK(tide::compose_message(sent[0].fact, sent[0].envelope) ==
          tide::compose_message(first[0].fact, first[0].envelope));
  }
}
