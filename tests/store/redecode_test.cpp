// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

#include "store/redecode_types.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

tide::shown range(std::uint64_t from, std::uint64_t to, std::vector<tide::sighting> logs) {
  tide::shown v;
  for (auto n = from; n <= to; ++n)
    v.blocks.push_back(block(n));
  v.logs = std::move(logs);
  v.settles = true;
  return v;
}

/// One log a block, confirmed and told, from block 10 on; the mark is at the last.
void confirmed(world& w, std::uint64_t count) {
  std::vector<tide::sighting> logs;
  std::vector<tide::held_header> headers;
  for (std::uint64_t n = 10; n < 10 + count; ++n) {
    logs.push_back(log(block(n), n));
    headers.push_back(header(n));
  }
  w.apply(100, {range(10, 9 + count, logs), tide::mark_moved{block(9 + count)}}, headers);
}

store::redecode_state begun(world& w, std::int64_t& job,
                            std::optional<std::string> subscription = {}) {
  w.in_group([&] { job = must(w.db->begin_redecode({std::move(subscription), false, "me"}, 1)); });
  const auto at = must(w.db->redecode_at(job));
  REQUIRE(at);
  return *at;
}

/// The event of transaction `t`, read so now; under another key.
store::reread_row reread(const store::kept_page& page, std::size_t i, std::uint64_t t,
                         std::uint64_t blocks) {
  store::reread_row r;
  r.event = page.events.at(i).event;
  r.now = log(block(t), t);
  r.now->data = R"({"event_id":"y"})";
  r.now->asks = {.blocks = blocks};
  r.now->routes[0].key = "1:other";
  return r;
}

} // namespace

TEST_CASE("another reading takes the old one back and stands in its place", "[redecode]") {
  world w;
  confirmed(w, 2);
  CHECK(show(w.deliver()) == "c10 c11");
  std::int64_t job = 0;
  const auto at = begun(w, job);
  const auto page = must(w.db->kept(world::chain, at, 10));
  REQUIRE(page.events.size() == 2);
  CHECK_FALSE(page.more);
  CHECK(page.events[0].subscriptions == std::vector<std::string>{"transfers"});
  bool waits = true;
  w.in_group([&] {
    const store::reread_row rows[] = {reread(page, 0, 10, 3), {page.events[1].event, {}}};
    waits = must(w.db->redecode(world::chain, rows, ++w.now));
  });
  CHECK_FALSE(waits);
  CHECK(w.history(10) == "c1 r!2 c3");
  CHECK(w.history(11) == "c1 r!2");
  // Each rolled_back under the old key, the new reading under its own: behind it all the same.
  auto first = w.take();
  CHECK(show(first) == "r10");
  CHECK(first.at(0).envelope.key == "1:k");
  CHECK(show(w.take()) == "");
  w.finish(first.at(0));
  CHECK(show(w.deliver()) == "r11 c10L");
  CHECK(w.feed().back().n == 1);
}

TEST_CASE("the same state of the same block has another n", "[redecode]") {
  world w;
  confirmed(w, 1);
  std::int64_t job = 0;
  auto at = begun(w, job);
  for (int i = 0; i < 2; ++i) {
    at.newest = 1'000;
    const auto page = must(w.db->kept(world::chain, at, 10));
    w.in_group([&] {
      const store::reread_row rows[] = {reread(page, 0, 10, 3)};
      must(w.db->redecode(world::chain, rows, ++w.now));
    });
  }
  CHECK(w.history(10) == "c1 r!2 c3 r!4 c5");
  std::string counts;
  for (const auto& f : w.feed())
    counts += std::to_string(f.n) + ' ';
  CHECK(counts == "1 1 2 2 3 ");
}

TEST_CASE("a reading that asks for more waits, and its chain confirms it", "[redecode]") {
  world w;
  confirmed(w, 1);
  w.deliver();
  std::int64_t job = 0;
  const auto page = must(w.db->kept(world::chain, begun(w, job), 10));
  bool waits = false;
  w.in_group([&] {
    const store::reread_row rows[] = {reread(page, 0, 10, 200)};
    waits = must(w.db->redecode(world::chain, rows, ++w.now));
  });
  CHECK(waits);
  CHECK(w.history(10) == "c1 r!2 p3");
  CHECK(show(w.deliver()) == "r10");
  const auto boot = must(w.db->boot(world::chain));
  REQUIRE(boot.waiting.size() == 1);
  CHECK(boot.waiting[0] == tide::ripening{block(10), {.blocks = 200}});
  auto now = log(block(10), 10);
  now.asks = {.blocks = 200};
  w.apply(210, {tide::proved{block(10), {{tx(10), 0}}, {now}}});
  CHECK(w.history(10) == "c1 r!2 p3 c4");
  CHECK(show(w.deliver()) == "c10L");
}

TEST_CASE("who was not told is told nothing back", "[redecode]") {
  world w;
  auto quiet = log(block(10), 10);
  quiet.routes.clear();
  w.apply(100, {range(10, 10, {quiet}), tide::mark_moved{block(10)}}, {header(10)});
  std::int64_t job = 0;
  const auto page = must(w.db->kept(world::chain, begun(w, job), 10));
  w.in_group([&] {
    const store::reread_row rows[] = {{page.events.at(0).event, {}}};
    must(w.db->redecode(world::chain, rows, ++w.now));
  });
  CHECK(w.history(10) == "c1 r!2");
  CHECK(w.deliver().empty());
}

TEST_CASE("pages go on where they were, and take what was there at the begin", "[redecode]") {
  world w;
  confirmed(w, 5);
  std::int64_t job = 0;
  auto at = begun(w, job);
  w.apply(100, {range(15, 15, {log(block(15), 15)}), tide::mark_moved{block(15)}}, {header(15)});
  std::string seen;
  for (bool more = true; more;) {
    const auto page = must(w.db->kept(world::chain, at, 2));
    seen += std::to_string(page.events.size()) + ' ';
    more = page.more;
    at.chain_id = world::chain;
    at.after = page.last;
    at.counts.equal += page.events.size();
    at.examples.push_back("{}");
    w.in_group([&] { must(w.db->note_redecode(job, at)); });
    // As after a crash.
    w.db = store::store::revive(std::move(w.db));
    CHECK(must(w.db->running_redecodes()) == std::vector{job});
    const auto again = must(w.db->redecode_at(job));
    REQUIRE(again);
    at = *again;
  }
  CHECK(seen == "2 2 1 ");
  CHECK(at.counts.equal == 5);
  CHECK(at.examples.size() == 3);
  w.in_group([&] { CHECK(must(w.db->cancel_job(job, 9))); });
  CHECK_FALSE(must(w.db->redecode_at(job)));
  CHECK(must(w.db->running_redecodes()).empty());
}

TEST_CASE("only those of one subscription, and no transactions", "[redecode]") {
  world w;
  auto other = log(block(10), 20, 1);
  other.subscriptions = {"others"};
  auto transaction = log(block(10), 30, -1);
  w.apply(100,
          {range(10, 10, {transaction, log(block(10), 10), other}), tide::mark_moved{block(10)}},
          {header(10)});
  std::int64_t job = 0;
  const auto all = must(w.db->kept(world::chain, begun(w, job), 10));
  CHECK(all.events.size() == 2);
  const auto some = must(w.db->kept(world::chain, begun(w, job, "others"), 10));
  REQUIRE(some.events.size() == 1);
  CHECK(some.events[0].subscriptions == std::vector<std::string>{"others"});
}
