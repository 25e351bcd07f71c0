// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include "evm/hex.hpp"

#include <algorithm>
#include <fstream>

namespace tidemark::config {
namespace {

constexpr std::size_t max_addresses = 1'000'000, max_line = 256, max_shown = 20;

/// Without its remark and the blanks around.
std::string trimmed(const std::string& line) {
  const auto text = line.substr(0, line.find('#'));
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// One address a line; empty lines and what # begins are passed over.
std::vector<evm::address20> read_file(const value& v, const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) {
    v.wrong("cannot read " + path.string());
    return {};
  }
  std::vector<evm::address20> out;
  std::size_t number = 0, wrong = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto place = path.string() + ':' + std::to_string(number) + ": ";
    const auto text = line.size() > max_line ? line : trimmed(line);
    if (text.empty()) continue;
    if (const auto address = evm::parse_user_address(text)) {
      out.push_back(*address);
    } else if (++wrong <= max_shown) {
      const auto plain = evm::parse_address(text);
      v.wrong(place +
              (plain ? "the EIP-55 checksum is wrong: mistyped, or else " + evm::to_checksum(*plain)
                     : "expected an address: 0x and 40 hex digits"));
    }
    if (out.size() > max_addresses) {
      v.wrong(path.string() + " has more than 1000000 addresses");
      return {};
    }
  }
  if (in.bad()) v.wrong("cannot read " + path.string());
  if (wrong > max_shown)
    v.wrong(path.string() + ": and " + std::to_string(wrong - max_shown) + " more such lines");
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

} // namespace

void read_lists(const value& v, builder& b) {
  for (const auto& m : v.members()) {
    list out;
    section s(m.of);
    out.name = m.key;
    if (const auto file = s.find("file"))
      if (const auto path = as_filled(*file)) {
        out.file = v.in().beside_file(*path);
        out.addresses = read_file(*file, *out.file);
      }
    if (!is_name(out.name))
      v.in().wrong(m.key_at, m.of.path() + ": a name has 1 to 64 letters, digits, '-', '_' or '.', "
                                           "and begins with a letter or digit");
    b.names.lists.add(m.of, out.name);
    b.out.lists.push_back(std::move(out));
  }
}

std::optional<std::string> as_list_name(const value& v, const builder& b) {
  section s(v);
  const auto named = s.need("list");
  auto name = named ? as_filled(*named) : std::nullopt;
  if (!name || !b.names.lists.resolve(*named, *name)) return std::nullopt;
  return name;
}

} // namespace tidemark::config
