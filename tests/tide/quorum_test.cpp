// SPDX-License-Identifier: MIT
#include "tide/quorum.hpp"

#include "tests/tide/rpc_world.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;
using namespace tidemark::rpc_test;

namespace {

vote vote_of(std::size_t endpoint, std::uint64_t head,
             std::optional<std::uint64_t> finalized = {}) {
  vote v;
  v.endpoint = endpoint;
  v.endpoint_name = std::string(1, static_cast<char>('a' + endpoint));
  v.says.head = block_of(head).header;
  if (finalized) v.says.finalized = id_of(*finalized);
  return v;
}
vote names(std::size_t endpoint, char branch) {
  auto v = vote_of(endpoint, 20);
  v.there = block_of(10, 0, branch).header;
  return v;
}

} // namespace

TEST_CASE("quorum: the height is what so many endpoints have reached") {
  const std::vector<vote> votes{vote_of(0, 30, 12), vote_of(1, 27, 15), vote_of(2, 29)};
  const auto heads = [&](std::size_t q) { return count_heads(votes, q, false)->head.number; };
  CHECK(heads(1) == 30);
  CHECK(heads(2) == 29);
  CHECK(heads(3) == 27);
  CHECK_FALSE(count_heads(votes, 4, false));
  CHECK(count_heads(votes, 2, false)->finalized == id_of(12));
  CHECK_FALSE(count_heads(votes, 3, false)->finalized); // only two can say
  CHECK_FALSE(count_heads(votes, 1, false)->safe);
  const std::vector<vote> at_head{vote_of(0, 30, 30)};
  CHECK_FALSE(count_heads(at_head, 1, false)->finalized);
  CHECK(count_heads(at_head, 1, true)->finalized == id_of(30));
  // Of those at that height the block that most name, whoever is asked first.
  auto odd = vote_of(0, 27, 12);
  odd.says.head.hash = hash_of(27, 'B');
  odd.says.finalized->hash = hash_of(12, 'B');
  const std::vector<vote> differ{vote_of(1, 27, 12), odd, vote_of(2, 27, 12)};
  CHECK(count_heads(differ, 2, false)->head.hash == hash_of(27, 'A'));
  CHECK(count_heads(differ, 2, false)->finalized == id_of(12));
  CHECK(first_as_far_as(votes, 29).endpoint == 0);
  CHECK(first_as_far_as({vote_of(0, 3), vote_of(1, 9)}, 5).endpoint == 1);
}

TEST_CASE("quorum: agreeing, outvoted, and neither") {
  auto silent = vote_of(3, 9); // not there yet: no word
  const auto how = stand({names(0, 'A'), names(1, 'A'), names(2, 'B'), silent}, id_of(10), 2);
  CHECK(how.agree == 2);
  CHECK_FALSE(how.outvoted_by);
  CHECK(how.others.find("c names 0x") != std::string::npos);
  CHECK(how.others.find("d has none there") != std::string::npos);
  const auto lost = stand({names(0, 'A'), names(1, 'B'), names(2, 'B')}, id_of(10), 2);
  CHECK(lost.agree == 1);
  CHECK(lost.outvoted_by == hash_of(10, 'B'));
  const auto split = stand({names(0, 'A'), names(1, 'B'), names(2, 'C')}, id_of(10), 2);
  CHECK(split.agree == 1);
  CHECK_FALSE(split.outvoted_by);
}

TEST_CASE("who is alone a poll later loses its turn; who was alone at another time does not") {
  constexpr std::int64_t poll = 4'000, minute = 60'000;
  loners l;
  CHECK_FALSE(l.still_alone(1, 0, poll));
  CHECK_FALSE(l.still_alone(1, poll - 1, poll));
  CHECK_FALSE(l.still_alone(2, poll, poll));
  CHECK(l.still_alone(1, poll, poll));
  CHECK_FALSE(l.still_alone(1, poll + 1, poll)); // anew
  l.agreed(1);
  CHECK_FALSE(l.still_alone(1, 2 * poll + 1, poll));
  // An hour later it is alone once more, and again a poll after that.
  CHECK_FALSE(l.still_alone(1, 60 * minute, poll));
  CHECK(l.still_alone(1, 60 * minute + poll, poll));
  // Where polls are rare, so are looks.
  CHECK_FALSE(l.still_alone(3, 0, 10 * minute));
  CHECK(l.still_alone(3, 30 * minute, 10 * minute));
}
