// SPDX-License-Identifier: MIT
#include "providers/reading.hpp"

namespace tidemark::providers {

namespace json = boost::json;

evm::result<void> add(hints& out, const hint_fields& fields) {
  if (fields.trouble) return *fields.trouble;
  out.push_back(fields.into);
  return {};
}

evm::result<void> read_each(const json::value& list, const hint& outer, hints& out, reader read) {
  if (list.is_null()) return {};
  const auto* array = list.if_array();
  if (!array) return evm::fail("a list is expected");
  for (const auto& one : *array) {
    if (!one.is_object()) return evm::fail("a list has an element that is no object");
    if (auto done = read(one, outer, out); !done) return done;
  }
  return {};
}

evm::result<void> read_each(const json::value& of, std::string_view name, const hint& outer,
                            hints& out, reader read) {
  const auto* list = member(of, name);
  return list ? read_each(*list, outer, out, read) : evm::result<void>{};
}

evm::result<void> read_one_or_many(const json::value& v, const hint& outer, hints& out,
                                   reader read) {
  return v.is_object() ? read(v, outer, out) : read_each(v, outer, out, read);
}

} // namespace tidemark::providers
