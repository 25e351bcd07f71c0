// SPDX-License-Identifier: MIT
#include "node.hpp"

#include "evm/hex.hpp"
#include "tide/rpc_json.hpp"
#include "tide/rpc_wire.hpp"
#include "tide/seal_json.hpp"
#include "tide/whole.hpp"

#include <catch2/catch.hpp>

// The simulated node against the parsers that read real ones, and against what real ones answer
// (rpc.md, anvil).

using namespace tidemark;

namespace {

struct place {
  sim::world w{3};
  sim::renderer texts;
  sim::tally met;
  sim::node_traits traits;
  std::optional<sim::node> n;

  explicit place(sim::feature_set can = {}, std::size_t index = 0) {
    for (int i = 0; i < 30; ++i)
      w.mine();
    traits.can = can;
    traits.index = index;
    traits.gap = 4; // an episode begins nearly at once, and does not end
    traits.length = 1'000'000'000;
    n.emplace(w, texts, met, traits);
  }

  sim::node::reply ask(const std::vector<tide::rpc_call>& calls) {
    return n->serve(tide::rpc_body(calls), 1'000);
  }
  tide::rpc_reply read(const std::vector<tide::rpc_call>& calls) {
    const auto r = ask(calls);
    return {r.body, r.status, calls.size()};
  }
  boost::json::value result(const tide::rpc_call& call) {
    const auto r = read({call});
    REQUIRE_FALSE(r.whole());
    REQUIRE(r.results().front().value);
    // A plain copy would stay in the reply's memory.
    return boost::json::value(*r.results().front().value, boost::json::storage_ptr());
  }
  std::string error(const tide::rpc_call& call) {
    const auto r = read({call});
    if (r.whole() || r.results().front().value) return "none";
    const auto& e = r.results().front().error;
    return std::to_string(e.code) + " " + e.message;
  }
  const sim::block& with_logs(std::size_t at_least = 2) {
    for (std::uint64_t i = 1; i <= w.head(); ++i)
      if (w.at(i).logs.size() >= at_least) return w.at(i);
    throw std::logic_error("no such block");
  }
};

sim::feature_set only(sim::feature f) {
  sim::feature_set s;
  s.add(f);
  return s;
}

} // namespace

TEST_CASE("a header is its block's, and its fields make its hash") {
  place p;
  for (std::uint64_t i = 0; i <= p.w.head(); ++i) {
    const auto h = tide::header_from(p.result(tide::call_block_by_number(i)), true).value();
    CHECK(h.id() == p.w.at(i).header.id());
    CHECK(h.transactions == p.w.at(i).header.transactions);
    CHECK(h.logs_bloom == p.w.at(i).header.logs_bloom);
    REQUIRE(h.sealed);
    CHECK(*h.sealed == h.hash);
    if (i > 0) CHECK(h.parent == p.w.at(i - 1).header.hash);
  }
  CHECK(p.result(tide::call_block_by_number(p.w.head() + 1)).is_null());
}

TEST_CASE("receipts make their block's root, and hold its logs") {
  place p;
  const auto& b = p.with_logs();
  const auto receipts = p.result(tide::call_receipts_of_block(b.header.hash));
  CHECK(tide::receipts_root_from(receipts.as_array(), b.header.id()).value() ==
        b.header.receipts_root);
  std::vector<evm::log> logs;
  for (const auto& v : receipts.as_array()) {
    const auto r = tide::receipt_from(v).value();
    logs.insert(logs.end(), r.logs.begin(), r.logs.end());
  }
  CHECK(logs == b.logs);
  const auto one = tide::receipt_from(p.result(tide::call_receipt(b.logs[0].tx))).value();
  CHECK(one.block == b.header.id());
  CHECK(p.result(tide::call_receipts_of_block(b.header.parent)).is_array());
  CHECK(p.result(tide::call_receipts_of_block({})).is_null());
  CHECK(p.result(tide::call_receipt({})).is_null());
}

TEST_CASE("tags lie below the head, and what answers is chain 1") {
  place p;
  const auto number = [&](const char* tag) {
    return tide::header_from(p.result(tide::call_block_by_tag(tag))).value().number;
  };
  CHECK(number("latest") == p.w.head());
  CHECK(number("safe") == p.w.head() - 4);
  CHECK(number("finalized") == p.w.head() - 8);
  CHECK(p.result(tide::call_chain_id()) == "0x1");
}

TEST_CASE("logs by range, by block and through a filter") {
  place p;
  std::size_t all = 0;
  for (std::uint64_t i = 2; i <= 20; ++i)
    all += p.w.at(i).logs.size();
  REQUIRE(all > 10);
  CHECK(p.result(tide::call_logs(2, 20, {})).as_array().size() == all);
  const auto& b = p.with_logs();
  const auto of_block = p.result(tide::call_logs_of_block(b.header.hash));
  REQUIRE(of_block.as_array().size() == b.logs.size());
  for (std::size_t i = 0; i < b.logs.size(); ++i)
    CHECK(tide::log_from(of_block.as_array()[i]).value() == b.logs[i]);
  const auto topic = b.logs[0].topics[0];
  std::size_t fitting = 0;
  for (std::uint64_t i = 2; i <= 20; ++i)
    for (const auto& l : p.w.at(i).logs)
      fitting += l.topics[0] == topic;
  CHECK(p.result(tide::call_logs(2, 20, {{sim::world::token()}, {topic}})).as_array().size() ==
        fitting);
  evm::address20 nobody;
  CHECK(p.result(tide::call_logs(2, 20, {{nobody}, {}})).as_array().empty());
}

TEST_CASE("what a node does not have, it says as nodes do") {
  place p, old({}, 1);
  const auto beyond = p.w.head() + 5;
  CHECK(p.error(tide::call_logs_of_block({})) == "-32000 unknown block");
  CHECK(p.error(tide::call_logs(9, 2, {})) == "-32602 invalid block range params");
  CHECK(p.error(tide::call_logs(3, beyond, {})) ==
        "-32602 block range extends beyond current head block");
  CHECK(old.result(tide::call_logs(beyond, beyond, {})).as_array().empty());
  CHECK(p.error({"eth_nonsense", "[]"}).find("-32601") == 0);
}

TEST_CASE("dead blocks are answered by hash alone, and not by every node") {
  place p, forgets({}, 1);
  for (auto* at : {&p, &forgets}) {
    auto& w = at->w;
    const auto dead = w.at(w.head()).header;
    at->traits.keeps_dead_blocks = at == &p;
    at->n.emplace(w, at->texts, at->met, at->traits);
    w.fork(2, 3);
    CHECK(tide::header_from(at->result(tide::call_block_by_number(dead.number))).value().hash !=
          dead.hash);
    const auto logs = at->read({tide::call_logs_of_block(dead.hash)});
    CHECK((logs.results().front().value != nullptr) == (at == &p));
  }
}

TEST_CASE("a batch is answered by ids, whatever becomes of its order") {
  using f = sim::feature;
  place p(only(f::shuffled_items));
  std::vector<tide::rpc_call> calls;
  for (std::uint64_t i = 0; i < 20; ++i)
    calls.push_back(tide::call_block_by_number(i));
  const auto r = p.read(calls);
  for (std::uint64_t i = 0; i < 20; ++i)
    CHECK(tide::header_from(*r.results()[i].value).value().number == i);
  CHECK(place(only(f::missing_item)).read(calls).missing() > 0);
  CHECK(place(only(f::no_batches)).read(calls).refuses_batches());
}

TEST_CASE("each trouble of a node shows, and is counted") {
  using f = sim::feature;
  const auto& one = tide::call_block_by_number(3);
  for (std::size_t k = 0; k < sim::features; ++k) {
    const auto kind = static_cast<f>(k);
    if (!sim::of_endpoints(kind)) continue;
    place honest, p(only(kind));
    p.traits.lies_anywhere = true;
    p.n.emplace(p.w, p.texts, p.met, p.traits);
    p.w.fork(3, 4);
    honest.w.fork(3, 4);
    std::vector<tide::rpc_call> calls{one, tide::call_chain_id(), tide::call_block_by_tag("latest"),
                                      tide::call_block_by_tag("safe"),
                                      tide::call_block_by_tag("finalized")};
    for (std::uint64_t i = 1; i < 32; ++i) {
      calls.push_back(tide::call_block_by_number(i));
      calls.push_back(tide::call_block_by_number(i, true));
      calls.push_back(tide::call_logs_of_block(p.w.at(i).header.hash));
      calls.push_back(tide::call_receipts_of_block(p.w.at(i).header.hash));
    }
    calls.push_back(tide::call_logs(1, 25, {}));
    bool differs = false;
    for (int again = 0; again < 8; ++again) {
      const auto a = honest.ask(calls), b = p.ask(calls);
      differs |= a.body != b.body || a.came != b.came || a.status != b.status || a.delay != b.delay;
    }
    INFO(sim::name_of(kind));
    CHECK(differs);
    CHECK(p.met.of(kind) > 0);
    CHECK(p.n->honest() == !sim::is_lie(kind));
    p.n->recover();
    CHECK(p.ask(calls).body == honest.ask(calls).body);
  }
}

TEST_CASE("a range that is too long is refused in words that say so") {
  place p(only(sim::feature::range_cap));
  const auto r = p.read({tide::call_logs(1, 25, {})});
  REQUIRE_FALSE(r.results().front().value);
  CHECK(tide::classify(r.results().front().error) == tide::rpc_failure::too_big);
  CHECK(p.read({tide::call_logs(7, 7, {})}).results().front().value);
}

TEST_CASE("a void height has no block, and its child's parent is the block before") {
  place p;
  const auto before = p.w.head();
  p.w.mine_void();
  p.w.mine_these({});
  CHECK(p.result(tide::call_block_by_number(before + 1)).is_null());
  const auto h = tide::header_from(p.result(tide::call_block_by_number(before + 2))).value();
  CHECK(h.parent == p.w.at(before).header.hash);
  CHECK(h.number == p.w.head());
}
