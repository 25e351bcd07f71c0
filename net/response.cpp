// SPDX-License-Identifier: MIT
#include "net/response.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tidemark::net {
namespace {

struct phrase {
  unsigned status;
  std::string_view text;
};

constexpr std::array<phrase, 31> phrases{{{200, "OK"},
                                          {201, "Created"},
                                          {202, "Accepted"},
                                          {204, "No Content"},
                                          {301, "Moved Permanently"},
                                          {302, "Found"},
                                          {303, "See Other"},
                                          {304, "Not Modified"},
                                          {307, "Temporary Redirect"},
                                          {308, "Permanent Redirect"},
                                          {400, "Bad Request"},
                                          {401, "Unauthorized"},
                                          {403, "Forbidden"},
                                          {404, "Not Found"},
                                          {405, "Method Not Allowed"},
                                          {406, "Not Acceptable"},
                                          {408, "Request Timeout"},
                                          {409, "Conflict"},
                                          {410, "Gone"},
                                          {411, "Length Required"},
                                          {413, "Content Too Large"},
                                          {415, "Unsupported Media Type"},
                                          {417, "Expectation Failed"},
                                          {422, "Unprocessable Content"},
                                          {429, "Too Many Requests"},
                                          {431, "Request Header Fields Too Large"},
                                          {500, "Internal Server Error"},
                                          {501, "Not Implemented"},
                                          {502, "Bad Gateway"},
                                          {503, "Service Unavailable"},
                                          {504, "Gateway Timeout"}}};

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  out += '"';
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

} // namespace

std::string_view reason_phrase(unsigned status) {
  const auto* const found = std::find_if(phrases.begin(), phrases.end(),
                                         [&](const phrase& p) { return p.status == status; });
  return found == phrases.end() ? "Error" : found->text;
}

response problem(unsigned status, std::string_view detail) {
  response r;
  r.status = status;
  r.content_type = "application/problem+json";
  r.body = "{\"title\":";
  append_json_text(r.body, reason_phrase(status));
  r.body += ",\"status\":" + std::to_string(status) + ",\"detail\":";
  append_json_text(r.body, detail);
  r.body += ",\"error\":";
  append_json_text(r.body, detail);
  r.body += '}';
  r.detail = detail;
  return r;
}

response busy(std::string_view detail) {
  response r = problem(503, detail);
  r.headers.emplace_back("Retry-After", "1");
  return r;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* find_header(const header_list& headers, std::string_view name) {
  for (const auto& line : headers)
    if (same_name(line.first, name)) return &line.second;
  return nullptr;
}

} // namespace tidemark::net
