// SPDX-License-Identifier: MIT
#include "story.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

// Deep ranges, where blocks are not read whole: what is made up or changed there, and what shows
// it.

using namespace tidemark;
using sim::calm;
using sim::story;

TEST_CASE("a log that its block's bloom excludes is not believed, however deep it lies") {
  story s;
  s.mine({s.transfer()});
  s.mine_empty(4);
  s.catch_up(); // by now it is known that this chain's blooms hold
  const auto nothing = s.transfer(0);
  const auto at = s.chain().head() + 1;
  std::size_t forged = 0;
  s.lie([&](tide::answer_what& a) {
    auto* r = std::get_if<tide::range_answer>(&a);
    if (!r || r->logs.empty()) return;
    auto made = r->logs.front();
    const auto in = std::find_if(r->headers.begin(), r->headers.end(),
                                 [at](const evm::header& h) { return h.number == at; });
    if (in == r->headers.end()) return;
    made.block = in->id();
    made.tx = nothing.hash;
    made.tx_index = made.log_index = 0;
    r->logs.insert(r->logs.begin(), made);
    ++forged;
  });
  s.mine({nothing});
  s.mine({s.transfer()});
  s.mine_empty(60);
  s.catch_up();
  s.catch_up();
  CHECK(forged > 0);
  CHECK(s.life(nothing.hash, 0) == "");
  s.lie({});
  s.catch_up();
  CHECK(s.compare() == "");
}

TEST_CASE("logs that blooms exclude are not believed deep, though they are said twice") {
  story s;
  s.mine({s.transfer()});
  s.mine_empty(4);
  s.catch_up();
  std::vector<sim::transaction> carry;
  std::map<std::uint64_t, evm::log> forged; // by block
  s.lie([&forged](tide::answer_what& a) {
    const auto add = [&forged](std::vector<evm::log>& logs, std::uint64_t from, std::uint64_t to) {
      for (auto at = forged.lower_bound(from); at != forged.end() && at->first <= to; ++at)
        logs.push_back(at->second);
    };
    if (auto* r = std::get_if<tide::range_answer>(&a); r && !r->headers.empty())
      add(r->logs, r->headers.front().number, r->headers.back().number);
    if (auto* l = std::get_if<tide::logs_answer>(&a)) add(l->logs, 0, ~std::uint64_t{0});
  });
  const auto forge = [&](const sim::transaction& in, std::uint32_t index) {
    const auto& b = *s.chain().find(s.chain().head());
    auto made = s.chain().find(1)->logs.front();
    made.block = b.header.id();
    made.tx = in.hash;
    made.tx_index = 0;
    made.log_index = index;
    made.topics[2].octets[5] = 0xee;
    forged[b.header.number] = made;
  };
  SECTION("in blocks without an event, more than are read one by one") {
    for (int i = 0; i < 30; ++i) {
      carry.push_back(s.transfer(0));
      s.mine({carry.back()});
      forge(carry.back(), 0);
    }
  }
  SECTION("beside an event of the subscription") {
    carry.push_back(s.transfer(1));
    s.mine({carry.back()});
    forge(carry.back(), 1);
  }
  s.mine_empty(60);
  s.catch_up();
  s.catch_up();
  for (const auto& t : carry)
    CHECK(s.life(t.hash, static_cast<std::int32_t>(t.logs)) == "");
  s.lie({});
  s.catch_up();
  CHECK(s.compare() == "");
}

TEST_CASE("where a deep range is read twice, an amount that differs is settled by the block") {
  auto p = calm();
  p.endpoints.resize(2);
  p.endpoints[1].index = 1;
  story s(p);
  s.mine({s.transfer()});
  s.mine_empty(4);
  s.catch_up();
  const auto changed = s.transfer(), hidden = s.transfer(), hidden_too = s.transfer();
  bool lied = false;
  s.twist([&](tide::answer& a) {
    auto* r = std::get_if<tide::range_answer>(&a.what);
    if (!r || a.endpoint != 0) return;
    std::erase_if(
        r->logs, [&](const evm::log& l) { return l.tx == hidden.hash || l.tx == hidden_too.hash; });
    for (auto& l : r->logs)
      if (l.tx == changed.hash) l.data.back() ^= 1, lied = true;
  });
  s.mine({changed});
  s.mine({hidden});
  s.mine({hidden_too});
  s.mine_empty(60);
  s.catch_up();
  s.catch_up();
  CHECK(lied);
  CHECK(s.life(hidden.hash, 0) != "");
  CHECK(s.compare() == "");
}
