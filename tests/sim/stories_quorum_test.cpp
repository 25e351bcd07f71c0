// SPDX-License-Identifier: MIT
#include "story.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

// Endpoints that are not of one mind, or not of their own: whose word counts, and that asking goes
// on at its pace.

using namespace tidemark;
using sim::calm;
using sim::story;

namespace {

sim::plan three() {
  auto p = calm();
  p.endpoints.resize(3);
  p.endpoints[1].index = 1;
  p.endpoints[2].index = 2;
  p.quorum = 2;
  return p;
}

/// The headers of a chain that others leave.
class old_chain {
public:
  explicit old_chain(sim::world& w) {
    for (std::uint64_t n = 0; n <= w.head(); ++n)
      if (const auto* b = w.find(n)) headers_[n] = b->header;
  }
  /// That endpoint still answers by it.
  void says(tide::answer& a, std::size_t endpoint) const {
    if (auto* all = std::get_if<tide::votes_answer>(&a.what))
      for (auto& v : all->votes)
        if (v.endpoint == endpoint) {
          v.says.head = headers_.rbegin()->second;
          const auto there = v.there ? headers_.find(v.there->number) : headers_.end();
          v.there = there == headers_.end() ? std::nullopt : std::optional(there->second);
        }
    if (a.endpoint != endpoint) return;
    if (auto* head = std::get_if<tide::head_answer>(&a.what))
      head->head = headers_.rbegin()->second;
    if (auto* read = std::get_if<tide::headers_answer>(&a.what))
      for (auto& h : read->headers)
        if (const auto ours = headers_.find(h.number); ours != headers_.end()) h = ours->second;
  }

private:
  std::map<std::uint64_t, evm::header> headers_;
};

} // namespace

TEST_CASE(
    "a head that has another hash with each answer stops nothing, and costs a few calls a poll") {
  story s;
  s.lie([&s](tide::answer_what& a) {
    auto* says = std::get_if<tide::head_answer>(&a);
    const auto ours = s.status().head;
    if (says && ours && ours->number == says->head.number) says->head.hash.octets[0] ^= 1;
  });
  const auto before = s.process().posts;
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(3);
  s.catch_up(); // 45 polls
  CHECK(s.process().posts - before < 45 * 6);
  CHECK(s.life(t.hash, 0) == "pending confirmed");
}

TEST_CASE("a fork is followed where a quorum sees it and the preferred endpoint lags") {
  story s(three());
  s.mine_empty(3);
  s.catch_up();
  const auto old = *s.status().head;
  const auto low = s.chain().find(old.number - 2)->header;
  s.twist([&low](tide::answer& a) {
    if (auto* says = std::get_if<tide::head_answer>(&a.what); says && a.endpoint == 0)
      says->head = low;
    if (auto* all = std::get_if<tide::votes_answer>(&a.what))
      for (auto& v : all->votes)
        if (v.endpoint == 0) {
          v.says.head = low;
          v.there.reset();
        }
  });
  const auto t = s.transfer();
  s.chain().rewind(1);
  s.mine({t});
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending");
  CHECK(s.status().head->hash != old.hash);
}

TEST_CASE("an operator's word follows a quorum, not the preferred endpoint") {
  story s(three());
  const auto t = s.transfer();
  s.mine_empty(2);
  s.mine({t});
  s.mine_empty(12);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  old_chain old(s.chain());
  s.chain().rewind(14);
  s.mine_empty(20);
  SECTION("which left, while that one stayed: it is followed") {
    s.twist([&old](tide::answer& a) { old.says(a, 0); });
    s.catch_up();
    s.catch_up();
    REQUIRE(s.status().state == tide::chain_state::halted);
    s.resume(true);
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending confirmed rolled_back");
    CHECK(s.compare() == "");
  }
  SECTION("which stayed, while that one left: nothing is taken back") {
    s.catch_up();
    s.catch_up();
    REQUIRE(s.status().state == tide::chain_state::halted);
    s.twist([&old](tide::answer& a) {
      old.says(a, 1);
      old.says(a, 2);
    });
    s.resume(true);
    s.catch_up();
    CHECK(s.life(t.hash, 0) == "pending confirmed");
  }
}

TEST_CASE(
    "a finalized block of another fork stops nothing, and a policy that waits for it says so") {
  auto p = calm();
  p.tags = true;
  story s(p);
  const auto t = s.transfer();
  s.mine({t});
  s.mine_empty(sim::finalized_depth);
  s.lie([](tide::answer_what& a) {
    auto* says = std::get_if<tide::head_answer>(&a);
    if (says && says->finalized) says->finalized->hash.octets[0] ^= 1;
  });
  s.catch_up();
  const auto before = s.process().posts;
  s.catch_up(); // 45 polls
  CHECK(s.process().posts - before < 45 * 6);
  CHECK(s.life(t.hash, 0) == "pending");
  CHECK(s.status().head->number == s.chain().head());
  CHECK(s.status().reason.find("waits for the finalized block") != std::string::npos);
  s.lie({});
  s.mine();
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.status().reason.empty());
}

TEST_CASE("who lags for long and is of another chain for a moment halts nothing") {
  story s;
  s.mine_empty(30);
  s.catch_up();
  const auto tip = s.chain().head();
  auto says = s.chain().find(10)->header; // below all that is held
  s.lie([&says](tide::answer_what& a) {
    if (auto* head = std::get_if<tide::head_answer>(&a)) head->head = says;
  });
  for (int i = 0; i < 13; ++i) // 585 s
    s.catch_up();
  says = s.chain().find(tip - 1)->header;
  says.hash.octets[0] ^= 1;
  s.catch_up();
  CHECK(s.status().state != tide::chain_state::halted);
  for (int i = 0; i < 14; ++i)
    s.catch_up();
  CHECK(s.status().state == tide::chain_state::halted);
}

TEST_CASE("a block that nobody serves stops the mark below it, not the head") {
  story s;
  s.mine_empty(3);
  s.catch_up();
  const auto lost = s.status().head->number + 3;
  const auto has = [lost](const auto& headers) {
    return std::any_of(headers.begin(), headers.end(),
                       [lost](const evm::header& h) { return h.number == lost; });
  };
  s.lie([&has](tide::answer_what& a) {
    const auto* headers = std::get_if<tide::headers_answer>(&a);
    const auto* range = std::get_if<tide::range_answer>(&a);
    if ((headers && has(headers->headers)) || (range && has(range->headers)))
      a = tide::no_answer{"its history was pruned"};
  });
  s.mine_empty(12);
  s.catch_up();
  s.catch_up();
  CHECK(s.status().head->number == s.chain().head());
  CHECK(s.status().mark->number == lost - 1);
  CHECK(s.status().state == tide::chain_state::degraded);
  s.lie({});
  s.catch_up();
  CHECK(s.compare() == "");
}

TEST_CASE("with a quorum too a chain that counts logs by transaction is learned, nobody blamed") {
  auto p = three();
  p.on.add(sim::feature::index_by_transaction);
  p.integrity = p.backfill = tide::proof::receipts;
  story s(p);
  const auto one = s.transfer(2), two = s.transfer(2);
  s.mine({one, two});
  s.mine_empty(80); // more than the head pass reads: the block is met by the range alone
  s.catch_up();
  s.catch_up();
  s.catch_up();
  CHECK(s.life(two.hash, 1) == "confirmed");
  CHECK(s.process().lies_caught == 0);
}
