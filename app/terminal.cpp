// SPDX-License-Identifier: MIT
#include "app/terminal.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unistd.h>

namespace tidemark::app {
namespace {

/// Characters, not bytes: what is not the first byte of one is not counted.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void append_cell(std::string& out, const std::string& text, std::size_t wide, bool coloured) {
  const std::string colour = coloured ? state_colour(text) : std::string();
  out += colour;
  out += text;
  if (!colour.empty()) out += "\x1b[0m";
  if (wide > width(text)) out.append(wide - width(text), ' ');
}

} // namespace

bool wants_colour() {
  static const bool yes = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return yes;
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octet = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too.
    const bool high_control =
        octet == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (high_control) ++i;
    if (octet < 0x20 || octet == 0x7f || high_control)
      out += out.empty() || out.back() == ' ' ? "" : " ";
    else
      out += text[i];
  }
  return out;
}

std::string state_colour(std::string_view state) {
  constexpr std::array<std::string_view, 6> good{"following", "active",   "ok",
                                                 "confirmed", "verified", "delivered"};
  constexpr std::array<std::string_view, 7> bad{"halted",  "degraded", "broken",     "lying",
                                                "refused", "failing",  "rolled_back"};
  if (!wants_colour()) return {};
  if (std::find(good.begin(), good.end(), state) != good.end()) return "\x1b[32m";
  if (std::find(bad.begin(), bad.end(), state) != bad.end()) return "\x1b[31m";
  return "\x1b[33m";
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> wide;
  for (std::size_t i = 0; i < head.size(); ++i) {
    wide.push_back(width(head[i]));
    for (const auto& row : rows)
      wide[i] = std::max(wide[i], width(row[i]));
  }
  wide.back() = 0;
  std::string out;
  const auto append_row = [&](const std::vector<std::string>& row, bool is_head) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) out += "  ";
      append_cell(out, row[i], wide[i], !is_head && (head[i] == "STATE" || head[i] == "STATUS"));
    }
    while (!out.empty() && out.back() == ' ')
      out.pop_back();
    out += '\n';
  };
  append_row(head, true);
  for (const auto& row : rows)
    append_row(row, false);
  return out;
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t wide = 0;
  for (const auto& line : lines)
    wide = std::max(wide, width(line.first));
  std::string out;
  for (const auto& line : lines) {
    out += line.first;
    out.append(wide - width(line.first) + 2, ' ');
    out += line.second;
    out += '\n';
  }
  return out;
}

} // namespace tidemark::app
