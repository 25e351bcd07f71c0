// SPDX-License-Identifier: MIT
#include "store/quality.hpp"

#include "tests/store/world.hpp"

using namespace tidemark;
using namespace tidemark::test;

namespace {

using hs = tide::hint_state;

/// Two sources that are known to speak of the chain, and blocks 10 to 12.
struct compared {
  world w;

  compared() {
    const store::source_in sources[] = {{"one", {world::chain}}, {"two", {world::chain}}};
    w.in_group([&] { must(w.db->register_sources(sources, w.now)); });
    w.apply(12, {}, {header(10), header(11), header(12)});
  }

  static std::int64_t time_of(std::uint64_t number) {
    return (1'700'000'000 + static_cast<std::int64_t>(number) * 12) * 1'000;
  }
  /// A webhook `after_ms` behind its block; its id.
  std::int64_t names(const std::string& source, std::uint64_t t, std::uint64_t in,
                     std::int64_t after_ms, bool takes_back = false) {
    store::webhook_receipt r;
    const auto body = std::to_string(++bodies_);
    w.in_group([&] { r = must(w.db->append({source, time_of(in) + after_ms, "{}", body})); });
    store::hint_in h;
    h.chain_id = world::chain;
    h.tx = tx(t);
    h.log_index = 0;
    h.takes_back = takes_back;
    const store::extracted rows[] = {{r.id, hs::irrelevant, {h}}};
    w.in_group([&] { must(w.db->put_intake(rows, w.now)); });
    return r.id;
  }
  void seen(std::uint64_t t, std::uint64_t in, const std::string& origin,
            std::vector<tide::verdict> more = {}) {
    auto l = log(block(in), t);
    l.origin = origin;
    more.insert(more.begin(), tide::saw{{l}});
    w.apply(12, std::move(more));
  }
  static tide::verdict verified(std::int64_t webhook, std::uint64_t t) {
    return tide::hint_verdict{webhook, 0, hs::verified, {}, 0, tide::log_place{tx(t), 0}};
  }
  void confirm(std::uint64_t in, const std::vector<std::uint64_t>& all) {
    tide::shown s{{block(in)}, {}, false};
    for (const auto t : all)
      s.logs.push_back(log(block(in), t));
    w.apply(in + 3, {s});
  }
  store::source_row source(const std::string& name) {
    store::reader r(*w.db);
    for (const auto& s : must(r.sources()))
      if (s.name == name) return s;
    return {};
  }

private:
  int bodies_ = 0;
};

} // namespace

TEST_CASE("who was first, the webhook or the scan", "[quality]") {
  compared c;
  const auto first = c.names("one", 5, 10, 2'500);
  c.seen(5, 10, "webhook:one", {compared::verified(first, 5)});
  c.seen(6, 11, "head");
  c.names("one", 6, 11, 30'000);
  c.names("two", 5, 10, 9'000); // another source was first, not the scan
  CHECK(c.source("one").late == 1);
  CHECK(c.source("two").late == 0);
  CHECK(c.source("one").delay_p50 == 2'691); // 2.5 s, up to the end of its step
  CHECK(c.source("one").delay_p99 == 30'444);
  CHECK(c.source("two").delay_p50 == 9'051);

  SECTION("again is not counted again") {
    c.names("one", 6, 11, 90'000);
    CHECK(c.source("one").late == 1);
    CHECK(c.source("one").delay_p99 == 30'444);
  }
  SECTION("a lower block than before is out of order") {
    CHECK(c.source("one").out_of_order == 0);
    c.seen(8, 10, "head");
    c.names("one", 8, 10, 1);
    CHECK(c.source("one").out_of_order == 1);
    CHECK(c.source("two").out_of_order == 0);
  }
  SECTION("the counts outlive the process") {
    c.w.db = store::store::revive(std::move(c.w.db));
    CHECK(c.source("one").late == 1);
    CHECK(c.source("one").delay_p99 == 30'444);
  }
}

TEST_CASE("what a source has not named when it is confirmed, it missed", "[quality]") {
  compared c;
  const auto first = c.names("one", 5, 10, 10);
  c.seen(5, 10, "webhook:one", {compared::verified(first, 5)});
  c.confirm(10, {5});
  CHECK(c.source("one").missed == 0);
  CHECK(c.source("two").missed == 1);
  c.seen(6, 11, "head");
  c.confirm(11, {6});
  CHECK(c.source("one").missed == 1);
  CHECK(c.source("two").missed == 2);
}

TEST_CASE("who named it before it is confirmed, or was the first to, has not missed it",
          "[quality]") {
  compared c;
  SECTION("by a webhook of its own, after the scan") {
    c.seen(5, 10, "head");
    c.names("two", 5, 10, 10);
    c.confirm(10, {5});
    CHECK(c.source("one").missed == 1);
    CHECK(c.source("two").missed == 0);
  }
  SECTION("by one whose hints are pruned by now") {
    c.seen(5, 10, "webhook:one");
    c.confirm(10, {5});
    CHECK(c.source("one").missed == 0);
    CHECK(c.source("two").missed == 1);
  }
}

TEST_CASE("what is confirmed as it is found was missed by all but its finder", "[quality]") {
  compared c;
  tide::shown deep{{block(10)}, {}, true};
  const auto found = [&](std::uint64_t t, const char* origin) {
    deep.logs.push_back(log(block(10), t));
    deep.logs.back().origin = origin;
    CHECK(c.w.apply(13, {deep}).confirmed == 1);
  };
  found(5, "reconcile");
  CHECK(c.source("one").missed == 1);
  CHECK(c.source("two").missed == 1);
  found(6, "webhook:one");
  CHECK(c.source("one").missed == 1);
  CHECK(c.source("two").missed == 2);
  const store::source_in late[] = {{"three", {world::chain}}, {"four", {world::chain}}};
  c.w.in_group([&] { must(c.w.db->register_sources(std::span(late, 1), compared::time_of(10))); });
  c.w.in_group(
      [&] { must(c.w.db->register_sources(std::span(late + 1, 1), compared::time_of(11))); });
  found(7, "reconcile");
  CHECK(c.source("two").missed == 3);
  CHECK(c.source("three").missed == 1);
  CHECK(c.source("four").missed == 0);
}

TEST_CASE("blocks before a source was known are not its own to miss", "[quality]") {
  compared c;
  const store::source_in late[] = {{"three", {world::chain}}};
  c.w.in_group([&] { must(c.w.db->register_sources(late, compared::time_of(11))); });
  c.seen(5, 10, "head");
  c.confirm(10, {5});
  CHECK(c.source("three").missed == 0);
  c.seen(6, 11, "head");
  c.confirm(11, {6});
  CHECK(c.source("three").missed == 1);
}

TEST_CASE("a block of the second in which a source began is its own", "[quality]") {
  compared c;
  const store::source_in late[] = {{"three", {world::chain}}};
  c.w.in_group([&] { must(c.w.db->register_sources(late, compared::time_of(10) + 700)); });
  c.seen(5, 10, "head");
  c.confirm(10, {5});
  CHECK(c.source("three").missed == 1);
}

TEST_CASE("what a sender takes back is looked at again", "[quality]") {
  compared c;
  c.seen(5, 10, "head");
  const auto state_of = [&](std::int64_t id) {
    store::reader r(*c.w.db);
    return must(r.webhook(id))->row.state;
  };
  CHECK(state_of(c.names("one", 5, 10, 1)) == hs::verified);
  const auto again = c.names("one", 5, 10, 2, true);
  CHECK(state_of(again) == hs::received);
  SECTION("it is still there") {
    c.w.apply(12, {compared::verified(again, 5)});
    CHECK(state_of(again) == hs::verified);
  }
  SECTION("it is gone, as was said: that is nothing false") {
    c.w.apply(12, {tide::hint_verdict{again, 0, hs::not_found, {}, 3'600'000, {}}});
    CHECK(state_of(again) == hs::irrelevant);
    CHECK(c.source("one").not_found == 0);
  }
}

TEST_CASE("steps of delays", "[quality]") {
  CHECK(store::delay_step(-5) == 0);
  CHECK(store::delay_step(100) == 0);
  CHECK(store::delay_step(101) == 1);
  CHECK(store::delay_step(200) == 4);
  CHECK(store::delay_step(201) == 5);
  CHECK(store::delay_step(std::int64_t{1} << 60) == 96);
  const store::delay_count counts[] = {{0, 98}, {4, 1}, {8, 1}};
  CHECK(store::delay_quantile(counts, 50) == 100);
  CHECK(store::delay_quantile(counts, 99) == 200);
  CHECK(store::delay_quantile(counts, 100) == 400);
  CHECK_FALSE(store::delay_quantile({}, 50));
}
