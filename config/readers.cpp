// SPDX-License-Identifier: MIT
#include "config/readers.hpp"

#include <algorithm>
#include <set>

namespace tidemark::config {
namespace {

/// Text by a parser; what it says is noted.
template <class Parse> auto parsed(const value& v, const Parse& parse) {
  using result = decltype(parse(std::string_view{}));
  std::optional<typename result::value_type> out;
  const auto text = v.text();
  if (!text) return out;
  auto read = parse(*text);
  if (read)
    out = std::move(*read);
  else
    v.wrong(read.error().text);
  return out;
}

template <class T, class Show> std::optional<T> in_range(const value& v, std::optional<T> n,
                                                         T lowest, T highest, const Show& show) {
  if (!n || (*n >= lowest && *n <= highest)) return n;
  v.wrong("out of range: " + show(lowest) + " to " + show(highest));
  return std::nullopt;
}

bool is_our_header(std::string_view lower) {
  for (const std::string_view prefix : {"webhook-", "tidemark-", "sec-websocket-"}) {
    if (lower.substr(0, prefix.size()) == prefix) return true;
  }
  for (const std::string_view name :
       {"host", "content-type", "content-length", "content-encoding", "transfer-encoding",
        "connection", "keep-alive", "upgrade", "te", "trailer", "expect", "user-agent"}) {
    if (lower == name) return true;
  }
  return false;
}

} // namespace

std::optional<std::string> as_text(const value& v) { return v.text(); }

std::optional<std::string> as_filled(const value& v) {
  auto text = v.text();
  if (text && text->empty()) {
    v.wrong("is empty");
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> as_name(const value& v) {
  auto text = v.text();
  if (text && !is_name(*text)) {
    v.wrong(
        "a name has 1 to 64 letters, digits, '-', '_' or '.', and begins with a letter or digit");
    return std::nullopt;
  }
  return text;
}

std::optional<bool> as_flag(const value& v) {
  static constexpr std::array<std::pair<std::string_view, bool>, 2> words{
      {{"true", true}, {"false", false}}};
  return choose(v, words);
}

std::optional<listen_address> as_listen(const value& v) { return parsed(v, parse_listen); }

std::optional<std::vector<address_range>> as_ranges(const value& v) {
  std::vector<address_range> out;
  for (const auto& item : v.items()) {
    const auto text = as_filled(item);
    if (!text) continue;
    if (const auto range = parse_range(*text))
      out.push_back(*range);
    else
      item.wrong(
          "expected an IP address or a CIDR such as 10.0.0.0/8 or 2001:db8::/32, without bits "
          "behind its length");
  }
  return out;
}

std::optional<double> as_rate(const value& v) {
  return in_range(v, parsed(v, parse_rate), 0.0, 1e6,
                  [](double n) { return std::to_string(static_cast<int>(n)); });
}

std::optional<std::uint64_t> count_between(const value& v, std::uint64_t lowest,
                                           std::uint64_t highest) {
  return in_range(v, parsed(v, parse_count), lowest, highest,
                  [](std::uint64_t n) { return std::to_string(n); });
}

std::optional<milliseconds> duration_between(const value& v, milliseconds lowest,
                                             milliseconds highest) {
  return in_range(v, parsed(v, parse_duration), lowest, highest,
                  [](milliseconds d) { return to_text(d); });
}

std::optional<std::uint64_t> size_between(const value& v, std::uint64_t lowest,
                                          std::uint64_t highest) {
  return in_range(v, parsed(v, parse_size), lowest, highest, size_to_text);
}

std::optional<headers> as_headers(const value& v) {
  headers out;
  std::set<std::string> seen;
  for (const auto& m : v.members()) {
    const auto text = m.of.text();
    if (!text) continue;
    const auto lower = to_lower(m.key);
    if (!is_header_name(m.key))
      v.in().wrong(m.key_at, m.of.path() + ": is no name of a header");
    else if (is_our_header(lower))
      v.in().wrong(m.key_at, m.of.path() + ": is set by Tidemark itself");
    else if (!seen.insert(lower).second)
      v.in().wrong(m.key_at, m.of.path() + ": is there twice");
    else if (!is_header_value(*text))
      m.of.wrong("a header's value has no line breaks and at most 8192 bytes");
    else
      out.emplace_back(m.key, *text);
  }
  return out;
}

} // namespace tidemark::config
