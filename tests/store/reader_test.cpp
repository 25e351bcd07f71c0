// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

/// Events 1…9 in blocks 10…18 of chain 1: odd ones of contract 1, even ones of contract 2; 1–6
/// confirmed, 9 taken back.
struct filled : world {
  filled() {
    std::vector<tide::held_header> headers;
    tide::saw seen;
    tide::shown v;
    for (std::uint64_t i = 1; i <= 9; ++i) {
      headers.push_back(header(9 + i));
      auto s = log(block(9 + i), i);
      s.address.octets[0] = i % 2 ? 1 : 2;
      s.subscriptions = {i % 2 ? "odd" : "even", "all"};
      s.origin = i == 4 ? "webhook:one" : "head";
      s.routes[0].key = i % 2 ? "1:odd" : "1:even";
      seen.logs.push_back(s);
      if (i > 6) continue;
      v.blocks.push_back(s.block);
      v.logs.push_back(s);
    }
    apply(18, {seen}, headers);
    apply(18, {v, tide::mark_moved{v.blocks.back()}});
    tide::reorg r{1, block(17), block(18), block(18, 'B'), false};
    apply(18, {tide::orphaned{block(18)}, r}, {header(18, 'B', 'A')});
  }
  std::string list(const store::event_filter& f, std::uint32_t limit = 100) {
    store::reader r(*db);
    std::string text;
    store::page_request p;
    p.limit = limit;
    int pages = 0;
    do {
      const auto page = must(r.events(f, p));
      REQUIRE(page.items.size() <= limit);
      for (const auto& item : page.items)
        text += std::to_string(item.fact.block.number - 9) + ' ';
      p.after = page.next;
      REQUIRE(++pages < 50);
    } while (p.after);
    return text;
  }
};

evm::address20 contract(std::uint8_t n) {
  evm::address20 a;
  a.octets[0] = n;
  return a;
}

} // namespace

TEST_CASE("events by every filter, newest first, page by page", "[reader]") {
  filled w;
  struct row {
    const char* name;
    store::event_filter f;
    const char* want;
  };
  const auto with = [](auto set) {
    store::event_filter f;
    set(f);
    return f;
  };
  using filter = store::event_filter;
  using ms = tide::message_state;
  const row rows[] = {
      {"all", {}, "9 8 7 6 5 4 3 2 1 "},
      {"chain", with([](filter& f) { f.chain_id = 1; }), "9 8 7 6 5 4 3 2 1 "},
      {"no such chain", with([](filter& f) { f.chain_id = 2; }), ""},
      {"pending", with([](filter& f) { f.status = tide::status::pending; }), "8 7 "},
      {"confirmed", with([](filter& f) { f.status = tide::status::confirmed; }), "6 5 4 3 2 1 "},
      {"rolled back", with([](filter& f) { f.status = tide::status::rolled_back; }), "9 "},
      {"subscription", with([](filter& f) { f.subscription = "even"; }), "8 6 4 2 "},
      {"no such subscription", with([](filter& f) { f.subscription = "none"; }), ""},
      {"address", with([](filter& f) { f.address = contract(1); }), "9 7 5 3 1 "},
      {"transaction", with([](filter& f) { f.tx = tx(3); }), "3 "},
      {"no such transaction", with([](filter& f) { f.tx = tx(33); }), ""},
      {"blocks", with([](filter& f) { f.chain_id = 1, f.from_block = 12, f.to_block = 14; }),
       "5 4 3 "},
      {"from a block", with([](filter& f) { f.chain_id = 1, f.from_block = 16; }), "9 8 7 "},
      {"to a block", with([](filter& f) { f.chain_id = 1, f.to_block = 11; }), "2 1 "},
      {"first seen", with([](filter& f) { f.first_seen = "webhook:one"; }), "4 "},
      {"several", with([](filter& f) {
         f.subscription = "all", f.address = contract(2), f.status = tide::status::confirmed;
       }),
       "6 4 2 "},
      {"held", with([](filter& f) { f.handler = "h", f.delivery = ms::held; }), "8 7 "},
      {"queued", with([](filter& f) { f.handler = "h", f.delivery = ms::queued; }), "6 5 4 3 2 1 "},
      {"a handler's", with([](filter& f) { f.handler = "h"; }), "8 7 6 5 4 3 2 1 "},
      {"another handler's", with([](filter& f) { f.handler = "g"; }), ""},
  };
  for (const row& one : rows) {
    INFO(one.name);
    CHECK(w.list(one.f) == one.want);
    CHECK(w.list(one.f, 1) == one.want);
    CHECK(w.list(one.f, 2) == one.want);
  }
}

TEST_CASE("a chain's events are listed by their place, all others as they were found", "[reader]") {
  filled w;
  tide::saw late;
  late.logs.push_back(log(block(12), 10)); // at the place of another, as after a reorg
  w.apply(18, {late}, {});
  CHECK(w.list({}) == "3 9 8 7 6 5 4 3 2 1 ");
  store::event_filter f;
  f.chain_id = 1;
  for (const std::uint32_t limit : {1U, 2U, 100U})
    CHECK(w.list(f, limit) == "9 8 7 6 5 4 3 3 2 1 ");
}

