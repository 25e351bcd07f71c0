// SPDX-License-Identifier: MIT
#include "store/reading.hpp"

namespace tidemark::store {

result<std::vector<block_row>> reader::blocks(std::uint64_t chain_id, std::uint64_t from,
                                              std::uint64_t to) {
  return reading(*parts_, [&](connection& db) {
    statement all(db, "SELECT number, hash, parent, time, canonical FROM blocks"
                      " WHERE chain = (SELECT chain FROM chains WHERE chain_id = ?)"
                      " AND number BETWEEN ? AND ? ORDER BY number DESC, canonical DESC, hash");
    std::vector<block_row> found;
    for (rows r = all.query(chain_id, from, to); r.next();)
      found.push_back({{r.u64(0), r.hash(1)}, r.hash(2), r.u64(3), r.i64(4) != 0});
    return found;
  });
}

} // namespace tidemark::store
