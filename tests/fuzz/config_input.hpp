// SPDX-License-Identifier: MIT
#pragma once

#include "config/config.hpp"
#include "tests/fuzz/must.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

// What the fuzzer and its replay do with one input: read it as a config whose variables are all
// unset but one.

namespace fuzz {

inline std::optional<std::string> config_variable(const std::string& name) {
  if (name == "SET") return "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
  return std::nullopt;
}

/// True if it was a config.
inline bool config_input(std::string_view input) {
  using namespace tidemark::config;
  const std::string text(input);
  const auto read = parse(text, "/nowhere/tidemark.yaml", config_variable);
  must(read.value.has_value() == read.problems.empty());
  const auto ends = [](char c) { return c == '\n' || c == '\r'; };
  const auto lines = 2 + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), ends));
  for (const auto& p : read.problems) {
    must(!p.text.empty() && !p.to_string().empty());
    must(p.line <= lines);
  }
  const auto again = parse(text, "/nowhere/tidemark.yaml", config_variable);
  must(again.problems.size() == read.problems.size());
  return read.value.has_value();
}

} // namespace fuzz
