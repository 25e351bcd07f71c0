// SPDX-License-Identifier: MIT
#include "net/request_head.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::net {
namespace {

constexpr std::array<std::string_view, 6> own_headers{
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Upgrade"};

/// RFC 9110 §5.6.2
bool is_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           others.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u == '\t' || (u >= 0x20 && u != 0x7f);
  });
}

bool is_target(std::string_view text) {
  return !text.empty() && text.front() == '/' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

} // namespace

std::string why_not_sendable(const client_request& r) {
  if (r.target.scheme != "http" && r.target.scheme != "https")
    return "the URL's scheme is neither http nor https";
  if (!is_token(r.method) || !is_target(r.target.target))
    return "the method or the URL's path is malformed";
  for (const auto& line : r.headers) {
    if (!is_token(line.first)) return "a header's name is malformed";
    if (!is_value(line.second)) return "the value of header " + line.first + " is malformed";
    if (std::any_of(own_headers.begin(), own_headers.end(),
                    [&](auto own) { return same_name(own, line.first); }))
      return "header " + line.first + " cannot be set";
  }
  return {};
}

std::string request_head(const client_request& r) {
  std::string out;
  out.reserve(512);
  out.append(r.method)
      .append(" ")
      .append(r.target.target)
      .append(" HTTP/1.1\r\nHost: ")
      .append(r.target.authority());
  out += "\r\n";
  for (const auto& line : r.headers)
    out.append(line.first).append(": ").append(line.second).append("\r\n");
  if (r.accept_gzip) out += "Accept-Encoding: gzip\r\n";
  if (r.body || (r.method != "GET" && r.method != "HEAD"))
    out.append("Content-Length: ")
        .append(std::to_string(r.body ? r.body->size() : 0))
        .append("\r\n");
  out += "\r\n";
  return out;
}

} // namespace tidemark::net
