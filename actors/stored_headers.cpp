// SPDX-License-Identifier: MIT
#include "actors/stored_headers.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace tidemark::actors {

namespace {

void append_quoted(std::string& out, std::string_view text, bool lower) {
  static constexpr char hex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += lower && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
}

bool may_keep(const net::header_list::value_type& header, std::span<const std::string> secrets) {
  for (const std::string_view name : {"authorization", "proxy-authorization", "cookie"})
    if (net::same_name(header.first, name)) return false;
  return std::none_of(secrets.begin(), secrets.end(), [&](const std::string& secret) {
    return header.second.find(secret) != std::string::npos;
  });
}

} // namespace

std::string stored_headers(const net::header_list& headers, std::span<const std::string> secrets) {
  std::size_t size = 2;
  for (const auto& h : headers)
    size += h.first.size() + h.second.size() + 6;
  std::string out;
  out.reserve(size);
  out += '{';
  for (auto at = headers.begin(); at != headers.end(); ++at) {
    if (!may_keep(*at, secrets)) continue;
    const auto same = [&](const auto& other) {
      return net::same_name(other.first, at->first) && may_keep(other, secrets);
    };
    if (std::any_of(headers.begin(), at, same)) continue; // joined to the first
    if (out.size() > 1) out += ',';
    out += '"';
    append_quoted(out, at->first, true);
    out += "\":\"";
    append_quoted(out, at->second, false);
    for (auto more = std::find_if(at + 1, headers.end(), same); more != headers.end();
         more = std::find_if(more + 1, headers.end(), same)) {
      out += ", ";
      append_quoted(out, more->second, false);
    }
    out += '"';
  }
  out += '}';
  return out;
}

std::string stored_header(std::string_view stored, std::string_view name) {
  // Most bodies come without the one that is asked for: no need to parse then.
  if (stored.find(name) == std::string_view::npos) return {};
  boost::system::error_code trouble;
  const auto parsed = boost::json::parse(stored, trouble);
  if (trouble || !parsed.is_object()) return {};
  const auto* value = parsed.as_object().if_contains(name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

} // namespace tidemark::actors
