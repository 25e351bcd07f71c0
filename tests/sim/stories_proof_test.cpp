// SPDX-License-Identifier: MIT
#include "story.hpp"

#include "tide/whole.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// What endpoints leave out or make up, one story a row, and what proves it.

using namespace tidemark;
using sim::calm;
using sim::story;

namespace {

/// Everything filtered is empty, and so is every block read whole.
void leave_logs_out(tide::answer_what& a) {
  if (auto* r = std::get_if<tide::range_answer>(&a)) r->logs.clear();
  if (auto* b = std::get_if<tide::blocks_answer>(&a))
    for (auto& block : b->blocks)
      block.logs.clear();
}

} // namespace

TEST_CASE("an endpoint that leaves logs out is not believed") {
  story s;
  const auto t = s.transfer();
  s.lie(leave_logs_out);
  const auto mark = s.status().mark->number;
  s.mine({t});
  s.mine_empty(4);
  s.catch_up();
  CHECK(s.status().mark->number < mark + 3);
  CHECK(s.status().state == tide::chain_state::degraded);
  CHECK(s.life(t.hash, 0) == "");
  SECTION("nor when only its ranges do") {
    s.lie([](tide::answer_what& a) {
      if (auto* r = std::get_if<tide::range_answer>(&a)) r->logs.clear();
    });
  }
  SECTION("and when it is honest again all is found") { s.lie({}); }
  s.catch_up();
  CHECK(s.life(t.hash, 0).find("confirmed") != std::string::npos);
  CHECK(s.compare() == "");
}

TEST_CASE("what only a block's own answer shows is read once more before it is confirmed") {
  auto p = calm();
  p.follow = false; // nobody sees it before the mark's range comes to it
  story s(p);
  const auto t = s.transfer();
  const auto at = s.chain().head() + 1;
  std::size_t whole = 0;
  // Ranges lack it, and the block itself is had once alone.
  s.lie([&](tide::answer_what& a) {
    if (auto* r = std::get_if<tide::range_answer>(&a)) r->logs.clear();
    auto* b = std::get_if<tide::blocks_answer>(&a);
    if (b && b->blocks.at(0).header.number == at && ++whole > 1) a = tide::no_answer{"gone"};
  });
  s.mine({t});
  s.mine_empty(4);
  s.catch_up();
  CHECK(whole > 1);
  CHECK(s.life(t.hash, 0) == "");
  s.lie({});
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "confirmed");
  CHECK(s.compare() == "");
}

TEST_CASE("an index that is behind for long makes no chain odd") {
  story s;
  const auto t = s.transfer();
  // No endpoint has any log of the newest blocks yet; nothing ever showed what the blooms are
  // worth.
  s.lie(leave_logs_out);
  const auto before = s.chain().head();
  s.mine({t});
  for (int i = 0; i < 20; ++i) {
    s.mine({s.transfer()});
    s.catch_up(); // a minute or so each
  }
  CHECK(s.status().mark->number <= before);
  CHECK(s.status().state == tide::chain_state::degraded);
  s.lie({});
  s.catch_up();
  CHECK(s.life(t.hash, 0).find("confirmed") != std::string::npos);
  CHECK(s.compare() == "");
}

TEST_CASE("who called its head final is not heard about finality for a while") {
  auto p = calm();
  p.tags = true;
  story s(p);
  const auto t = s.transfer();
  s.mine({t});
  const auto at = s.chain().head();
  // Behind one address stand two: one calls its head final, the other is further on.
  s.lie([](tide::answer_what& a) {
    if (auto* h = std::get_if<tide::head_answer>(&a)) h->finalized = h->head.id();
  });
  s.catch_up();
  CHECK(s.life(t.hash, 0).find("confirmed") == std::string::npos);
  s.mine_empty(3);
  s.lie([id = s.chain().find(at)->header.id()](tide::answer_what& a) {
    if (auto* h = std::get_if<tide::head_answer>(&a)) h->finalized = id;
  });
  s.catch_up();
  CHECK(s.life(t.hash, 0).find("confirmed") == std::string::npos);
  s.lie({});
  s.mine_empty(10);
  for (int i = 0; i < 15; ++i) // of 45 s each: over ten minutes
    s.catch_up();
  CHECK(s.life(t.hash, 0).find("confirmed") != std::string::npos);
}

