// SPDX-License-Identifier: MIT
#include "config/literals.hpp"

#include "evm/abi.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace tidemark::config {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};
constexpr std::array<unit, 5> duration_units{
    {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
constexpr std::array<unit, 5> size_units{
    {{"", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {"TiB", 1ULL << 40}}};
constexpr std::uint64_t hundred_years = 36'525ULL * 86'400'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A whole number and one of `units`; nothing where it is none, or above `most`.
template <std::size_t N> std::optional<std::uint64_t>
with_unit(std::string_view text, const std::array<unit, N>& units, std::uint64_t most) {
  const auto digits = static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '_'; }) -
      text.begin());
  const auto named = std::find_if(units.begin(), units.end(),
                                  [&](const unit& u) { return u.name == text.substr(digits); });
  if (named == units.end()) return std::nullopt;
  const auto n = parse_count(text.substr(0, digits));
  if (!n || *n > most / named->factor) return std::nullopt;
  return *n * named->factor;
}

/// The largest unit that says it without a rest.
template <std::size_t N>
std::string in_largest_unit(std::uint64_t n, const std::array<unit, N>& units) {
  auto best = units.front();
  for (const auto& u : units) {
    if (n != 0 && n % u.factor == 0) best = u;
  }
  return std::to_string(n / best.factor) + std::string(best.name);
}

} // namespace

evm::result<std::uint64_t> parse_count(std::string_view text) {
  evm::abi_type uint64;
  uint64.size = 64;
  const auto value = evm::parse_value(uint64, text);
  const bool wei = text.find_first_of(".wt") != text.npos; // gwei, ether and parts of them
  if (!value || wei) return evm::fail("expected a whole number, such as 12 or 1_000");
  return static_cast<std::uint64_t>(std::get<evm::integer>(value->is));
}

evm::result<double> parse_rate(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return c != '_'; });
  double n = 0;
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, n);
  if (digits.empty() || !is_digit(digits[0]) || read.ec != std::errc{} || read.ptr != end) {
    return evm::fail("expected a number, such as 25 or 0.5");
  }
  return n;
}

evm::result<milliseconds> parse_duration(std::string_view text) {
  if (const auto n = with_unit(text, duration_units, hundred_years)) {
    return milliseconds(static_cast<std::int64_t>(*n));
  }
  return evm::fail("expected a duration, such as 250ms, 4s, 1m, 12h or 7d");
}

std::string to_text(milliseconds d) {
  if (d.count() == 0) return "0s";
  return in_largest_unit(static_cast<std::uint64_t>(d.count()), duration_units);
}

evm::result<std::uint64_t> parse_size(std::string_view text) {
  if (const auto n = with_unit(text, size_units, std::numeric_limits<std::int64_t>::max()))
    return *n;
  return evm::fail("expected a size, such as 65536, 512KiB, 4MiB or 1GiB");
}

std::string size_to_text(std::uint64_t bytes) { return in_largest_unit(bytes, size_units); }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && (is_letter(text[0]) || is_digit(text[0])) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
         });
}

bool is_header_name(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && text.size() <= 256 && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || marks.find(c) != marks.npos;
  });
}

bool is_header_value(std::string_view text) {
  return text.size() <= 8'192 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= ' ' && c != '\x7f') || c == '\t' || static_cast<unsigned char>(c) >= 0x80;
         });
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<std::size_t> base64_size(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=')
    ++padding;
  const auto digits = text.substr(0, text.size() - padding);
  const bool right = std::all_of(digits.begin(), digits.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '/';
  });
  if (!right) return std::nullopt;
  return text.size() / 4 * 3 - padding;
}

} // namespace tidemark::config
