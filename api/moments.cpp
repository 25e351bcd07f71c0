// SPDX-License-Identifier: MIT
#include "api/moments.hpp"

#include <charconv>
#include <chrono>

namespace tidemark::api {
namespace {

/// `count` digits at the front, taken off.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int n = 0;
  if (text.size() < count || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto read = std::from_chars(text.data(), text.data() + count, n);
  if (read.ec != std::errc{} || read.ptr != text.data() + count) return std::nullopt;
  text.remove_prefix(count);
  return n;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == any_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

/// `.250`, as ms; further digits are cut.
int take_fraction(std::string_view& text) {
  if (!take(text, ".")) return 0;
  int ms = 0, unit = 100;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    ms += (text[0] - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return ms;
}

/// `Z` or `+01:30`, in minutes.
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, "Zz")) return 0;
  const bool behind = !text.empty() && text[0] == '-';
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (behind ? -1 : 1) * (*hours * 60 + *minutes);
}

} // namespace

std::optional<std::int64_t> parse_moment(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  std::int64_t ms = static_cast<std::int64_t>(days) * 86'400'000;
  if (text.empty()) return ms;
  if (!take(text, "Tt ")) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  ms += ((*hour * 60 + *minute) * 60 + *second) * std::int64_t{1'000} + take_fraction(text);
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return ms - std::int64_t{*offset} * 60'000;
}

} // namespace tidemark::api
