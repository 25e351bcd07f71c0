// SPDX-License-Identifier: MIT
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

tide::form form(std::set<std::string> addresses) { return {{{"address", std::move(addresses)}}}; }

store::counting_in config(std::vector<store::counting_in::one> subscriptions) {
  return {world::chain, std::move(subscriptions)};
}

/// A store with chain 1 whose mark is 19, block by block.
struct counting_world : world {
  void count(std::vector<store::counting_in::one> subscriptions) {
    const auto c = config(std::move(subscriptions));
    in_group([&] { must(db->count({&c, 1})); });
  }
  tide::counting counting() { return must(db->boot(chain)).counting; }
  /// Whether the store said that something counts of which the chain does not know.
  bool mark_to(std::uint64_t to, std::uint64_t forms) {
    bool recounted = false;
    for (auto n = must(db->boot(chain)).mark->number + 1; n <= to; ++n) {
      auto s =
          set(n + 5, {tide::shown{{block(n)}, {}, true}, tide::mark_moved{block(n)}}, {header(n)});
      s.headers.back().whole = true;
      s.forms = forms;
      const auto done = answer(s);
      REQUIRE(std::holds_alternative<tide::applied>(done));
      recounted = recounted || std::get<tide::applied>(done).recounted;
    }
    return recounted;
  }
  std::size_t whole() {
    std::size_t n = 0;
    for (const auto& h : must(db->boot(chain)).headers)
      n += h.whole;
    return n;
  }
};

using fills = std::vector<tide::backfill>;

} // namespace

TEST_CASE("on a new store a subscription counts with its chain, or from below it", "[counting]") {
  counting_world fresh;
  store::store& db = *fresh.db;
  const store::counting_in two{2, {{"a", form({"x"}), {}}, {"b", form({"y"}), 40}}};
  fresh.in_group([&] { must(db.count({&two, 1})); });
  CHECK(must(db.boot(2)).counting.from == std::map<std::string, std::uint64_t>{{"b", 40}});
  tide::write_set s;
  s.chain_id = 2;
  s.view.head = 90;
  s.verdicts.push_back(tide::started{60, block(59)});
  s.headers = {header(59)};
  fresh.in_group([&] { must(db.apply(s, 1)); });
  const auto c = must(db.boot(2)).counting;
  CHECK(c.from == std::map<std::string, std::uint64_t>{{"a", 60}, {"b", 40}});
  CHECK(c.backfills == fills{{"b", 40, 59, 40}});
  CHECK(c.forms == 0);
}

TEST_CASE("one that comes later unproves what was read without it", "[counting]") {
  counting_world w;
  w.count({{"a", form({"x"}), {}}});
  const auto forms = w.counting().forms;
  w.mark_to(19, forms);
  CHECK(w.whole() == 10);
  w.count({{"a", form({"x"}), {}}, {"b", form({"y"}), 12}});
  const auto c = w.counting();
  CHECK(c.forms == forms + 1);
  CHECK(c.from.at("b") == 12);
  CHECK(c.backfills == fills{{"b", 12, 19, 12}});
  CHECK(w.whole() == 0);

  SECTION("the same again: nothing") {
    w.count({{"a", form({"x"}), {}}, {"b", form({"y"}), 12}});
    CHECK(w.counting().forms == c.forms);
    CHECK(w.counting().backfills.size() == 1);
  }
  SECTION("it goes on by what was read for it") {
    auto s = w.set(25, {tide::backfilled{"b", 12, 15}});
    s.forms = c.forms;
    w.answer(s);
    CHECK(w.counting().backfills == fills{{"b", 12, 19, 16}});
    s = w.set(25, {tide::backfilled{"b", 16, 19}});
    s.forms = c.forms;
    w.answer(s);
    CHECK(w.counting().backfills.empty());
  }
  SECTION("not by what was read without a later part of it") {
    auto s = w.set(25, {tide::backfilled{"b", 12, 19}});
    s.forms = forms;
    w.answer(s);
    CHECK(w.counting().backfills.size() == 1);
  }
  SECTION("a mark that passed without it is filled") {
    CHECK(w.mark_to(21, forms)); // a chain that read the store before lacks these
    CHECK(w.counting().backfills == fills{{"b", 12, 19, 12}, {"b", 20, 20, 20}, {"b", 21, 21, 21}});
    CHECK(w.whole() == 0);
    CHECK_FALSE(w.mark_to(22, c.forms));
    CHECK(w.counting().backfills.size() == 3);
    CHECK(w.whole() == 1);
  }
  SECTION("removed: nothing is scanned for it any more") {
    w.count({{"a", form({"x"}), {}}});
    CHECK(w.counting().backfills.empty());
    CHECK_FALSE(w.counting().from.contains("b"));
    CHECK(w.counting().forms == c.forms);
  }
}

