// SPDX-License-Identifier: MIT
#include "providers/signed_time.hpp"

#include <array>
#include <charconv>

namespace tidemark::providers {

namespace {

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, out);
  if (trouble != std::errc{} || stop != end) return std::nullopt;
  if (text.front() == '-' || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  return out;
}

/// Takes what a pattern names off the front: 0 is a digit, anything else stands for itself.
class cutter {
public:
  explicit cutter(std::string_view text) : rest_(text) {}

  std::optional<int> number(std::size_t length) {
    if (rest_.size() < length) return std::nullopt;
    int out = 0;
    for (const char c : rest_.substr(0, length)) {
      if (c < '0' || c > '9') return std::nullopt;
      out = out * 10 + (c - '0');
    }
    rest_.remove_prefix(length);
    return out;
  }
  bool text(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  void skip_fraction() {
    if (!text(".")) return;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9')
      rest_.remove_prefix(1);
  }
  std::optional<int> month() {
    static constexpr std::array<std::string_view, 12> names = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (text(names[i])) return static_cast<int>(i) + 1;
    return std::nullopt;
  }
  std::string_view rest() const { return rest_; }

private:
  std::string_view rest_;
};

struct calendar {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

/// Days since 1970 in the Gregorian calendar, counted in eras of 400 years.
std::int64_t days(const calendar& c) {
  const std::int64_t year = c.month <= 2 ? c.year - 1 : c.year;
  const std::int64_t era = year / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (c.month + (c.month > 2 ? -3 : 9)) + 2) / 5 + c.day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

std::optional<std::int64_t> seconds(const calendar& c) {
  if (c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31 || c.hour > 23 || c.minute > 59 ||
      c.second > 60)
    return std::nullopt;
  return days(c) * 86'400 + c.hour * 3'600L + c.minute * 60L + c.second;
}

bool read_clock(cutter& t, calendar& c) {
  const auto hour = t.number(2);
  if (!hour || !t.text(":")) return false;
  const auto minute = t.number(2);
  if (!minute || !t.text(":")) return false;
  const auto second = t.number(2);
  if (!second) return false;
  c.hour = *hour;
  c.minute = *minute;
  c.second = *second;
  return true;
}

/// IMF-fixdate: Thu, 01 Jan 2026 00:00:00 GMT
std::optional<std::int64_t> http_date(std::string_view text) {
  const auto comma = text.find(", ");
  if (comma != 3) return std::nullopt;
  cutter t{text.substr(comma + 2)};
  const auto day = t.number(2);
  if (!day || !t.text(" ")) return std::nullopt;
  const auto month = t.month();
  if (!month || !t.text(" ")) return std::nullopt;
  const auto year = t.number(4);
  if (!year || !t.text(" ")) return std::nullopt;
  calendar c{*year, *month, *day};
  if (!read_clock(t, c) || t.rest() != " GMT") return std::nullopt;
  return seconds(c);
}

/// 2026-01-01 00:00:00.38 +0000 UTC m=+12.3, of which zone's name and monotonic clock say nothing.
std::optional<std::int64_t> go_time(std::string_view text) {
  cutter t{text};
  const auto year = t.number(4);
  if (!year || !t.text("-")) return std::nullopt;
  const auto month = t.number(2);
  if (!month || !t.text("-")) return std::nullopt;
  const auto day = t.number(2);
  if (!day || !t.text(" ")) return std::nullopt;
  calendar c{*year, *month, *day};
  if (!read_clock(t, c)) return std::nullopt;
  t.skip_fraction();
  if (!t.text(" ")) return std::nullopt;
  const bool west = t.text("-");
  if (!west && !t.text("+")) return std::nullopt;
  const auto hours = t.number(2);
  const auto minutes = t.number(2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto local = seconds(c);
  if (!local) return std::nullopt;
  const std::int64_t offset = *hours * 3'600 + *minutes * 60;
  return west ? *local + offset : *local - offset;
}

} // namespace

std::optional<std::int64_t> read_time(signed_time::form as, std::string_view text) {
  if (as == signed_time::form::date) {
    const auto http = http_date(text);
    return http ? http : go_time(text);
  }
  const auto n = digits(text);
  if (!n) return std::nullopt;
  return as == signed_time::form::milliseconds ? *n / 1'000 : *n;
}

} // namespace tidemark::providers
