// SPDX-License-Identifier: MIT
#include "tide/write_set.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;

namespace {

evm::block_id block(std::uint64_t n, std::uint8_t branch = 0) {
  evm::block_id id{n, {}};
  id.hash.octets.front() = branch;
  return id;
}

} // namespace

TEST_CASE("where the mark stands after a fork") {
  struct row {
    const char* name;
    evm::block_id mark, ancestor, after;
  };
  const row rows[] = {
      // the chain counts from 10
      {"above the mark", block(20), block(22), block(20)},
      {"below it", block(20), block(15), block(15)},
      {"in its block", block(20), block(20), block(20)},
      {"another block before the start", block(9), block(9, 1), block(9, 1)},
      {"a block where the height before the start was void", block(8), block(9, 1), block(9, 1)},
      {"the start's own block", block(9), block(10), block(9)},
  };
  for (const auto& r : rows) {
    CAPTURE(r.name);
    CHECK(tide::mark_after(r.mark, r.ancestor, 10) == r.after);
  }
}
