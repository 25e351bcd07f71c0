// SPDX-License-Identifier: MIT
#include "store/upkeep.hpp"
#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

store::webhook_receipt append(world& w, const std::string& source, const std::string& body,
                              std::int64_t at = 100) {
  store::webhook_receipt r;
  w.in_group([&] { r = must(w.db->append({source, at, R"({"host":"x"})", body})); });
  return r;
}

void put(world& w, std::vector<store::extracted> rows) {
  w.in_group([&] { must(w.db->put_intake(rows, w.now)); });
}

store::hint_in hint(std::optional<std::uint64_t> chain_id, std::uint64_t t,
                    std::optional<std::uint32_t> log_index = {}) {
  store::hint_in h;
  h.chain_id = chain_id;
  h.tx = tx(t);
  h.block = 10;
  h.block_hash = block(10).hash;
  h.log_index = log_index;
  return h;
}

store::hint_batch take(world& w, std::int64_t now, std::size_t limit = 10) {
  store::hint_batch b;
  w.in_group([&] { b = must(w.db->take_hints(world::chain, now, limit)); });
  return b;
}

tide::hint_state state(world& w, std::int64_t id) {
  store::reader r(*w.db);
  const auto detail = must(r.webhook(id));
  REQUIRE(detail);
  return detail->row.state;
}

store::source_row source(world& w, const std::string& name) {
  store::reader r(*w.db);
  for (const auto& s : must(r.sources()))
    if (s.name == name) return s;
  return {};
}

using hs = tide::hint_state;

} // namespace

TEST_CASE("the same body from the same source is kept once", "[webhooks]") {
  world w;
  const std::string body("a\0b", 3);
  const auto first = append(w, "one", body);
  CHECK_FALSE(first.duplicate);
  CHECK(w.rung.webhooks);
  const auto again = append(w, "one", body, 200);
  CHECK(again.duplicate);
  CHECK(again.id == first.id);
  CHECK_FALSE(w.rung.webhooks);
  const auto other = append(w, "two", body);
  CHECK_FALSE(other.duplicate);
  CHECK(other.id != first.id);
  CHECK_FALSE(append(w, "one", "").duplicate);
  CHECK(append(w, "one", "").duplicate);
  store::reader r(*w.db);
  CHECK(must(r.raw(first.id)) == body);
  CHECK_FALSE(must(r.raw(99)));
  const auto detail = must(r.webhook(first.id));
  CHECK(detail->row.seen == 2);
  CHECK(detail->row.last_at == 200);
  CHECK(detail->row.bytes == 3);
  CHECK(detail->headers == R"({"host":"x"})");
  CHECK(source(w, "one").received == 2);
  CHECK(source(w, "one").duplicate == 2);
  CHECK(source(w, "one").last_at == 200);
  SECTION("after a restart too, and what was seen stays counted") {
    w.db = store::store::revive(std::move(w.db));
    CHECK(append(w, "one", body).id == first.id);
    put(w, {{first.id, hs::irrelevant, {}}});
    store::reader now(*w.db);
    CHECK(must(now.webhook(first.id))->row.seen == 3);
  }
}

TEST_CASE("a group that is undone leaves nothing", "[webhooks]") {
  world w;
  const auto kept = append(w, "one", "kept");
  must(w.db->begin());
  const auto gone = must(w.db->append({"new source", 1, "{}", "gone"}));
  w.db->undo();
  CHECK(source(w, "new source").name.empty());
  const auto again = append(w, "new source", "gone");
  CHECK_FALSE(again.duplicate);
  CHECK(again.id == gone.id);
  CHECK(append(w, "one", "kept").id == kept.id);
}

TEST_CASE("writes stand in a group", "[webhooks]") {
  world w;
  CHECK_FALSE(w.db->append({"one", 1, "{}", "x"}).has_value());
  CHECK_FALSE(w.db->commit().has_value());
  must(w.db->begin());
  CHECK_FALSE(w.db->begin().has_value());
  must(w.db->append({"one", 1, "{}", "x"}));
  must(w.db->commit());
}

