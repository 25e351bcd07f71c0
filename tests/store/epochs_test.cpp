// SPDX-License-Identifier: MIT
#include "store/upkeep.hpp"
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

void handlers(world& w, const char* order_by, bool with_h = true) {
  store::handler_in h{"h", false, true, order_by};
  h.subscriptions = {"transfers"};
  std::vector<store::handler_in> all{{"g", true, true, "chain"}};
  if (with_h) all.push_back(h);
  w.in_group([&] { must(w.db->register_handlers(all, ++w.now)); });
}

} // namespace

TEST_CASE("another order_by is a new epoch, announced when the old queue is empty", "[epoch]") {
  world w;
  w.db->set_chain_names({{1, "ethereum"}});
  found(w, 10, 1);
  found(w, 11, 2);
  handlers(w, "arg:to");
  found(w, 12, 3, "1:k:new");
  auto first = w.take();
  REQUIRE(show(first) == "c10"); // the new epoch waits
  SECTION("also over a restart") {
    w.db = store::store::revive(std::move(w.db));
    w.db->set_chain_names({{1, "ethereum"}});
    first = w.take();
    REQUIRE(show(first) == "c10");
  }
  w.finish(first[0]);
  const auto second = w.take();
  REQUIRE(show(second) == "c11");
  w.finish(second[0]);
  const auto epoch = w.take();
  REQUIRE(epoch.size() == 1); // alone and first
  REQUIRE(epoch[0].notice);
  CHECK(store::message_id(epoch[0]) == "epoch_2");
  CHECK(
      epoch[0].notice->data.find(
          R"({"epoch":2,"previous":1,"reason":"order_by","chains":{"ethereum":{"number":12,"hash":")") ==
      0);
  CHECK(store::message_body(epoch[0]).find("partitionkey") == std::string::npos);
  w.finish(epoch[0]);
  const auto rest = w.deliver();
  REQUIRE(show(rest) == "c12");
  CHECK(rest[0].envelope.epoch == 2);
  CHECK(rest[0].envelope.sequence == 1);
  SECTION("what an old epoch told is taken back in the new one") {
    w.apply(40,
            {tide::orphaned{block(12)}, tide::orphaned{block(11)},
             tide::reorg{2, block(10), block(12), block(12, 'B'), false}},
            {header(11, 'B', 'A'), header(12, 'B')});
    const auto back = w.deliver();
    CHECK(show(back) == "r12 r11");
    CHECK(back[0].envelope.epoch == 2);
    CHECK(back[1].envelope.epoch == 2);
    CHECK(back[1].envelope.key == "1:k");
  }
  SECTION("the same order_by again changes nothing") {
    handlers(w, "arg:to");
    CHECK(w.deliver().empty());
  }
}

TEST_CASE("an epoch waits for what the old one holds", "[epoch]") {
  world w;
  auto slow = log(block(10), 1);
  slow.asks.blocks = 30;
  w.apply(12, {tide::saw{{slow}}}, {header(10), header(11), header(12)});
  handlers(w, "arg:to");
  CHECK(w.take().empty());
  w.apply(45, {tide::proved{block(10), {{tx(1), 0}}, {slow}}});
  const auto sent = w.deliver();
  REQUIRE(show(sent) == "c10 e1");
  CHECK(sent[0].envelope.epoch == 1);
}

TEST_CASE("what is sent again in a new epoch holds nothing of the old one", "[epoch]") {
  world w;
  store::handler_in h{"h", true, true, "contract"};
  const auto put = [&] { w.in_group([&] { must(w.db->register_handlers({&h, 1}, ++w.now)); }); };
  put();
  auto slow = log(block(10), 1);
  slow.routes[0].pending = true;
  slow.asks.blocks = 30;
  w.apply(12, {tide::saw{{slow}}}, {header(10), header(11), header(12)});
  const auto first = w.take();
  REQUIRE(show(first) == "p10");
  const auto new_epoch = [&] {
    h.order_by = "chain";
    put();
  };
  const auto confirmed = [&] { w.apply(45, {tide::proved{block(10), {{tx(1), 0}}, {slow}}}); };
  SECTION("a copy") {
    w.finish(first[0]);
    new_epoch();
    store::replay_order as_new;
    as_new.handler = "h";
    as_new.as_new = true;
    w.in_group([&] { CHECK(must(w.db->replay(as_new, ++w.now)).count == 1); });
    confirmed();
    CHECK(show(w.deliver()) == "c10 e1 p10");
  }
  SECTION("what was parked") {
    w.park(first[0], tide::on_exhausted::park_event);
    new_epoch();
    store::dead_order all;
    all.all = true;
    w.in_group([&] { CHECK(must(w.db->order_dead(all, ++w.now)).count == 1); });
    confirmed();
    CHECK(show(w.deliver()) == "g1 c10 e1 p10");
  }
}

