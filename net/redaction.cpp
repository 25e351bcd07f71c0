// SPDX-License-Identifier: MIT
#include "net/redaction.hpp"

#include <algorithm>

namespace tidemark::net {
namespace {

constexpr std::size_t least_piece = 8;  // shorter ones are words: `v2`, `mainnet`
constexpr std::size_t least_header = 4; // `true`
constexpr std::string_view hidden = "…";

/// A URL ends where a text goes on.
constexpr std::string_view not_in_urls = " \t\r\n\"'`<>()[]{},;\\";

bool is_scheme(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Of each `scheme://user@host/path` in it `scheme://host`.
std::string without_paths(const std::string& text) {
  constexpr std::string_view mark = "://";
  std::string out;
  std::size_t done = 0;
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    const auto authority = at + mark.size();
    at = authority;
    if (authority == mark.size() || !is_scheme(text[authority - mark.size() - 1])) continue;
    const auto end = std::min(text.find_first_of(not_in_urls, authority), text.size());
    const auto path = std::min(text.find_first_of("/?#", authority), end);
    const auto user = text.rfind('@', path);
    const auto host = user != text.npos && user >= authority ? user + 1 : authority;
    out.append(text, done, authority - done).append(text, host, path - host);
    if (end > path + 1) out.append("/").append(hidden);
    done = at = end;
  }
  return out.append(text, done);
}

} // namespace

void redaction::keep(std::string_view secret, std::size_t least) {
  if (secret.size() < least) return;
  if (std::find(secrets_.begin(), secrets_.end(), secret) != secrets_.end()) return;
  const auto shorter = std::find_if(secrets_.begin(), secrets_.end(),
                                    [&](const std::string& s) { return s.size() < secret.size(); });
  secrets_.emplace(shorter, secret);
}

void redaction::add(const url& to, const header_list& headers) {
  const std::string_view target = to.target;
  keep(target, least_piece);
  for (std::size_t from = 0; from < target.size();) {
    const auto end = std::min(target.find_first_of("/?&=#", from), target.size());
    keep(target.substr(from, end - from), least_piece);
    from = end + 1;
  }
  for (const auto& [name, value] : headers) {
    keep(value, least_header);
    const auto space = value.rfind(' ');
    if (space != value.npos) keep(std::string_view(value).substr(space + 1), least_header);
  }
}

std::string redaction::of(std::string text) const {
  for (const auto& secret : secrets_)
    for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + hidden.size()))
      text.replace(at, secret.size(), hidden);
  return without_paths(text);
}

} // namespace tidemark::net
