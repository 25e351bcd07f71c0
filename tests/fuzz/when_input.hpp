// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"
#include "tests/fuzz/must.hpp"
#include "tide/retry_after.hpp"
#include "tide/when.hpp"

#include <string_view>
#include <vector>

// What the fuzzer and its replay do with one input: read it as a `when` over arguments of every
// type, and as a Retry-After.

namespace fuzz {

inline const std::vector<tidemark::evm::abi_parameter>& when_names() {
  static const auto event = tidemark::evm::parse_event(
      "E(uint256 value, int256 delta, uint8 small, address from, bool open, bytes4 tag, bytes "
      "blob, "
      "string note, string indexed name, (address maker, uint128 price, (bool, int8) inner) order, "
      "uint256[] ids)");
  return event->inputs;
}

/// True if it was an expression.
inline bool when_input(std::string_view text) {
  using namespace tidemark;
  if (const auto wait = tide::parse_retry_after(text, 1'700'000'000'000))
    must(*wait >= 0 && *wait <= 3'600'000);
  const auto expression = tide::parse_when(text, when_names());
  if (!expression) {
    must(expression.error().at <= text.size() && !expression.error().text.empty());
    return false;
  }
  must(expression->text() == text);
  // Of arguments that nobody knows it says something only where no value could change that.
  const std::vector<const evm::abi_value*> unknown(when_names().size(), nullptr);
  (void)expression->holds(unknown);
  const auto again = tide::parse_when(expression->text(), when_names());
  must(again && *again == *expression);
  return true;
}

} // namespace fuzz
