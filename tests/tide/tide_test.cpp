// SPDX-License-Identifier: MIT
#include "tide/tide.hpp"

#include "tide/interest.hpp"

#include <catch2/catch.hpp>

// What a Tide makes of the store's answers. What it makes of endpoints' is told by tests/sim.

using namespace tidemark;
using namespace tidemark::tide;

namespace {

evm::header block(std::uint64_t number) {
  evm::header h;
  h.number = number;
  h.hash.octets[0] = static_cast<std::uint8_t>(number);
  h.parent.octets[0] = static_cast<std::uint8_t>(number - 1);
  h.time = 12 * number;
  return h;
}

/// A chain of empty blocks up to `top`.
answer_what says(const ask_what& what, std::uint64_t top) {
  if (std::holds_alternative<ask_head>(what)) return head_answer{block(top), {}, {}};
  if (const auto* wanted = std::get_if<ask_headers>(&what)) {
    headers_answer out;
    for (auto n = wanted->from; n <= std::min(wanted->to, top); ++n)
      out.headers.push_back(block(n));
    return out;
  }
  if (const auto* wanted = std::get_if<ask_blocks>(&what)) {
    blocks_answer out;
    for (const auto& id : wanted->ids)
      out.blocks.push_back({block(id.number), {}, false, {}});
    return out;
  }
  return no_answer{"not asked for here"};
}

/// How many sets a Tide concludes, at most three, where the store answers each with `with`.
int sets_until_its_end(applied with) {
  settings s;
  s.chain_id = 1;
  boot_state from;
  from.chain_id = 1;
  from.start_block = 10;
  from.mark = block(9).id();
  tidemark::tide::tide t(s,
                         std::make_shared<interest>(1, "one", policy{}, std::vector<subscription>(),
                                                    std::vector<recipient>()),
                         from, 0);
  int sets = 0;
  auto effects = t.tick(0);
  for (millis now = 1; now < 400'000 && sets < 3 && !t.ended(); now += 1'000) {
    auto todo = std::exchange(effects, {});
    for (const auto& e : todo) {
      if (const auto* a = std::get_if<ask>(&e)) {
        effects = t.answered(
            {a->n, says(a->what, 10 + static_cast<std::uint64_t>(now) / 9'000), 0, "node", 10},
            now);
      } else if (std::holds_alternative<conclude>(e)) {
        ++sets;
        with.turn = static_cast<std::uint64_t>(sets);
        effects = t.stored(with, now);
      }
    }
    if (effects.empty()) effects = t.tick(now);
  }
  return t.ended() ? sets : -1;
}

} // namespace

TEST_CASE("a Tide ends where the store says that it counts otherwise than the Tide knows",
          "[tide]") {
  CHECK(sets_until_its_end({}) == -1);
  applied recounted;
  recounted.recounted = true;
  CHECK(sets_until_its_end(recounted) == 1);
}
