// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// Confirmed events 1…n in blocks 10…, each under its own key or all under one.
void confirm(world& w, std::uint64_t n, bool one_key = true) {
  std::vector<tide::verdict> v;
  std::vector<tide::held_header> headers;
  tide::shown all;
  all.settles = true;
  for (std::uint64_t i = 0; i < n; ++i) {
    headers.push_back(header(10 + i));
    all.blocks.push_back(block(10 + i));
    auto s = log(block(10 + i), i + 1);
    if (!one_key) s.routes[0].key = "1:" + std::to_string(i);
    all.logs.push_back(s);
  }
  w.apply(10 + n + 20, {all, tide::mark_moved{all.blocks.back()}}, headers);
}

store::handler_row handler(world& w, const std::string& name = "h") {
  store::reader r(*w.db);
  for (const auto& h : must(r.handlers()))
    if (h.name == name) return h;
  FAIL("no such handler");
  return {};
}

std::vector<store::attempt_row> attempts(world& w, std::uint64_t t) {
  store::reader r(*w.db);
  return must(r.event({world::chain, tx(t), 0}))->attempts;
}

} // namespace

TEST_CASE("one at a time in a key, as many keys as asked for", "[delivery]") {
  world w;
  confirm(w, 5, false);
  CHECK(w.take("h", 3).size() == 3);
  CHECK(w.take("h", 3).size() == 2);
  CHECK(w.take("h", 3).empty());
  CHECK(handler(w).in_flight == 5);
  world one;
  confirm(one, 5);
  const auto first = one.take();
  REQUIRE(first.size() == 1);
  CHECK(one.take().empty());
  one.finish(first[0]);
  CHECK(one.take().size() == 1);
  CHECK(handler(one).due == 4);
}

