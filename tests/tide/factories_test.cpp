// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"
#include "tide/nursery.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace tidemark;
using namespace tidemark::tide;

namespace {

evm::address20 account(std::uint8_t n) {
  evm::address20 a;
  a.octets[19] = n;
  return a;
}
evm::hash32 word(const evm::address20& a) {
  evm::hash32 h;
  std::copy(a.octets.begin(), a.octets.end(), h.octets.begin() + 12);
  return h;
}
evm::hash32 hash_of(std::uint8_t n) {
  evm::hash32 h;
  h.octets[0] = n;
  return h;
}
const auto maker = account(1), pool = account(2), stranger = account(3);

subscription swaps(const char* created = "PoolCreated(address indexed token, address pool)",
                   std::size_t input = 1) {
  subscription s;
  s.name = "swaps";
  s.chains = {{1, {}}};
  s.event = evm::parse_event("Swap(uint256 amount)").value();
  s.factory.emplace();
  s.factory->addresses = {maker};
  s.factory->event = evm::parse_event(created).value();
  s.factory->input = input;
  return s;
}
interest of(std::vector<subscription> all) {
  return {1, "ethereum", policy{std::nullopt, 12, tag::none}, all, {}};
}

evm::log at(std::uint64_t block, std::uint32_t tx, std::uint32_t index) {
  evm::log l;
  l.block = {block, hash_of(static_cast<std::uint8_t>(block))};
  l.tx = hash_of(static_cast<std::uint8_t>(100 + tx));
  l.tx_index = tx;
  l.log_index = index;
  return l;
}
evm::log creation(evm::log l, const evm::address20& by = maker) {
  l.address = by;
  l.topics = {swaps().factory->event.topic0(), word(stranger)};
  const auto w = word(pool);
  l.data.assign(w.octets.begin(), w.octets.end());
  return l;
}
evm::log swap(evm::log l, const evm::address20& by = pool) {
  l.address = by;
  l.topics = {swaps().event.topic0()};
  l.data.assign(32, 1);
  return l;
}
child pool_at(std::uint64_t block, std::uint32_t tx, std::uint32_t index) {
  const auto l = at(block, tx, index);
  return {"swaps", pool, l.block, tx, index, digest_of(*swaps().factory, maker)};
}
std::set<std::uint64_t> makers() { return {digest_of(*swaps().factory, maker)}; }
std::string texts(const std::vector<born>& all) {
  std::string out;
  for (const auto& b : all)
    out += std::to_string(b.block) + ':' + std::to_string(b.children.size()) + ' ';
  return out;
}

} // namespace

TEST_CASE("a child counts from the log that names it") {
  const auto i = of({swaps()});
  nursery n;
  for (const auto& c : i.births(creation(at(10, 2, 5))))
    n.add(c);
  struct row {
    const char* name;
    evm::log log;
    bool expected;
  };
  const row rows[] = {
      {"the next log", swap(at(10, 2, 6)), true},
      {"the log before", swap(at(10, 2, 4)), false},
      {"an earlier transaction", swap(at(10, 1, 9)), false},
      {"a later one, where a chain counts within transactions", swap(at(10, 3, 0)), true},
      {"a later block", swap(at(11, 0, 0)), true},
      {"an earlier block", swap(at(9, 7, 7)), false},
      {"a stranger", swap(at(11, 0, 0), stranger), false},
      {"the factory", swap(at(11, 0, 0), maker), false},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    CHECK(i.match(r.log, 0, 0, "head", nullptr, &n).has_value() == r.expected);
    CHECK(i.wants(r.log, &n) == r.expected);
    CHECK_FALSE(i.match(r.log, 0, 0, "head"));
  }
}

TEST_CASE("a child counts while its factory is the subscription's") {
  const auto i = of({swaps()});
  auto other = swaps();
  other.factory->addresses = {stranger};
  auto both = swaps();
  both.factory->addresses.push_back(stranger);
  const auto another_event = swaps("PoolMade(address pool)", 0);
  nursery n;
  for (const auto& c : i.births(creation(at(10, 2, 5))))
    n.add(c);
  const auto told = swap(at(11, 0, 0));
  CHECK(i.wants(told, &n));
  CHECK_FALSE(of({other}).wants(told, &n));
  CHECK_FALSE(of({another_event}).wants(told, &n));
  CHECK(of({both}).wants(told, &n));
}

TEST_CASE("what names a child") {
  const auto i = of({swaps()});
  REQUIRE(i.births(creation(at(10, 2, 5))).size() == 1);
  CHECK(i.births(creation(at(10, 2, 5)))[0] == pool_at(10, 2, 5));
  CHECK(i.wants(creation(at(10, 2, 5))));
  CHECK(i.births(creation(at(10, 2, 5), stranger)).empty());
  auto shorter = creation(at(10, 2, 5));
  shorter.topics.pop_back();
  CHECK(i.births(shorter).empty());
  auto broken = creation(at(10, 2, 5));
  broken.data.pop_back();
  CHECK(i.births(broken).empty());
  // An indexed one.
  const auto by_topic = of({swaps("PoolCreated(address indexed token, address pool)", 0)});
  CHECK(by_topic.births(creation(at(10, 2, 5)))[0].address == stranger);
}