TEST_CASE("a fork below where one was widened: it counts there again", "[counting]") {
  counting_world w;
  w.count({{"a", form({"x"}), {}}, {"other", form({"z"}), {}}});
  w.mark_to(19, w.counting().forms);
  w.count({{"a", form({"x", "y"}), {}}, {"other", form({"z"}), {}}});
  const auto before = w.counting();
  CHECK(before.from.at("a") == 20);
  const auto fork = [&](std::uint64_t last, std::uint64_t ancestor) {
    std::vector<tide::verdict> v;
    for (auto n = last; n > ancestor; --n)
      v.push_back(tide::orphaned{block(n)});
    v.push_back(tide::reorg{static_cast<std::uint32_t>(last - ancestor), block(ancestor),
                            block(last), block(last, 'B'), false});
    return w.apply(25, v);
  };
  const auto done = fork(19, 14);
  CHECK(done.recounted);
  const auto after = w.counting();
  CHECK(after.from.at("a") == 15);
  CHECK(after.from.at("other") == before.from.at("other"));
  CHECK(after.forms == before.forms + 1);
  CHECK(after.backfills.empty());
  CHECK_FALSE(fork(14, 14).recounted); // nothing more of it
}

TEST_CASE("what a backfill finds is late, and told to whom it is new", "[counting]") {
  counting_world w;
  w.mark_to(19, 0);
  auto l = log(block(12), 1);
  const auto fill = [&](std::uint64_t from, std::uint64_t to, std::vector<tide::sighting> logs) {
    tide::shown shown{{}, std::move(logs), true};
    for (auto n = from; n <= to; ++n)
      shown.blocks.push_back(block(n));
    shown.only_adds = true;
    return w.apply(25, {shown, tide::backfilled{"b", from, to}});
  };
  CHECK(fill(10, 15, {l}).confirmed == 1);
  CHECK(w.history(1) == "c1");
  const auto taken = [&](const char* handler) {
    store::message_batch batch;
    w.in_group([&] { batch = must(w.db->take(handler, ++w.now, 9, 1 << 20)); });
    return batch.messages;
  };
  const auto first = taken("h");
  REQUIRE(first.size() == 1);
  CHECK(first[0].envelope.late);
  CHECK(taken("g").empty());
  // Who hears of it by a subscription that had it before, and came later, wants no past.
  l.routes.push_back({.handler = "g", .key = "k", .subscription = "transfers", .pending = false});
  CHECK(fill(10, 15, {l}).equal == 1);
  CHECK(taken("g").empty());
  // Another subscription fits it too: its handler alone is told, once.
  l.routes.back().subscription = "b";
  l.subscriptions.push_back("b");
  for (int i = 0; i < 2; ++i)
    CHECK(fill(10, 15, {l}).added == 0);
  const auto second = taken("g");
  REQUIRE(second.size() == 1);
  CHECK(second[0].envelope.late);
  CHECK(taken("h").empty());
  CHECK(must(w.db->backlog(world::chain, 0, std::nullopt, 9)).at(0).subscriptions.size() == 2);
  // Rows that it was not asked for stay.
  CHECK(fill(10, 15, {}).rolled_back == 0);
  CHECK(w.history(1) == "c1");
}

