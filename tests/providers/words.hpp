// SPDX-License-Identifier: MIT
#pragma once

#include "providers/provider.hpp"

#include "evm/hex.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

// Payloads and what they name, as a table of short texts.

namespace tidemark::providers::testing {

// In the rows below $T, $B, $U stand for hashes, so that a row fits a line; $t is $T unquoted.
inline evm::hash32 hash(char fill) { return evm::parse_hash("0x" + std::string(64, fill)).value(); }

inline std::string with_hashes(std::string_view row) {
  std::string out;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != '$') {
      out += row[i];
      continue;
    }
    const char letter = row[++i];
    if (letter == 't') {
      out += "0x" + std::string(64, '1');
      continue;
    }
    out += "\"0x" + std::string(64, letter == 'T' ? '1' : letter == 'U' ? '2' : 'b') + '"';
  }
  return out;
}

/// What a hint says, in words: "chain/number/B/T/index", "-" for what is unknown, "!" where it was
/// removed, "?" where something else is taken back.
inline std::string words(const hint& h) {
  const auto letter = [](const std::optional<evm::hash32>& v) -> std::string {
    if (!v) return "-";
    return *v == hash('1') ? "T" : *v == hash('2') ? "U" : *v == hash('b') ? "B" : "?";
  };
  std::string out = h.network;
  if (h.chain_id) out += std::to_string(*h.chain_id);
  if (out.empty()) out = "-";
  out += "/" + (h.block_number ? std::to_string(*h.block_number) : "-");
  out += "/" + letter(h.block_hash) + "/" + letter(h.tx);
  out += "/" + (h.log_index ? std::to_string(*h.log_index) : "-");
  if (h.removed.value_or(false))
    out += "!";
  else if (h.takes_back)
    out += "?";
  return out;
}

struct row {
  std::string body;
  std::string is; ///< the hints with spaces between; "error" where it is not understood
};

inline void check(std::string_view provider, const std::vector<row>& rows) {
  const auto* p = find(provider);
  REQUIRE(p);
  for (const auto& r : rows) {
    INFO(provider << " " << r.body);
    const auto found = extract(*p, with_hashes(r.body));
    std::string got;
    if (!found)
      got = "error";
    else
      for (const auto& h : *found)
        got += (got.empty() ? "" : " ") + words(h);
    CHECK(got == r.is);
  }
}

} // namespace tidemark::providers::testing
