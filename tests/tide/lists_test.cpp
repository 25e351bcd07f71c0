// SPDX-License-Identifier: MIT
#include "tide/lists.hpp"

#include <catch2/catch.hpp>

namespace tidemark::tide {
namespace {

evm::address20 address(std::uint32_t n) {
  evm::address20 a;
  for (int i = 0; i < 4; ++i)
    a.octets[19 - i] = static_cast<std::uint8_t>(n >> 8 * i);
  return a;
}

std::shared_ptr<const address_list> list(std::vector<address_list::entry> entries) {
  return std::make_shared<const address_list>(std::move(entries));
}

TEST_CASE("a list knows what is in it, and nothing else", "[lists]") {
  CHECK_FALSE(list({})->find(address(0)));
  std::vector<address_list::entry> entries;
  for (std::uint32_t i = 0; i < 100'000; ++i)
    entries.push_back({address(2 * i), i % 7});
  const auto all = list(std::move(entries));
  CHECK(all->size() == 100'000);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const auto* found = all->find(address(i));
    wrong += (found != nullptr) != (i % 2 == 0);
    wrong += found && found->change != i / 2 % 7;
  }
  CHECK(wrong == 0);
}

TEST_CASE("from which block a log counts for its lists", "[lists]") {
  const std::vector<list_start> starts{{3, 500, false}, {5, 200, true}, {8, 900, false}};
  const auto a = list({{address(1), 0}, {address(2), 3}, {address(3), 5}, {address(4), 8}});
  const auto b = list({{address(2), 0}});
  struct row {
    const char* name;
    std::uint64_t from, base;
    std::vector<std::vector<std::shared_ptr<const address_list>>> conditions;
    std::vector<std::uint32_t> addresses; ///< one a condition
    std::optional<std::uint64_t> counts;
  };
  const row rows[] = {
      {"no list", 100, 0, {}, {}, 100},
      {"there from the first", 100, 0, {{a}}, {1}, 100},
      {"in no list", 100, 0, {{a}}, {9}, {}},
      {"added at a mark", 100, 0, {{a}}, {2}, 500},
      {"added before the subscription came", 600, 4, {{a}}, {2}, 600},
      {"added while it waits for its start", 700, 0, {{a}}, {2}, 700},
      {"added from a block", 300, 0, {{a}}, {3}, 200},
      {"both conditions have to hold", 100, 0, {{a}, {a}}, {2, 4}, 900},
      {"in one of two lists already", 100, 0, {{a, b}}, {2}, 100},
      {"one of the conditions does not hold", 100, 0, {{a}, {b}}, {2, 1}, {}},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    list_gate gate(r.from, r.base, starts);
    bool fits = true;
    for (std::size_t i = 0; i < r.conditions.size(); ++i)
      fits = gate.pass(r.conditions[i], address(r.addresses[i])) && fits;
    CHECK(fits == r.counts.has_value());
    if (fits) CHECK(gate.from() == *r.counts);
  }
}

} // namespace
} // namespace tidemark::tide
