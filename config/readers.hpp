// SPDX-License-Identifier: MIT
#pragma once

#include "config/literals.hpp"
#include "config/yaml_reader.hpp"

#include <array>
#include <limits>
#include <utility>

// From a value of the file to one of the program: each notes what is wrong and then returns
// nothing. What returns a lambda takes the range, both ends included.

namespace tidemark::config {

inline constexpr std::uint64_t kib = 1ULL << 10, mib = 1ULL << 20, gib = 1ULL << 30;

std::optional<std::string> as_text(const value& v);
/// A text that is not empty.
std::optional<std::string> as_filled(const value& v);
std::optional<std::string> as_name(const value& v);
std::optional<bool> as_flag(const value& v);
std::optional<listen_address> as_listen(const value& v);
/// A list of IP addresses and CIDRs.
std::optional<std::vector<address_range>> as_ranges(const value& v);
/// Requests a second; 0 is no limit.
std::optional<double> as_rate(const value& v);
std::optional<std::uint64_t> count_between(const value& v, std::uint64_t lowest,
                                           std::uint64_t highest);
std::optional<milliseconds> duration_between(const value& v, milliseconds lowest,
                                             milliseconds highest);
std::optional<std::uint64_t> size_between(const value& v, std::uint64_t lowest,
                                          std::uint64_t highest);
/// NAME: VALUE as an HTTP client may send them; none of those that Tidemark sends itself.
using headers = std::vector<std::pair<std::string, std::string>>;
std::optional<headers> as_headers(const value& v);
/// {cert, key}: files that can be read, the key by nobody else.
std::optional<tls_files> as_tls(const value& v);
/// {ca, cert, key}, each optional, cert and key together: the same of what a handler is shown.
std::optional<client_tls_section> as_client_tls(const value& v);
/// A secret in any of its forms (contract §2): a text, {file: PATH} or {credential: NAME}. Never
/// empty.
std::optional<std::string> as_secret(const value& v);
/// `secret` or `secrets`, of which there must be one unless it is `optional`; each in the order of
/// the file, with where it stands.
struct given_secret {
  value where;
  std::string text;
};
std::vector<given_secret> read_secrets(section& s, bool optional = false);

template <class T> auto as_count(T lowest, T highest) {
  return [=](const value& v) -> std::optional<T> {
    const auto n = count_between(v, lowest, highest);
    if (!n) return std::nullopt;
    return static_cast<T>(*n);
  };
}
inline auto as_duration(milliseconds lowest, milliseconds highest) {
  return [=](const value& v) { return duration_between(v, lowest, highest); };
}
inline auto as_size(std::uint64_t lowest, std::uint64_t highest) {
  return [=](const value& v) { return size_between(v, lowest, highest); };
}

/// One of a few words. The table must be static.
template <class T, std::size_t N> std::optional<T>
choose(const value& v, const std::array<std::pair<std::string_view, T>, N>& words) {
  const auto text = v.text();
  if (!text) return std::nullopt;
  std::string all;
  std::vector<std::string_view> names;
  for (const auto& word : words) {
    if (*text == word.first) return word.second;
    all += (all.empty() ? "" : ", ") + std::string(word.first);
    names.push_back(word.first);
  }
  v.wrong("'" + *text + "' is none of " + all + suggestion(*text, names));
  return std::nullopt;
}
template <class T, std::size_t N>
auto as_choice(const std::array<std::pair<std::string_view, T>, N>& words) {
  return [&words](const value& v) { return choose(v, words); };
}

} // namespace tidemark::config
