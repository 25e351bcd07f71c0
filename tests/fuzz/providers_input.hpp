// SPDX-License-Identifier: MIT
#pragma once

#include "providers/content_encoding.hpp"
#include "providers/provider.hpp"
#include "tests/fuzz/must.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What the fuzzer and its replay do with one input: every provider's extractor reads it as a body,
// every scheme is held against its lines as header values, and the inflater inflates it.

namespace fuzz {

using namespace tidemark::providers;

/// How many providers understood it.
inline int extract_all(std::string_view body) {
  int understood = 0;
  for (const auto& p : all()) {
    const std::string_view chain = p.chain_header.empty() ? "" : "8453";
    const auto found = extract(p, body, chain);
    if (!found) continue;
    ++understood;
    must(found->size() <= max_hints);
    for (const auto& h : *found) {
      must(!h.block_number || *h.block_number <= INT64_MAX);
      must(!h.log_index || *h.log_index <= INT32_MAX);
      must(!h.removed.value_or(false) || h.takes_back);
    }
    const auto again = extract(p, body, chain);
    must(again && *again == *found);
  }
  return understood;
}

inline void names_of(const scheme& s, std::vector<std::string>& out) {
  out.push_back(s.header);
  for (const auto& part : s.parts)
    if (part.is == signed_part::kind::header) out.push_back(part.value);
  for (const auto& other : s.or_else)
    names_of(other, out);
}

/// Nothing that was not signed is taken. The secret is none that an input could hold.
inline void verify_all(std::string_view input) {
  const std::string secrets[] = {"c2VjcmV0IG9mIG5vYm9keTogMzIgYnl0ZXMgbG9uZyE=", ""};
  for (const auto& p : all()) {
    if (!p.signs) continue;
    std::vector<std::string> names;
    names_of(*p.signs, names);
    std::vector<request_header> headers;
    auto rest = input;
    for (const auto& name : names) {
      const auto end = rest.find('\n');
      headers.push_back({name, rest.substr(0, end)});
      rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    }
    must(verify(*p.signs, secrets, {headers, input}, 0, INT64_MAX).has_value());
    (void)check_secret(*p.signs, input);
  }
}

inline void inflate_all(std::string_view body) {
  constexpr std::size_t limit = std::size_t{256} * 1024;
  for (const char* encoding : {"gzip", "deflate", "identity", ""}) {
    const auto out = inflate(encoding, body, limit);
    const auto again = inflate(encoding, body, limit);
    must(out.has_value() == again.has_value());
    if (out) must(out->size() <= limit && *out == *again);
  }
}

inline int providers_input(std::string_view input) {
  verify_all(input);
  inflate_all(input);
  return extract_all(input);
}

} // namespace fuzz
