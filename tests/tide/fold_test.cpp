// SPDX-License-Identifier: MIT
#include "tide/fold.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using namespace tidemark::tide;

namespace {

evm::block_id block(std::uint64_t number, std::uint8_t fork) {
  evm::block_id b;
  b.number = number;
  b.hash.octets[0] = fork;
  return b;
}

const evm::block_id a = block(100, 1), b = block(100, 2), later = block(103, 3);
constexpr std::uint64_t same = 7, other = 8;
const chain_view deep{.head = 112, .safe = {}, .finalized = {}};
const chain_view shallow{.head = 111, .safe = {}, .finalized = {}};

sighting seen(const evm::block_id& where, std::uint64_t digest = same) {
  sighting s;
  s.block = where;
  s.digest = digest;
  s.asks = {.blocks = 12};
  return s;
}
event_row row(status s, const evm::block_id& where, why undone = why::none,
              std::uint64_t blocks = 12) {
  return {
      .status = s, .block = where, .digest = same, .asks = {.blocks = blocks}, .undone = undone};
}

struct fold_case {
  const char* name;
  std::optional<event_row> have;
  sighting log;
  reading how;
  const chain_view& view;
  bool left;
  folded want;
};

const folded nothing{}, opens{.opens = true}, opens_confirmed{.opens = true, .confirms = true},
    confirms{.confirms = true}, read_whole{.dispute = dispute::read_whole},
    left_first{.dispute = dispute::left}, second{.dispute = dispute::second};

} // namespace

TEST_CASE("a log against its row", "[fold]") {
  const auto c = status::confirmed, p = status::pending, r = status::rolled_back;
  const fold_case cases[] = {
      {"new at the head", {}, seen(a), reading::saw, shallow, false, opens},
      {"new at the head, however deep, is only pending",
       {},
       seen(a),
       reading::saw,
       deep,
       false,
       opens},
      {"new to a second reading within max_depth",
       {},
       seen(a),
       reading::shown,
       deep,
       false,
       read_whole},
      {"new and settled", {}, seen(a), reading::settled, deep, false, opens_confirmed},
      {"new and settled, but more is asked", {}, seen(a), reading::settled, shallow, false, opens},
      {"new and proved", {}, seen(a), reading::proved, deep, false, opens_confirmed},
      {"new and proved, not deep enough", {}, seen(a), reading::proved, shallow, false, opens},
      {"seen twice", row(p, a), seen(a), reading::saw, deep, false, nothing},
      {"confirmed, seen again", row(c, a), seen(a), reading::saw, deep, false, nothing},
      {"shown and deep enough", row(p, a), seen(a), reading::shown, deep, false, confirms},
      {"shown too early", row(p, a), seen(a), reading::shown, shallow, false, nothing},
      {"shown, the row asks for more", row(p, a, why::none, 13), seen(a), reading::shown, deep,
       false, nothing},
      {"shown again when confirmed", row(c, a), seen(a), reading::shown, deep, false, nothing},
      {"settled", row(p, a), seen(a), reading::settled, deep, false, confirms},
      {"proved", row(p, a), seen(a), reading::proved, deep, false, confirms},
      {"another content at the head", row(p, a), seen(a, other), reading::saw, deep, false,
       read_whole},
      {"another content shown", row(c, a), seen(a, other), reading::shown, deep, false, read_whole},
      {"another content settled", row(c, a), seen(a, other), reading::settled, deep, false,
       read_whole},
      {"another content proved",
       row(c, a),
       seen(a, other),
       reading::proved,
       deep,
       false,
       {.corrects = true, .opens = true, .confirms = true}},
      {"another content proved, shallow",
       row(p, a),
       seen(a, other),
       reading::proved,
       shallow,
       false,
       {.corrects = true, .opens = true}},
      {"mined again, the old block has left", row(p, a), seen(later), reading::saw, deep, true,
       left_first},
      {"confirmed, mined again, the old block has left", row(c, a), seen(b), reading::shown, deep,
       true, left_first},
      {"in two canonical blocks", row(p, a), seen(later), reading::saw, deep, false, second},
      {"in two canonical blocks, confirmed", row(c, a), seen(later), reading::proved, deep, false,
       second},
      {"opened again in another block", row(r, a, why::reorg), seen(b), reading::saw, shallow,
       false, opens},
      {"opened again in the same block after a reorg", row(r, a, why::reorg), seen(a), reading::saw,
       shallow, false, opens},
      {"denied by a proof, seen again there", row(r, a, why::corrected), seen(a), reading::saw,
       shallow, false, read_whole},
      {"denied by a proof, seen elsewhere", row(r, a, why::corrected), seen(b), reading::saw,
       shallow, false, opens},
      {"rolled back, shown", row(r, a, why::reorg), seen(a), reading::shown, deep, false,
       read_whole},
      {"rolled back, settled", row(r, a, why::reorg), seen(a), reading::settled, deep, false,
       opens_confirmed},
      {"rolled back, proved", row(r, a, why::corrected), seen(a), reading::proved, deep, false,
       opens_confirmed},
      {"rolled back, proved, shallow", row(r, a, why::reorg), seen(b), reading::proved, shallow,
       false, opens},
  };
  for (const fold_case& one : cases) {
    INFO(one.name);
    CHECK(fold(one.have, one.log, one.how, one.view, one.left) == one.want);
  }
}

TEST_CASE("a tag that is asked for has to be there", "[fold]") {
  sighting s = seen(a);
  s.asks.at_least = tag::finalized;
  chain_view view = deep;
  CHECK(fold(row(status::pending, a), s, reading::shown, view, false) == nothing);
  view.finalized = 99;
  CHECK(fold(row(status::pending, a), s, reading::shown, view, false) == nothing);
  view.finalized = 100;
  CHECK(fold(row(status::pending, a), s, reading::shown, view, false) == confirms);
}

TEST_CASE("a row without its log", "[fold]") {
  struct absent_case {
    status s;
    reading how;
    folded want;
  };
  const folded corrected{.corrects = true};
  const absent_case cases[] = {
      {status::pending, reading::saw, nothing},
      {status::pending, reading::shown, read_whole},
      {status::pending, reading::settled, read_whole},
      {status::pending, reading::proved, corrected},
      {status::confirmed, reading::shown, read_whole},
      {status::confirmed, reading::proved, corrected},
      {status::rolled_back, reading::shown, nothing},
      {status::rolled_back, reading::proved, nothing},
  };
  for (const absent_case& one : cases) {
    INFO(static_cast<int>(one.s) << " " << static_cast<int>(one.how));
    CHECK(fold_absent(row(one.s, a), one.how) == one.want);
  }
}
