// SPDX-License-Identifier: MIT
#include "net/response_head.hpp"

#include <array>
#include <ctime>

namespace tidemark::net {
namespace {

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_date(std::string& out) {
  thread_local std::time_t of = 0;
  thread_local std::array<char, 40> line{};
  if (const std::time_t now = std::time(nullptr); now != of) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::strftime(line.data(), line.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    of = now;
  }
  out += line.data();
}

} // namespace

bool may_have_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

void write_head(const response& r, connection_after after, std::string& out) {
  out = "HTTP/1.1 ";
  out.append(std::to_string(r.status)).append(" ").append(reason_phrase(r.status)).append("\r\n");
  append_date(out);
  if (!r.content_type.empty()) append_line(out, "Content-Type", r.content_type);
  if (may_have_body(r.status) && !r.stream)
    append_line(out, "Content-Length", std::to_string(r.body.size()));
  for (const auto& line : r.headers)
    append_line(out, line.first, line.second);
  if (!after.stays)
    append_line(out, "Connection", "close");
  else if (after.http_1_0)
    append_line(out, "Connection", "keep-alive");
  out += "\r\n";
}

} // namespace tidemark::net