TEST_CASE("lists: what is added counts from the mark on, or from a block", "[counting]") {
  counting_world w;
  const std::vector<store::list_use> uses{{world::chain, "a"}};
  w.count({{"a", form({"list:l"}), {}}});
  w.mark_to(19, w.counting().forms);
  const auto address = [](std::uint8_t n) {
    evm::address20 a;
    a.octets[0] = n;
    return a;
  };
  const auto change = [&](std::vector<evm::address20> add, std::vector<evm::address20> remove = {},
                          std::optional<std::uint64_t> from = {}) {
    store::list_result r;
    w.in_group([&] {
      r = must(w.db->change_list({"l", std::move(add), std::move(remove), from, uses, "me"}, 1));
    });
    return r;
  };
  const auto from_of = [&](std::uint8_t n) -> std::optional<std::uint64_t> {
    const auto c = w.counting();
    const auto* e = c.lists.at("l")->find(address(n));
    if (!e) return std::nullopt;
    tide::list_gate gate(c.from.at("a"), c.base.at("a"), *c.list_starts);
    gate.pass({c.lists.at("l")}, address(n));
    return gate.from();
  };
  const auto before = w.counting().forms;
  auto r = change({address(1), address(2)});
  CHECK(r.size == 2);
  CHECK(r.from == std::map<std::uint64_t, std::uint64_t>{{1, 20}});
  CHECK(from_of(1) == 20);
  CHECK(w.counting().forms == before + 1);
  CHECK(w.counting().backfills.empty());

  r = change({address(1)});
  CHECK(r.size == 2);
  CHECK(r.from.at(1) == 20);
  CHECK(w.counting().forms == before + 1);

  r = change({address(3)}, {address(2)}, 12);
  CHECK(r.size == 2);
  CHECK(r.from.at(1) == 12);
  CHECK(from_of(3) == 12);
  CHECK_FALSE(from_of(2));
  CHECK(w.counting().backfills == fills{{"a", 12, 19, 12}});

  // An earlier block for what is there; a later one changes nothing.
  CHECK(change({address(1)}, {}, 15).from.at(1) == 15);
  CHECK(from_of(1) == 15);
  CHECK(change({address(1)}, {}, 18).from.at(1) == 15);
  // A file has the last word, and what it adds counts from the mark on.
  store::config_in file;
  file.lists = {{"l", {address(1), address(4)}, uses}};
  file.chains = {config({{"a", form({"list:l"}), {}}})};
  w.in_group([&] { must(w.db->adopt(file, 1)); });
  CHECK(from_of(1) == 15);
  CHECK(from_of(4) == 20);
  CHECK_FALSE(from_of(3));
  // A subscription that comes now counts what is there from its own start.
  w.count({{"a", form({"list:l"}), {}}, {"c", form({"list:l"}), 5}});
  const auto c = w.counting();
  tide::list_gate gate(c.from.at("c"), c.base.at("c"), *c.list_starts);
  gate.pass({c.lists.at("l")}, address(4));
  CHECK(gate.from() == 5);
}

TEST_CASE("a list that was changed in a group that is undone is as before", "[counting]") {
  counting_world w;
  must(w.db->begin());
  must(w.db->change_list({"l", {evm::address20{}}, {}, {}, {}, "me"}, 1));
  w.db->undo();
  const auto lists = w.counting().lists;
  CHECK((!lists.contains("l") || lists.at("l")->size() == 0));
}

TEST_CASE("a file's first addresses count with their subscription", "[counting]") {
  counting_world w;
  w.mark_to(19, 0);
  store::config_in file;
  file.lists = {{"l", {evm::address20{}}, {}}};
  file.chains = {config({{"a", form({"list:l"}), 11}})};
  w.in_group([&] { must(w.db->adopt(file, 1)); });
  const auto c = w.counting();
  CHECK(c.lists.at("l")->entries().front().change == 0);
  CHECK(c.backfills == fills{{"a", 11, 19, 11}});
}
