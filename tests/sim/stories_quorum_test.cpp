// SPDX-License-Identifier: MIT
#include "story.hpp"

#include <catch2/catch.hpp>

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