TEST_CASE("a child's data that does not decode is told, as with an address") {
  const auto i = of({swaps()});
  nursery n({pool_at(10, 2, 5)});
  auto l = swap(at(11, 0, 0));
  l.data.clear();
  const auto s = i.match(l, 0, 0, "head", nullptr, &n);
  REQUIRE(s);
  CHECK(s->data.find("decode_error") != std::string::npos);
}

TEST_CASE("factories: what a node is asked for, and which blocks may hold something") {
  const auto i = of({swaps()});
  const auto f = i.node_filter();
  CHECK(f.addresses.empty());
  CHECK(f.topic0.size() == 2);
  CHECK(i.factory_filter().addresses == std::vector<evm::address20>{maker});
  CHECK(i.factory_filter().topic0.size() == 1);
  evm::bloom made;
  made.add(maker.view());
  CHECK_FALSE(i.may_be_in(made));
  made.add(swaps().factory->event.topic0().view());
  CHECK(i.may_be_in(made));
  evm::bloom swapped;
  swapped.add(swaps().event.topic0().view());
  CHECK(i.may_be_in(swapped));
}

TEST_CASE("factories: from where creations are read before the chain counts") {
  auto from = swaps();
  from.factory->from = 100;
  auto later = swaps();
  later.name = "later";
  later.factory->from = 200;
  const auto known = of({from}).factories();
  CHECK(of({swaps()}).first_creation("") == std::nullopt);
  CHECK(of({from}).first_creation("") == 100);
  CHECK(of({from}).first_creation(known) == std::nullopt);
  CHECK(of({from, later}).first_creation("") == 100);
  CHECK(of({from, later}).first_creation(known) == 200);
  auto other = from;
  other.factory->addresses = {stranger};
  CHECK(of({other}).first_creation(known) == 100);
  auto counts = swaps();
  counts.start_block = 300;
  CHECK(of({counts}).first_creation("") == 300);
  // One that counts from an earlier block has children of there too.
  const auto read = of({counts}).factories();
  counts.start_block = 200;
  CHECK(of({counts}).first_creation(read) == 200);
  CHECK(of({}).factories().empty());
  CHECK(of({from}).factories() != of({other}).factories());
}

TEST_CASE("factories: what was made before they count is none of theirs, whenever it is read") {
  auto s = swaps();
  s.factory->from = 100;
  CHECK(of({s}).births(creation(at(99, 0, 0))).empty());
  CHECK(of({s}).births(creation(at(100, 0, 0))).size() == 1);
  s.factory->from.reset();
  counting counts;
  counts.from["swaps"] = 50;
  const interest later(1, "ethereum", policy{std::nullopt, 12, tag::none}, {s}, {}, counts);
  CHECK(later.births(creation(at(49, 0, 0))).empty());
  CHECK(later.births(creation(at(50, 0, 0))).size() == 1);
}

TEST_CASE("nursery: what the store is still to be told") {
  nursery n({pool_at(10, 2, 5)});
  CHECK(texts(n.unsaved()).empty());
  n.add(pool_at(10, 2, 5));
  n.set_block(at(10, 0, 0).block, {pool_at(10, 2, 5)});
  n.set_block(at(11, 0, 0).block, {});
  CHECK(texts(n.unsaved()).empty());
  n.add(pool_at(12, 0, 0));
  CHECK(texts(n.unsaved()) == "12:1 ");
  n.saved();
  CHECK(texts(n.unsaved()).empty());
  n.set_block(at(10, 0, 0).block, {}); // read whole: it was never made there
  CHECK(texts(n.unsaved()) == "10:0 ");
  CHECK_FALSE(n.has("swaps", makers(), swap(at(11, 0, 0))));
  CHECK(n.has("swaps", makers(), swap(at(13, 0, 0))));
  CHECK_FALSE(n.has("others", makers(), swap(at(13, 0, 0))));
}

TEST_CASE("nursery: what a fork leaves is forgotten") {
  nursery n({pool_at(10, 2, 5), pool_at(12, 0, 0), pool_at(13, 0, 0)});
  n.drop_above(10);
  CHECK(texts(n.unsaved()) == "12:0 13:0 ");
  CHECK(n.has("swaps", makers(), swap(at(11, 0, 0))));
  n.drop_above(9);
  CHECK_FALSE(n.has("swaps", makers(), swap(at(14, 0, 0))));
}
