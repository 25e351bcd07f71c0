// SPDX-License-Identifier: MIT
#include "tide/retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace tidemark::tide {

namespace {

constexpr std::int64_t at_most = 3'600'000;

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t out = 0;
  const auto* end = text.data() + text.size();
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto [stop, trouble] = std::from_chars(text.data(), end, out);
  // A number that is too long is still a number.
  if (trouble == std::errc::result_out_of_range && stop == end) return INT64_MAX;
  if (trouble != std::errc{} || stop != end) return std::nullopt;
  return out;
}

std::optional<unsigned> month_of(std::string_view text) {
  static constexpr std::array<std::string_view, 12> names = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto* at = std::find(names.begin(), names.end(), text);
  if (at == names.end()) return std::nullopt;
  return static_cast<unsigned>(at - names.begin()) + 1;
}

struct words {
  std::array<std::string_view, 8> at;
  std::size_t n = 0;
};

/// Nothing where there are more than a date has.
std::optional<words> split(std::string_view text) {
  words out;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" ,-:"), text.size());
    if (end != 0) {
      if (out.n == out.at.size()) return std::nullopt;
      out.at[out.n++] = text.substr(0, end);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Unix seconds. `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
/// `Sun Nov  6 08:49:37 1994`; the weekday is not looked at.
std::optional<std::int64_t> http_date(std::string_view text, std::int64_t now_s) {
  const auto w = split(text);
  if (!w) return std::nullopt;
  const bool asctime = w->n == 7;
  if (!asctime && (w->n != 8 || w->at[7] != "GMT")) return std::nullopt;
  const auto month = month_of(w->at[asctime ? 1 : 2]);
  const auto day = digits(w->at[asctime ? 2 : 1]);
  auto year = digits(w->at[asctime ? 6 : 3]);
  const std::size_t clock = asctime ? 3 : 4;
  const auto h = digits(w->at[clock]), m = digits(w->at[clock + 1]), s = digits(w->at[clock + 2]);
  if (!month || !day || !year || !h || !m || !s) return std::nullopt;
  if (*day > 31 || *year > 9999 || *h > 23 || *m > 59 || *s > 60) return std::nullopt;
  using namespace std::chrono;
  if (w->at[asctime ? 6 : 3].size() == 2) {
    // Two digits more than 50 years ahead are of the past (RFC 9110 §5.6.7).
    const auto today = year_month_day{floor<days>(sys_seconds{seconds{now_s}})};
    const std::int64_t this_year = static_cast<int>(today.year());
    *year += this_year / 100 * 100;
    if (*year > this_year + 50) *year -= 100;
  }
  const year_month_day date{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month},
                            std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return sys_days{date}.time_since_epoch().count() * 86'400LL + *h * 3'600 + *m * 60 + *s;
}

} // namespace

std::optional<std::int64_t> parse_retry_after(std::string_view value, std::int64_t now) {
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
    value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t'))
    value.remove_suffix(1);
  if (const auto seconds = digits(value)) return std::min(*seconds, at_most / 1'000) * 1'000;
  const auto date = http_date(value, now / 1'000);
  if (!date) return std::nullopt;
  return std::clamp<std::int64_t>(*date * 1'000 - now, 0, at_most);
}

} // namespace tidemark::tide