TEST_CASE("what an index did not have yet is found late, by the scan over the overlap") {
  story s;
  const auto t = s.transfer();
  // For a while every answer leaves the block's logs out, and its header says that there are none.
  const auto hidden = s.chain().head() + 1;
  s.mine({t});
  s.mine_empty(4);
  s.lie([&](tide::answer_what& a) {
    const auto bare = [&](evm::header& h) {
      if (h.number == hidden) h.logs_bloom = {};
    };
    if (auto* r = std::get_if<tide::range_answer>(&a)) {
      for (auto& h : r->headers)
        bare(h);
      r->logs.clear();
    }
    if (auto* h = std::get_if<tide::headers_answer>(&a))
      for (auto& one : h->headers)
        bare(one);
    if (auto* h = std::get_if<tide::head_answer>(&a)) bare(h->head);
    if (auto* w = std::get_if<tide::blocks_answer>(&a))
      for (auto& one : w->blocks) {
        bare(one.header);
        if (one.header.number == hidden) one.logs.clear();
      }
    if (auto* l = std::get_if<tide::logs_answer>(&a)) l->logs.clear();
  });
  s.catch_up();
  REQUIRE(s.status().mark->number >= hidden);
  REQUIRE(s.life(t.hash, 0) == "");
  s.lie({});
  s.catch_up(); // the overlap's timer is among it
  CHECK(s.life(t.hash, 0) == "confirmed");
  CHECK(s.compare() == "");
}

TEST_CASE("with integrity none what two answers dispute is settled by the block's own answer") {
  auto p = calm();
  p.integrity = p.backfill = tide::proof::none;
  story s(p);
  const auto t = s.transfer();
  s.mine({t});
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending");
  // Ranges leave it out, and no bloom on this chain says anything.
  const auto bare = [](evm::header& h) { h.logs_bloom = {}; };
  s.lie([&](tide::answer_what& a) {
    if (auto* r = std::get_if<tide::range_answer>(&a)) {
      std::for_each(r->headers.begin(), r->headers.end(), bare);
      r->logs.clear();
    }
    if (auto* h = std::get_if<tide::headers_answer>(&a))
      std::for_each(h->headers.begin(), h->headers.end(), bare);
    if (auto* h = std::get_if<tide::head_answer>(&a)) bare(h->head);
    if (auto* w = std::get_if<tide::blocks_answer>(&a))
      for (auto& one : w->blocks)
        bare(one.header);
  });
  s.mine_empty(4);
  s.catch_up();
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  CHECK(s.compare() == "");
}

TEST_CASE("with receipts too a bloom that was seen to hold spares the blocks that it rules out") {
  auto p = calm();
  p.integrity = p.backfill = tide::proof::receipts;
  story s(p);
  s.mine({s.transfer()});
  s.mine_empty(4);
  s.catch_up();
  std::size_t read = 0;
  s.lie([&](tide::answer_what& a) {
    if (const auto* w = std::get_if<tide::blocks_answer>(&a)) read += w->blocks.size();
  });
  auto foreign = s.transfer();
  foreign.foreign = true;
  s.mine({foreign});
  s.mine_empty(4);
  s.catch_up();
  CHECK(read == 0);
  s.mine({s.transfer()});
  s.mine_empty(4);
  s.catch_up();
  CHECK(read > 0);
  CHECK(s.compare() == "");
}

TEST_CASE("deeper than what is held nobody's word takes a block's events back") {
  auto p = calm();
  p.latecomer = true;
  p.latecomer_from = 2;
  story s(p);
  const auto t = s.transfer();
  s.mine({t});
  const auto at = s.chain().head();
  s.mine_empty(30);
  s.catch_up();
  REQUIRE(s.life(t.hash, 0) == "pending confirmed");
  // An endpoint of two backends: its ranges are of a fork that left before that block.
  bool lied = false;
  s.lie([&](tide::answer_what& a) {
    auto* r = std::get_if<tide::range_answer>(&a);
    if (!r || r->headers.front().number > at) return;
    while (r->headers.back().number > at + 2)
      r->headers.pop_back();
    for (std::size_t i = 0; i < r->headers.size(); ++i) {
      auto& h = r->headers[i];
      h.hash.octets[0] ^= 0xff;
      h.logs_bloom = {};
      if (i > 0) h.parent = r->headers[i - 1].hash;
    }
    r->logs.clear();
    r->transactions.clear();
    r->last_again = r->headers.back().id();
    lied = true;
  });
  s.reload();
  s.catch_up();
  CHECK(lied);
  CHECK(s.life(t.hash, 0) == "pending confirmed");
  s.lie({});
  s.catch_up();
  CHECK(s.compare() == "");
}