TEST_CASE("no more bytes than asked for, but always one", "[delivery]") {
  world w;
  confirm(w, 5, false);
  store::message_batch b;
  w.in_group([&] { b = must(w.db->take("h", w.now, 10, 1)); });
  CHECK(b.messages.size() == 1);
  CHECK(b.next_due <= w.now);
  w.in_group([&] { b = must(w.db->take("h", w.now, 10, 3'000)); });
  CHECK(b.messages.size() == 2);
}

TEST_CASE("attempts are counted before sending", "[delivery]") {
  world w;
  confirm(w, 1);
  const auto m = w.take();
  REQUIRE(m.size() == 1);
  CHECK(m[0].attempt == 1);
  SECTION("a failure counts, and waits for its time") {
    w.finish(m[0], tide::outcome::failed, w.now + 1'000);
    CHECK(handler(w).blocked_keys == 1);
    CHECK(w.take().empty());
    w.now += 1'000;
    const auto again = w.take();
    REQUIRE(again.size() == 1);
    CHECK(again[0].attempt == 2);
    CHECK(tide::compose_message(again[0].fact, again[0].envelope) ==
          tide::compose_message(m[0].fact, m[0].envelope));
    w.finish(again[0]);
    const auto all = attempts(w, 1);
    REQUIRE(all.size() == 2);
    CHECK(all[0].outcome == tide::outcome::failed);
    CHECK(all[0].http_status == 500);
    CHECK(all[1].outcome == tide::outcome::ok);
    CHECK(all[1].answer == "said");
    CHECK(all[1].message_id == tide::message_id(m[0].fact));
    CHECK(all[1].handler == "h");
    CHECK(handler(w).due == 0);
    CHECK(handler(w).blocked_keys == 0);
  }
  SECTION("these count for nothing") {
    for (const auto how : {tide::outcome::later, tide::outcome::handler_bad, tide::outcome::gone}) {
      auto next = how == tide::outcome::later ? m : w.take();
      REQUIRE(next.size() == 1);
      w.finish(next[0], how);
      const auto again = w.take();
      REQUIRE(again.size() == 1);
      CHECK(again[0].attempt == 1);
      w.finish(again[0], tide::outcome::later);
    }
  }
  SECTION("an answer that is too long is cut") {
    store::finished f;
    f.lane = m[0].lane;
    f.seq = m[0].seq;
    f.attempt_id = m[0].attempt_id;
    f.outcome = tide::outcome::ok;
    f.answer = std::string(10'000, 'x');
    w.in_group([&] { must(w.db->finish(std::span(&f, 1), w.now)); });
    CHECK(attempts(w, 1)[0].answer.size() == 4'096);
  }
  SECTION("done, though the answer says otherwise") {
    store::finished f;
    f.lane = m[0].lane;
    f.seq = m[0].seq;
    f.attempt_id = m[0].attempt_id;
    f.outcome = tide::outcome::failed;
    f.done = true;
    w.in_group([&] { must(w.db->finish(std::span(&f, 1), w.now)); });
    CHECK(w.take().empty());
    CHECK(handler(w).due == 0);
  }
  SECTION("an answer to what is done already changes nothing") {
    w.finish(m[0]);
    w.finish(m[0], tide::outcome::failed);
    CHECK(w.take().empty());
    CHECK(attempts(w, 1)[0].outcome == tide::outcome::ok);
  }
  SECTION("what was in flight at the end of the process is unknown, counts, and goes again") {
    w.db = store::store::revive(std::move(w.db));
    CHECK(attempts(w, 1)[0].outcome == tide::outcome::unknown);
    const auto again = w.take();
    REQUIRE(again.size() == 1);
    CHECK(again[0].attempt == 2);
    CHECK(tide::message_id(again[0].fact) == tide::message_id(m[0].fact));
  }
}

TEST_CASE("a message that is queued while another is in flight does not start a second one",
          "[delivery]") {
  world w;
  confirm(w, 1);
  const auto first = w.take();
  const auto next = log(block(11), 2);
  w.apply(40, {tide::shown{{block(11)}, {next}, true}, tide::mark_moved{block(11)}}, {header(11)});
  CHECK(w.take().empty());
  w.finish(first[0]);
  CHECK(show(w.take()) == "c11");
}

TEST_CASE("a paused handler gets nothing, and keeps its queue", "[delivery]") {
  world w;
  confirm(w, 1);
  w.in_group([&] { must(w.db->set_paused("h", true, "by hand", 5)); });
  CHECK(w.take().empty());
  CHECK(handler(w).paused);
  CHECK(handler(w).reason == "by hand");
  w.db = store::store::revive(std::move(w.db));
  CHECK(w.take().empty());
  w.in_group([&] { must(w.db->set_paused("h", false, "", 6)); });
  CHECK(w.rung.handlers_due == std::vector<std::string>{"h"});
  CHECK(w.take().size() == 1);
}

TEST_CASE("who resumes a handler ends what its messages wait for", "[delivery]") {
  world w;
  confirm(w, 1);
  w.finish(w.take()[0], tide::outcome::later, w.now + 3'600'000);
  CHECK(w.take().empty());
  w.in_group([&] { must(w.db->set_paused("h", true, "by hand", w.now)); });
  CHECK(w.take().empty());
  w.in_group([&] { must(w.db->set_paused("h", false, "", w.now)); });
  CHECK(w.take().size() == 1);
}

TEST_CASE("a halted chain's messages stay", "[delivery]") {
  world w;
  confirm(w, 3);
  const auto first = w.take();
  w.apply(50, {tide::halted{"too deep"}});
  CHECK(must(w.db->boot(world::chain)).halted == "too deep");
  w.finish(first[0]);
  CHECK(w.take().empty());
  SECTION("also after a restart") {
    w.db = store::store::revive(std::move(w.db));
    CHECK(w.take().empty());
  }
  SECTION("also what is found then") {
    auto other = log(block(13), 9);
    other.routes[0].key = "1:other";
    w.apply(60, {tide::shown{{block(13)}, {other}, true}}, {header(13)});
    CHECK(w.take().empty());
  }
  w.apply(50, {tide::resumed{}});
  CHECK(w.rung.handlers_due == std::vector<std::string>{"h"});
  CHECK_FALSE(must(w.db->boot(world::chain)).halted);
  CHECK(w.take("h").size() >= 1);
}

TEST_CASE("what was in flight when a halted chain's process ended goes after resume",
          "[delivery]") {
  world w;
  confirm(w, 1);
  REQUIRE(w.take().size() == 1);
  w.apply(50, {tide::halted{"too deep"}});
  w.db = store::store::revive(std::move(w.db));
  CHECK(w.take().empty());
  w.apply(50, {tide::resumed{}});
  CHECK(show(w.take()) == "c10");
}

TEST_CASE("what was in flight when its sender ended is unknown, and goes again", "[delivery]") {
  world w;
  auto other = log(block(14), 7);
  other.routes[0].handler = "g";
  confirm(w, 2);
  w.apply(60, {tide::shown{{block(14)}, {other}, true}}, {header(14)});
  const auto mine = w.take();
  const auto others = w.take("g");
  REQUIRE(mine.size() == 1);
  REQUIRE(others.size() == 1);
  const auto abandon = [&] { w.in_group([&] { must(w.db->abandon("h", ++w.now)); }); };
  SECTION("while the process goes on") {
    abandon();
    CHECK(w.take("g").empty()); // nobody else's
    const auto again = w.take();
    REQUIRE(again.size() == 1);
    CHECK(store::message_id(again[0]) == store::message_id(mine[0]));
    CHECK(again[0].attempt == 2);
    store::reader r(*w.db);
    const auto life = must(r.event({world::chain, mine[0].fact.tx, mine[0].fact.log_index}));
    REQUIRE(life->attempts.size() == 2);
    CHECK(std::count_if(life->attempts.begin(), life->attempts.end(),
                        [](const auto& a) { return a.outcome == tide::outcome::unknown; }) == 1);
    w.finish(mine[0]); // its answer comes after all: of an attempt that is none any more
    w.finish(again[0]);
    CHECK(w.take().size() == 1);
    abandon();
    abandon();
    CHECK(w.take().size() == 1);
  }
  SECTION("and the chain halted") {
    w.apply(60, {tide::halted{"too deep"}});
    abandon();
    CHECK(w.take().empty());
    w.apply(60, {tide::resumed{}});
    CHECK(w.take().size() == 1);
  }
}

TEST_CASE("a turn that takes what is due rings nothing", "[delivery]") {
  world w;
  confirm(w, 2);
  const auto first = w.take();
  store::finished f;
  f.handler = "h";
  f.lane = first[0].lane;
  f.seq = first[0].seq;
  f.attempt_id = first[0].attempt_id;
  f.outcome = tide::outcome::ok;
  w.in_group([&] {
    must(w.db->finish(std::span(&f, 1), w.now));
    CHECK(must(w.db->take("h", w.now, 10, 1 << 20)).messages.size() == 1);
  });
  CHECK(w.rung.handlers_due.empty());
}

TEST_CASE("the bytes are fixed when the message is made", "[delivery]") {
  world w;
  confirm(w, 1);
  w.db->set_instance("other");
  const auto m = w.take();
  REQUIRE(m.size() == 1);
  CHECK(m[0].envelope.instance == "main");
  w.finish(m[0]);
  w.apply(40, {tide::shown{{block(11)}, {log(block(11), 2)}, true}}, {header(11)});
  CHECK(w.take()[0].envelope.instance == "other");
}

TEST_CASE("the next due time", "[delivery]") {
  world w;
  store::message_batch b;
  w.in_group([&] { b = must(w.db->take("h", w.now, 10, 1'000)); });
  CHECK_FALSE(b.next_due);
  w.in_group([&] { b = must(w.db->take("unknown", w.now, 10, 1'000)); });
  CHECK(b.messages.empty());
  confirm(w, 1);
  const auto m = w.take();
  w.finish(m[0], tide::outcome::failed, w.now + 5'000);
  w.in_group([&] { b = must(w.db->take("h", w.now, 10, 1'000)); });
  CHECK(b.next_due == w.now + 5'000 - 1);
}