TEST_CASE("what intake has not taken, in order and in size", "[webhooks]") {
  world w;
  for (const char* body : {"1", "22", "333", "4444"})
    append(w, "one", body);
  const auto ids = [&](std::size_t rows, std::size_t bytes) {
    std::vector<std::int64_t> found;
    for (const auto& r : must(w.db->untaken(rows, bytes)))
      found.push_back(r.id);
    return found;
  };
  CHECK(ids(10, 1'000) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(ids(3, 1'000) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(ids(10, 1) == std::vector<std::int64_t>{1});
  put(w, {{1, hs::irrelevant, {}}, {2, hs::unparsed, {}}});
  CHECK(ids(10, 1'000) == std::vector<std::int64_t>{3, 4});
  CHECK(must(w.db->untaken(1, 1'000))[0].body == "333");
  CHECK(must(w.db->untaken(1, 1'000))[0].source == "one");
  CHECK(state(w, 1) == hs::irrelevant);
  CHECK(state(w, 2) == hs::unparsed);
  CHECK(state(w, 3) == hs::received);
  SECTION("read again, first") {
    w.in_group([&] { CHECK(must(w.db->reprocess(std::vector<std::int64_t>{2, 4, 99})) == 2); });
    CHECK(w.rung.webhooks);
    CHECK(ids(10, 1'000) == std::vector<std::int64_t>{2, 3, 4});
    CHECK(state(w, 2) == hs::received);
    put(w, {{2, hs::irrelevant, {hint({}, 5)}}});
    CHECK(state(w, 2) == hs::unroutable);
    CHECK(ids(10, 1'000) == std::vector<std::int64_t>{3, 4});
  }
  SECTION("the cursor outlives the process") {
    w.db = store::store::revive(std::move(w.db));
    CHECK(ids(10, 1'000) == std::vector<std::int64_t>{3, 4});
  }
}

TEST_CASE("hints go to their chain, as a lease", "[webhooks]") {
  world w;
  append(w, "one", "body");
  put(w, {{1, hs::irrelevant, {hint(1, 5), hint({}, 6), hint(1, 7, 3)}}});
  CHECK(w.rung.chains_with_hints == std::vector<std::uint64_t>{1});
  CHECK(state(w, 1) == hs::received);
  auto b = take(w, 1'000'000, 1);
  REQUIRE(b.hints.size() == 1);
  CHECK(b.next_due <= 1'000'000);
  b = take(w, 1'000'000);
  REQUIRE(b.hints.size() == 1);
  CHECK(b.hints[0].webhook == 1);
  CHECK(b.hints[0].n == 2);
  CHECK(b.hints[0].source == "one");
  CHECK(b.hints[0].tx == tx(7));
  CHECK(b.hints[0].block == 10);
  CHECK(b.hints[0].block_hash == block(10).hash);
  CHECK(b.hints[0].log_index == 3);
  CHECK(b.hints[0].tries == 0);
  CHECK(take(w, 1'059'999).hints.empty());
  b = take(w, 1'060'000); // nobody settled them
  REQUIRE(b.hints.size() == 2);
  CHECK(b.hints[0].tries == 1);
  SECTION("look again") {
    w.apply(10, {tide::hint_verdict{1, 0, hs::received, 2'000'000, 700, {}}});
    CHECK(take(w, 1'200'000).hints.size() == 1);
    b = take(w, 2'000'000);
    REQUIRE(b.hints.size() == 2);
    CHECK(b.hints[1].looks_ms == 700);
    CHECK(state(w, 1) == hs::received);
  }
  SECTION("settled: the webhook has the first of the states") {
    w.apply(10,
            {tide::saw{{log(block(10), 5)}},
             tide::hint_verdict{1, 0, hs::verified, {}, 0, tide::log_place{tx(5), 0}}},
            {header(10)});
    CHECK(state(w, 1) == hs::received);
    w.apply(10, {tide::hint_verdict{1, 2, hs::not_found, {}, 3'600'000, {}}});
    CHECK(state(w, 1) == hs::verified);
    CHECK_FALSE(take(w, 9'000'000).next_due);
    store::reader r(*w.db);
    const auto detail = must(r.webhook(1));
    CHECK(detail->hints[0].event_id == tide::event_id(1, tx(5), 0));
    CHECK(detail->hints[1].state == hs::unroutable);
    CHECK(detail->hints[2].state == hs::not_found);
    CHECK(must(r.event({1, tx(5), 0}))->webhooks == std::vector<std::int64_t>{1});
  }
  SECTION("a verdict about hints that were read again meanwhile") {
    w.in_group([&] { must(w.db->reprocess(std::vector<std::int64_t>{1})); });
    CHECK(take(w, 9'000'000).hints.empty());
    put(w, {{1, hs::irrelevant, {}}});
    w.apply(10, {tide::hint_verdict{1, 0, hs::not_found, {}, 0, {}}});
    CHECK(state(w, 1) == hs::irrelevant);
  }
}

TEST_CASE("the states of a webhook", "[webhooks]") {
  struct row {
    std::vector<hs> hints;
    hs want;
  };
  const row rows[] = {
      {{hs::verified}, hs::verified},
      {{hs::verified, hs::not_found}, hs::verified},
      {{hs::irrelevant, hs::not_found}, hs::not_found},
      {{hs::irrelevant, hs::irrelevant}, hs::irrelevant},
      {{hs::received, hs::verified}, hs::received},
  };
  for (const row& one : rows) {
    world w;
    append(w, "one", "body");
    store::extracted e{1, hs::irrelevant, {}};
    for (std::size_t i = 0; i < one.hints.size(); ++i)
      e.hints.push_back(hint(1, i));
    put(w, {e});
    std::vector<tide::verdict> settled;
    for (std::uint32_t i = 0; i < one.hints.size(); ++i)
      settled.push_back(tide::hint_verdict{1, i, one.hints[i], {}, 0, {}});
    w.apply(10, settled);
    CHECK(state(w, 1) == one.want);
    CHECK(source(w, "one").not_found == (one.want == hs::not_found ? 1 : 0));
  }
}

TEST_CASE("a hint about an event that is here is verified at once", "[webhooks]") {
  world w;
  w.apply(10, {tide::saw{{log(block(10), 5, 2)}}}, {header(10)});
  append(w, "one", "body");
  put(w, {{1, hs::irrelevant, {hint(1, 5, 2)}}});
  CHECK(state(w, 1) == hs::verified);
  CHECK(take(w, 9'000'000).hints.empty());
  SECTION("but not by its transaction alone, on another chain, or when it was taken back") {
    append(w, "one", "tx alone");
    put(w, {{2, hs::irrelevant, {hint(1, 5)}}});
    CHECK(state(w, 2) == hs::received);
    append(w, "one", "other chain");
    put(w, {{3, hs::irrelevant, {hint(137, 5, 2)}}});
    CHECK(state(w, 3) == hs::received);
    tide::reorg r{1, block(9), block(10), block(10, 'B'), false};
    w.apply(10, {tide::orphaned{block(10)}, r}, {header(10, 'B', 'A')});
    append(w, "one", "taken back");
    put(w, {{4, hs::irrelevant, {hint(1, 5, 2)}}});
    CHECK(state(w, 4) == hs::received);
  }
}

TEST_CASE("a body that is repeated stays, and keeps none behind it", "[webhooks]") {
  world w;
  const auto repeated = append(w, "one", "null", 100);
  const auto old = append(w, "one", "a", 200);
  const auto newest = append(w, "one", "b", 9'000);
  put(w, {{repeated.id, hs::unparsed, {}}, {old.id, hs::unparsed, {}}});
  CHECK(append(w, "one", "null", 5'000).duplicate);
  const auto prune = [&](std::int64_t now) {
    store::pruning at;
    while (!at.done)
      w.in_group([&] { must(w.db->prune({.webhooks_ms = 1'000, .max_depths = {}}, now, 1, at)); });
    return at.webhooks;
  };
  store::reader r(*w.db);
  CHECK(prune(4'000) == 1);
  CHECK_FALSE(must(r.webhook(old.id)));
  CHECK(must(r.webhook(repeated.id)));
  CHECK(prune(6'500) == 1);
  CHECK_FALSE(must(r.webhook(repeated.id)));
  CHECK(must(r.webhook(newest.id)));
}