TEST_CASE("events by what stands still for a handler", "[reader]") {
  filled w;
  const auto m = w.take("h", 2); // the heads of both keys
  REQUIRE(m.size() == 2);
  const auto number = [](const store::message& one) {
    return std::to_string(one.fact.block.number - 9) + ' ';
  };
  store::event_filter f;
  f.handler = "h";
  f.delivery = tide::message_state::sending;
  const auto both = m[0].fact.block.number > m[1].fact.block.number ? number(m[0]) + number(m[1])
                                                                    : number(m[1]) + number(m[0]);
  CHECK(w.list(f) == both);
  CHECK(w.list(f, 1) == both);
  w.park(m[0], tide::on_exhausted::park_event);
  w.finish(m[1], tide::outcome::failed, w.now + 1'000'000);
  CHECK(w.list(f).empty());
  f.delivery = tide::message_state::parked;
  CHECK(w.list(f) == number(m[0]));
  f.delivery = tide::message_state::blocked;
  CHECK(w.list(f) == number(m[1]));
  // A second filter narrows it; another handler has none.
  f.status = tide::status::pending;
  CHECK(w.list(f).empty());
  f.status = tide::status::confirmed;
  CHECK(w.list(f) == number(m[1]));
  f.handler = "g";
  CHECK(w.list(f).empty());
}

TEST_CASE("an event's life", "[reader]") {
  filled w;
  const auto m = w.take("h", 1);
  REQUIRE(m.size() == 1);
  w.finish(m[0], tide::outcome::failed, w.now + 1'000'000);
  store::reader r(*w.db);
  const auto n = m[0].fact.block.number - 9;
  const auto life = must(r.event({1, tx(n), 0}));
  REQUIRE(life);
  CHECK(life->item.fact.status == tide::status::confirmed);
  CHECK(life->item.fact.data == R"({"event_id":"x"})");
  CHECK(life->item.processing == std::vector<std::pair<std::string, tide::message_state>>{
                                     {"h", tide::message_state::blocked}});
  CHECK(life->history.size() == 2);
  CHECK(life->history[0].data.empty());
  REQUIRE(life->attempts.size() == 1);
  CHECK(life->attempts[0].outcome == tide::outcome::failed);
  const auto gone = must(r.event({1, tx(9), 0}));
  CHECK(gone->item.processing.empty()); // it was only held
  CHECK(gone->item.fact.undoes == tide::message_id(gone->history[0]));
  CHECK_FALSE(must(r.event({1, tx(9), 1})));
  CHECK_FALSE(must(r.event({2, tx(9), 0})));
}

TEST_CASE("the feed, oldest first", "[reader]") {
  filled w;
  store::reader r(*w.db);
  const auto end = must(r.feed_end());
  CHECK(end == 16);
  std::uint64_t after = 0;
  std::string text;
  while (true) {
    const auto some = must(r.feed(after, 5));
    if (some.empty()) break;
    for (const auto& f : some) {
      REQUIRE(f.seq == ++after);
      text += "pcr"[static_cast<int>(f.status)];
    }
  }
  CHECK(text == "pppppppppccccccr");
  CHECK(must(r.feed(end, 5)).empty());
  CHECK(must(r.feed(UINT64_MAX, 5)).empty());
}

TEST_CASE("handlers and their keys", "[reader]") {
  filled w;
  store::reader r(*w.db);
  const auto handlers = must(r.handlers());
  REQUIRE(handlers.size() == 2);
  CHECK(handlers[0].name == "g");
  CHECK(handlers[0].due == 0);
  CHECK_FALSE(handlers[0].oldest_at);
  CHECK(handlers[1].due == 6);
  CHECK(handlers[1].held == 2);
  CHECK(handlers[1].in_flight == 0);
  CHECK(handlers[1].parked == 0);
  CHECK(handlers[1].epoch == 1);
  REQUIRE(handlers[1].oldest_at);
  auto keys = must(r.keys("h", {}, {})).items;
  REQUIRE(keys.size() == 2);
  for (const auto& k : keys) {
    CHECK(k.waiting == 3);
    CHECK(k.held == 1);
    REQUIRE(k.head);
    CHECK(k.head->sequence == 1);
    CHECK(k.state == tide::message_state::queued);
  }
  CHECK(must(r.keys("h", tide::message_state::blocked, {})).items.empty());
  CHECK(must(r.keys("h", tide::message_state::held, {})).items.size() == 2);
  CHECK(must(r.keys("nobody", {}, {})).items.empty());
  const auto m = w.take("h", 1);
  w.finish(m[0], tide::outcome::failed, w.now + 1'000'000);
  keys = must(r.keys("h", tide::message_state::blocked, {})).items;
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].head->id == tide::message_id(m[0].fact));
  CHECK(keys[0].head->attempts == 1);
  CHECK(keys[0].head->http_status == 500);
  CHECK(keys[0].head->answer == "said");
  CHECK(keys[0].head->outcome == tide::outcome::failed);
  store::page_request one;
  one.limit = 1;
  const auto first = must(r.keys("h", {}, one));
  REQUIRE(first.next);
  one.after = first.next;
  const auto second = must(r.keys("h", {}, one));
  CHECK_FALSE(second.next);
  CHECK(second.items[0].key != first.items[0].key);
}