TEST_CASE("copies at the ends of two keys do not hold what stands before them", "[epoch]") {
  world w;
  // Each of two events goes over to the other's key.
  const auto of = [](std::uint64_t t, char branch, const char* key) {
    auto s = log(block(10, branch), t, static_cast<std::int32_t>(t));
    s.routes[0].key = key;
    return s;
  };
  w.apply(30,
          {tide::shown{{block(10)}, {of(1, 'A', "1:k"), of(2, 'A', "1:l")}, true},
           tide::mark_moved{block(10)}},
          {header(10)});
  CHECK(show(w.deliver()) == "c10 c10");
  w.apply(30,
          {tide::orphaned{block(10)}, tide::reorg{1, block(9), block(10), block(10, 'B'), false}},
          {header(10, 'B', 'A')});
  w.apply(30, {tide::shown{{block(10, 'B')}, {of(1, 'B', "1:l"), of(2, 'B', "1:k")}, true},
               tide::mark_moved{block(10, 'B')}});
  store::replay_order as_new;
  as_new.handler = "h";
  as_new.as_new = true;
  w.in_group([&] { CHECK(must(w.db->replay(as_new, ++w.now)).count == 2); });
  CHECK(show(w.deliver()) == "r10 r10 c10 c10 c10 c10");
}

TEST_CASE("a handler that was away is told what it missed by one gap", "[epoch]") {
  world w;
  found(w, 10, 1);
  CHECK(show(w.deliver()) == "c10");
  handlers(w, "contract", false);
  // While it is away no chain routes anything to it; what it was told is undone.
  auto unrouted = log(block(12), 2);
  unrouted.routes.clear();
  w.apply(33, {tide::shown{{block(12)}, {unrouted}, true}, tide::mark_moved{block(12)}},
          {header(12)});
  w.apply(33, {tide::proved{block(10), {}, {}}});
  handlers(w, "contract");
  const auto sent = w.deliver();
  REQUIRE(sent.size() == 2);
  std::string kinds;
  for (const auto& m : sent) {
    if (!m.notice) {
      CHECK(m.fact.status == tide::status::rolled_back);
      continue;
    }
    kinds += m.envelope.key;
    CHECK(m.notice->data.find(R"("count":1,"reason":"away")") != std::string::npos);
    CHECK(m.notice->data.find(tide::event_id(1, tx(2), 0).substr(2, 20)) != std::string::npos);
  }
  CHECK(kinds == "0:away");
  SECTION("nothing missed, nothing said") {
    handlers(w, "contract", false);
    handlers(w, "contract");
    CHECK(w.deliver().empty());
  }
}

TEST_CASE("a restore's epoch is none that was there before, and is told with its reason",
          "[epoch]") {
  scratch dir;
  world w;
  const auto on = [&](const std::string& path, std::int64_t now) {
    w.db.reset();
    store::options o;
    o.path = path;
    o.now = now;
    auto opened = store::store::open(std::move(o));
    REQUIRE(opened.index() == 0);
    w.db = std::move(std::get<0>(opened));
    w.now = now;
  };
  on(dir.file(), 1'000);
  w.in_group([&] { must(w.db->boot(world::chain)); });
  handlers(w, "contract");
  w.turn = 0;
  w.apply(9, {tide::started{10, block(9)}}, {header(9)});
  found(w, 10, 1);
  CHECK(show(w.deliver()) == "c10");
  must(store::back_up(dir.file(), dir.file("b.db"), w.now));
  // What the backup does not know of.
  handlers(w, "chain");
  CHECK(show(w.deliver()) == "e1");

  const auto put_back = [&](const char* name, std::int64_t now) {
    std::filesystem::copy_file(dir.file("b.db"), dir.file(name));
    on(dir.file(name), now);
  };
  put_back("c.db", 1'796'000'000'500);
  CHECK(must(w.db->epoch()) == 1'796'000'000);
  put_back("d.db", 1'796'000'001'000);
  CHECK(must(w.db->epoch()) == 1'796'000'001);
  handlers(w, "chain"); // and the config that it is run with has another order_by
  found(w, 11, 2);
  w.in_group([&] { must(w.db->set_paused("h", false, "", ++w.now)); });
  const auto told = w.deliver();
  REQUIRE(show(told) == "e1 e1 c11");
  CHECK(store::message_id(told[0]) == "epoch_1796000001");
  CHECK(told[0].notice->data.find(R"({"epoch":1796000001,"previous":1,"reason":"restore",)") == 0);
  CHECK(store::message_id(told[1]) == "epoch_1796000002");
  CHECK(told[1].notice->data.find(
            R"({"epoch":1796000002,"previous":1796000001,"reason":"order_by",)") == 0);
  CHECK(told[2].envelope.epoch == 1'796'000'002);
  handlers(w, "contract");
  CHECK(store::message_id(w.deliver().at(0)) == "epoch_1796000003");
  w.db.reset();
  // Whatever the clock says, it is higher than what the backup has.
  must(store::back_up(dir.file("d.db"), dir.file("e.db"), 1'000));
  on(dir.file("e.db"), 1'000);
  CHECK(must(w.db->epoch()) == 1'796'000'002);
}
