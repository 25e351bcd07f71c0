// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

namespace tidemark::config::testing {

/// The environment of a test; `environment` is a plain function, so it is here.
inline std::map<std::string, std::string> variables;

inline std::optional<std::string> look_up(const std::string& name) {
  const auto found = variables.find(name);
  if (found == variables.end()) return std::nullopt;
  return found->second;
}

inline loaded parsed(const std::string& text) { return parse(text, "t.yaml", look_up); }

/// Every problem, one a line.
inline std::string problems_of(const loaded& l) {
  std::string out;
  for (const auto& p : l.problems)
    out += p.to_string() + '\n';
  return out;
}

inline std::string warnings_of(const loaded& l) {
  std::string out;
  for (const auto& p : l.warnings)
    out += p.to_string() + '\n';
  return out;
}

inline const char* const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// A chain, on line 1 to 5, that has nothing wrong with it.
inline const std::string one_chain = "chains:\n"
                                     "  - name: ethereum\n"
                                     "    id: 1\n"
                                     "    rpc: [http://127.0.0.1:8545]\n"
                                     "    confirmations: 12\n";

/// A config that is wrong.
struct bad {
  const char* name;
  std::string text;
  const char* expected; ///< every problem, as it is printed
};

/// With `one_chain` before it, a row begins in line 6.
inline void check_all(const std::string& before, const std::vector<bad>& rows) {
  variables.clear();
  for (const auto& row : rows) {
    INFO(row.name);
    const auto l = parsed(before + row.text);
    CHECK(problems_of(l) == row.expected);
    CHECK_FALSE(l.value);
  }
}

} // namespace tidemark::config::testing