TEST_CASE("webhooks by source and state, page by page", "[reader]") {
  world w;
  w.in_group([&] {
    for (int i = 1; i <= 6; ++i)
      must(w.db->append({i % 2 ? "one" : "two", i, "{}", std::to_string(i)}));
    const store::extracted rows[] = {{1, tide::hint_state::unparsed, {}},
                                     {2, tide::hint_state::irrelevant, {}},
                                     {3, tide::hint_state::unparsed, {}},
                                     {4, tide::hint_state::unparsed, {}}};
    must(w.db->put_intake(rows, 1));
  });
  store::reader r(*w.db);
  const auto ids = [&](std::optional<std::string> source, std::optional<tide::hint_state> state,
                       std::uint32_t limit) {
    std::string text;
    store::page_request p;
    p.limit = limit;
    do {
      const auto page = must(r.webhooks(source, state, p));
      for (const auto& row : page.items)
        text += std::to_string(row.id) + ' ';
      p.after = page.next;
    } while (p.after);
    return text;
  };
  for (const std::uint32_t limit : {1U, 2U, 100U}) {
    CHECK(ids({}, {}, limit) == "6 5 4 3 2 1 ");
    CHECK(ids("one", {}, limit) == "5 3 1 ");
    CHECK(ids({}, tide::hint_state::unparsed, limit) == "4 3 1 ");
    CHECK(ids("two", tide::hint_state::unparsed, limit) == "4 ");
    CHECK(ids({}, tide::hint_state::received, limit) == "6 5 ");
    CHECK(ids({}, tide::hint_state::verified, limit) == "");
    CHECK(ids("none", {}, limit) == "");
  }
}

TEST_CASE("what is read again by a state: each hint of a body counts", "[reader]") {
  world w;
  w.in_group([&] {
    for (int i = 1; i <= 4; ++i)
      must(w.db->append({i % 2 ? "one" : "two", i, "{}", std::to_string(i)}));
    store::hint_in here, nowhere;
    here.chain_id = 1;
    here.tx = nowhere.tx = tx(5);
    const store::extracted rows[] = {{1, tide::hint_state::irrelevant, {here, nowhere}},
                                     {2, tide::hint_state::irrelevant, {nowhere}},
                                     {3, tide::hint_state::irrelevant, {here}},
                                     {4, tide::hint_state::unparsed, {}}};
    must(w.db->put_intake(rows, 1));
  });
  store::reader r(*w.db);
  const auto ids = [](const auto& page) {
    std::string text;
    for (const auto& row : must(page).items)
      text += std::to_string(row.id) + ' ';
    return text;
  };
  CHECK(ids(r.webhooks({}, tide::hint_state::unroutable, {})) == "2 ");
  CHECK(ids(r.webhooks_with({}, tide::hint_state::unroutable, {})) == "2 1 ");
  CHECK(ids(r.webhooks_with("one", tide::hint_state::unroutable, {})) == "1 ");
  CHECK(ids(r.webhooks_with({}, tide::hint_state::received, {})) == "3 1 ");
  CHECK(ids(r.webhooks_with({}, tide::hint_state::unparsed, {})) == "4 ");
}

TEST_CASE("the audit, newest first", "[reader]") {
  world w;
  w.in_group([&] {
    must(w.db->audit("ops", "pause", "h", 5));
    must(w.db->audit("ops", "resume", "h", 6));
  });
  store::reader r(*w.db);
  const auto rows = must(r.audit({})).items;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].what == "resume");
  CHECK(rows[1].at == 5);
}

TEST_CASE("readers beside the writer", "[reader]") {
  scratch dir;
  world w;
  w.db = open_store(dir.file());
  w.turn = 0;
  w.in_group([&] { must(w.db->boot(world::chain)); });
  w.apply(9, {tide::started{10, block(9)}}, {header(9)});
  auto one = must(store::reader::open(dir.file()));
  auto two = must(store::reader::open(dir.file()));
  must(w.db->begin());
  must(w.db->append({"s", 1, "{}", "x"}));
  CHECK(must(one->webhooks({}, {}, {})).items.empty());
  must(w.db->commit());
  CHECK(must(one->webhooks({}, {}, {})).items.size() == 1);
  CHECK(must(two->chain(world::chain))->mark == block(9));
  CHECK_FALSE(must(two->chain(5)));
  CHECK(must(two->chains()).size() == 1);
  CHECK(must(two->size()).wal_bytes > 0);
}
