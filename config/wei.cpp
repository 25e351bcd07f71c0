// SPDX-License-Identifier: MIT
#include "config/literals.hpp"

#include <algorithm>
#include <array>

namespace tidemark::config {
namespace {

struct unit {
  std::string_view name;
  std::size_t zeros; ///< of it in wei
};
constexpr std::array<unit, 3> units{{{"gwei", 9}, {"ether", 18}, {"wei", 0}}};

constexpr const char* expected =
    "expected an amount of wei: 1000, 1e18, 5gwei or 0.05ether, below 2^256";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

evm::result<evm::integer> parse_wei(std::string_view text) {
  evm::abi_type uint256;
  uint256.size = 256;
  std::string digits(text);
  const auto named = std::find_if(units.begin(), units.end(), [&](const unit& u) {
    return text.size() > u.name.size() && text.substr(text.size() - u.name.size()) == u.name &&
           is_digit(text[text.size() - u.name.size() - 1]);
  });
  if (named != units.end()) {
    digits.resize(text.size() - named->name.size());
    const auto point = digits.find('.');
    std::size_t decimals = 0;
    if (point != std::string::npos) {
      decimals = digits.size() - point - 1;
      const bool whole = point > 0 && is_digit(digits[point - 1]) && decimals > 0;
      if (!whole || decimals > named->zeros ||
          !std::all_of(digits.begin() + static_cast<std::ptrdiff_t>(point) + 1, digits.end(),
                       is_digit))
        return evm::fail(expected);
      digits.erase(point, 1);
    }
    // No exponent or 0x beside a unit.
    if (!std::all_of(digits.begin(), digits.end(), [](char c) { return is_digit(c) || c == '_'; }))
      return evm::fail(expected);
    digits.append(named->zeros - decimals, '0');
  }
  auto value = evm::parse_value(uint256, digits);
  if (!value) return evm::fail(expected);
  return std::get<evm::integer>(value->is);
}

} // namespace tidemark::config
