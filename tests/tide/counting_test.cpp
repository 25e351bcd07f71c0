// SPDX-License-Identifier: MIT
#include "tide/counting.hpp"

#include "tide/subscription.hpp"

#include <catch2/catch.hpp>

namespace tidemark::tide {
namespace {

using block = std::optional<std::uint64_t>;

form of(std::map<std::string, std::set<std::string>> axes) { return {std::move(axes)}; }

evm::address20 address(std::uint8_t last) {
  evm::address20 a;
  a.octets[19] = last;
  return a;
}

const form narrow = of({{"event", {"T"}}, {"address", {"a"}}});
const form wide = of({{"event", {"T"}}});
const form made = of({{"event", {"T"}}, {"address", {"factory"}}, {"factory from", {"7"}}});

TEST_CASE("what lets more through", "[counting]") {
  struct row {
    const char* name;
    form before, now;
    bool more;
  };
  const row rows[] = {
      {"the same", narrow, narrow, false},
      {"any contract, where it was one", narrow, wide, true},
      {"one contract, where it was any", wide, narrow, false},
      {"one contract more", narrow, of({{"event", {"T"}}, {"address", {"a", "b"}}}), true},
      {"one contract fewer", of({{"address", {"a", "b"}}}), of({{"address", {"b"}}}), false},
      {"another contract", of({{"address", {"a"}}}), of({{"address", {"b"}}}), true},
      {"another event", narrow, of({{"event", {"U"}}, {"address", {"a"}}}), true},
      {"a further condition", narrow,
       of({{"event", {"T"}}, {"address", {"a"}}, {"where 1", {"x"}}}), false},
      {"a condition less", of({{"where 1", {"x"}}}), of({}), true},
      {"a lower min_value", of({{"min_value", {"100"}}}), of({{"min_value", {"99"}}}), true},
      {"a higher one", of({{"min_value", {"99"}}}), of({{"min_value", {"100"}}}), false},
      {"none any more", of({{"min_value", {"99"}}}), of({}), true},
      {"one where there was none", of({}), of({{"min_value", {"99"}}}), false},
      {"a factory's children from a lower block", of({{"factory from", {"99"}}}),
       of({{"factory from", {"7"}}}), true},
      {"from a higher one", of({{"factory from", {"7"}}}), of({{"factory from", {"99"}}}), false},
      {"from a block, not as it counts", of({{"factory from", {"as it counts"}}}),
       of({{"factory from", {"7"}}}), true},
      {"wider here and narrower there", of({{"address", {"a", "b"}}, {"where 1", {"x"}}}),
       of({{"address", {"a"}}, {"where 1", {"x", "y"}}}), true},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    CHECK(lets_more(r.before, r.now) == r.more);
  }
}

TEST_CASE("a form is what the subscription says, and comes back from its text", "[counting]") {
  subscription s;
  s.event = *evm::parse_event("Transfer(address indexed from, address indexed to, uint256 value)");
  s.chains[1] = {address(7)};
  s.where.push_back({1, {evm::hash32{}}});
  const auto f = form_of(s, 1);
  CHECK(f.axes.at("event") == std::set<std::string>{"Transfer(address,address,uint256)iid"});
  CHECK(f.axes.at("address") ==
        std::set<std::string>{"0x0000000000000000000000000000000000000007"});
  CHECK(f.axes.at("where 1").size() == 1);
  CHECK(*parse_form(to_text(f)) == f);
  s.chains[1].clear();
  CHECK_FALSE(form_of(s, 1).axes.contains("address"));
  s.factory.emplace();
  s.factory->event = *evm::parse_event("Made(address child)");
  CHECK(form_of(s, 1).axes.at("factory from") == std::set<std::string>{"as it counts"});
  s.factory->from = 12;
  CHECK(form_of(s, 1).axes.at("factory from") == std::set<std::string>{"12"});
  s.factory.reset();
  // What is indexed decides which logs decode so.
  s.event = *evm::parse_event("Transfer(address indexed from, address to, uint256 indexed value)");
  CHECK(lets_more(f, form_of(s, 1)));
  for (const char* bad : {"", "[]", "{\"a\":1}", "{\"a\":[1]}"})
    CHECK(!parse_form(bad).has_value());
}

TEST_CASE("from where a subscription counts", "[counting]") {
  const chain_place unresolved{}, running{100, 499}, at_nothing{0, {}};
  const counted whole{narrow, {}, 100};
  struct row {
    const char* name;
    std::optional<counted> before;
    form wanted;
    block given;
    chain_place chain;
    block unfinished;
    block from;
    bool widened;
    std::optional<block_span> backfill;
  };
  const row rows[] = {
      {"a new store: with the chain", {}, narrow, {}, unresolved, {}, {}, false, {}},
      {"a new store: from a block", {}, narrow, 7, unresolved, {}, 7, false, {}},
      {"before the first block of all", {}, narrow, {}, at_nothing, {}, 0, true, {}},
      {"new on a running chain", {}, narrow, {}, running, {}, 500, true, {}},
      {"new, from below the mark", {}, narrow, 450, running, {}, 450, true, {{450, 499}}},
      {"new, from below the chain's start", {}, narrow, 5, running, {}, 5, true, {{5, 499}}},
      {"new, from the mark", {}, narrow, 499, running, {}, 499, true, {{499, 499}}},
      {"new, from above the head", {}, narrow, 9'000, running, {}, 9'000, true, {}},
      {"as before", whole, narrow, {}, running, {}, 100, false, {}},
      {"narrowed", counted{wide, {}, 100}, narrow, {}, running, {}, 100, false, {}},
      {"widened", whole, wide, {}, running, {}, 500, true, {}},
      {"widened, from a block", whole, wide, 300, running, {}, 300, true, {{300, 499}}},
      {"widened, while it was read", whole, wide, {}, running, 420, 420, true, {{420, 499}}},
      {"from an earlier block", whole, narrow, 40, running, {}, 40, true, {{40, 99}}},
      {"from an earlier block, of a factory: what it made there has logs above too",
       counted{made, {}, 100},
       made,
       40,
       running,
       {},
       40,
       true,
       {{40, 499}}},
      {"from a later block", whole, narrow, 300, running, {}, 300, false, {}},
      {"from an earlier one, both above the mark",
       counted{narrow, 900, 900},
       narrow,
       800,
       running,
       {},
       800,
       true,
       {}},
      {"from below the mark, which it waited for",
       counted{narrow, 900, 900},
       narrow,
       490,
       running,
       {},
       490,
       true,
       {{490, 499}}},
      {"start_block left out later",
       counted{narrow, 40, 40},
       narrow,
       {},
       running,
       {},
       40,
       false,
       {}},
      {"resolved with the chain", counted{narrow, {}, {}}, narrow, {}, running, {}, 100, false, {}},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    const auto c = count_from(r.before, r.wanted, r.given, r.chain, r.unfinished);
    CHECK(c.now.is == r.wanted);
    CHECK(c.now.given == r.given);
    CHECK(c.now.from == r.from);
    CHECK(c.widened == r.widened);
    CHECK(c.backfill == r.backfill);
  }
}

TEST_CASE("what was widened counts again, after a fork, from where its old part did",
          "[counting]") {
  const chain_place running{100, 499};
  const auto widened = count_from(counted{narrow, {}, 100}, wide, {}, running, {}).now;
  CHECK(widened.from == 500);
  CHECK(count_after_fork(widened, 450).from == 451);
  CHECK(count_after_fork(widened, 499) == widened);
  CHECK(count_after_fork(widened, 40).from == 100); // below it nothing ever counted
  // Again: its first part is the one that counts from the lowest.
  auto forked = count_after_fork(widened, 450);
  const auto again = count_from(forked, of({}), {}, running, {}).now;
  CHECK(again.from == 500);
  CHECK(count_after_fork(again, 450).from == 451);
  CHECK(count_after_fork(again, 90).from == 100);
  // As it was before a fork, or narrowed: as before.
  CHECK(count_after_fork(count_from(forked, narrow, {}, running, {}).now, 420).from == 421);
  const counted fresh = count_from({}, narrow, {}, running, {}).now;
  CHECK(count_after_fork(fresh, 450) == fresh); // none of it counted there
  const auto given = count_from(counted{narrow, {}, 100}, wide, 600, running, {}).now;
  CHECK(count_after_fork(given, 450) == given); // the config says from where
}

TEST_CASE("once the chain's start is resolved", "[counting]") {
  CHECK(count_at_start({narrow, {}, {}}, 50).now.from == 50);
  CHECK_FALSE(count_at_start({narrow, {}, {}}, 50).backfill);
  CHECK(count_at_start({narrow, 20, 20}, 50).backfill == block_span{20, 49});
  CHECK_FALSE(count_at_start({narrow, 50, 50}, 50).backfill);
  CHECK(count_at_start({narrow, 90, 90}, 50).now.from == 90);
}

TEST_CASE("backfills go on by what was read for them", "[counting]") {
  std::vector<backfill> all{{"a", 10, 99, 10}, {"b", 10, 99, 10}, {"a", 30, 40, 30}};
  advance(all, "a", 10, 29);
  CHECK(all == std::vector<backfill>{{"a", 10, 99, 30}, {"b", 10, 99, 10}, {"a", 30, 40, 30}});
  advance(all, "a", 30, 60);
  CHECK(all == std::vector<backfill>{{"a", 10, 99, 61}, {"b", 10, 99, 10}});
  advance(all, "a", 50, 60); // an older word
  CHECK(all.front().at == 61);
  advance(all, "a", 61, 99);
  CHECK(all == std::vector<backfill>{{"b", 10, 99, 10}});
}

} // namespace
} // namespace tidemark::tide
