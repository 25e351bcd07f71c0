// SPDX-License-Identifier: MIT
#pragma once

#include "tests/fuzz/must.hpp"
#include "tide/reading.hpp"
#include "tide/rpc_json.hpp"
#include "tide/rpc_wire.hpp"

#include <cstdint>
#include <string_view>

// What the fuzzer and its replay do with one input: an octet that says how many calls were made and
// under which HTTP status the rest came, which is read as the answer of an endpoint, and each
// result as everything that a result can be.

namespace fuzz {

/// How many headers, logs and receipts it was.
inline int rpc_value(const boost::json::value& v) {
  using namespace tidemark::tide;
  int good = 0;
  if (const auto header = header_from(v)) ++good;
  if (const auto sealed = header_from(v, true)) {
    ++good;
    must(header_from(v).has_value()); // the stricter reading takes no more
  }
  if (const auto log = log_from(v)) {
    ++good;
    must(log->topics.size() <= 4);
  }
  if (const auto receipt = receipt_from(v)) ++good;
  return good;
}

inline int rpc_input(std::string_view input) {
  using namespace tidemark::tide;
  if (input.empty()) return 0;
  constexpr int statuses[] = {200, 400, 429, 500};
  const auto first = static_cast<std::uint8_t>(input[0]);
  const std::size_t calls = first / 4 % 8 + 1;
  const rpc_reply reply(input.substr(1), statuses[first % 4], calls);
  if (!reply.whole()) must(reply.results().size() == calls);
  must(reply.results().size() <= calls && reply.missing() <= calls);
  int good = 0;
  for (const auto& result : reply.results()) {
    if (result.value == nullptr) {
      const auto means = classify(result.error);
      must(!to_text(means).empty());
      if (const auto span = span_hint(result.error, 2000)) must(*span <= 2000);
      (void)excess_of(result.error);
      continue;
    }
    good += rpc_value(*result.value);
    if (const auto* list = result.value->if_array())
      for (const auto& one : *list)
        good += rpc_value(one);
  }
  return good;
}

} // namespace fuzz
