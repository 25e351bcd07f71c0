// SPDX-License-Identifier: MIT
#include "store/reading.hpp"

namespace tidemark::store {

result<page<list_row>> reader::list(const std::string& name, const page_request& p) {
  return reading(*parts_, [&](connection& db) {
    statement entries(db,
                      "SELECT e.id, e.address, e.change FROM names n"
                      " CROSS JOIN list_entries e INDEXED BY list_entries_list ON e.list = n.id"
                      " WHERE n.kind = ? AND n.name = ? AND e.id < ? ORDER BY e.id DESC LIMIT ?");
    statement starts(db, "SELECT c.chain_id, l.from_block FROM chains c"
                         " CROSS JOIN list_changes l ON l.chain = c.chain WHERE l.change = ?");
    rows r = entries.query(tide::name_kind::list, name, below(p), rows_of(p) + 1);
    return read_page<list_row>(r, rows_of(p), [&](const rows& row) {
      list_row out;
      out.address = row.fixed<evm::address20::size>(1);
      for (rows s = starts.query(row.i64(2)); s.next();)
        out.from.emplace(s.u64(0), s.u64(1));
      return out;
    });
  });
}

result<std::uint64_t> reader::list_size(const std::string& name) {
  return reading(*parts_, [&](connection& db) -> std::uint64_t {
    statement count(db, "SELECT count(*) FROM names n CROSS JOIN list_entries e ON e.list = n.id"
                        " WHERE n.kind = ? AND n.name = ?");
    rows r = count.query(tide::name_kind::list, name);
    return r.next() ? r.u64(0) : 0;
  });
}

} // namespace tidemark::store
