// SPDX-License-Identifier: MIT
#include "evm/rlp.hpp"

namespace tidemark::evm {
namespace {

constexpr std::uint8_t string_head = 0x80, list_head = 0xc0;
constexpr std::size_t longest_short = 55; // what the head itself can say

void append_big_endian(bytes& out, std::uint64_t v) {
  int octets = 0;
  for (auto rest = v; rest != 0; rest >>= 8)
    ++octets;
  while (octets-- > 0)
    out.push_back(static_cast<std::uint8_t>(v >> (8 * octets)));
}

void append_head(bytes& out, std::uint8_t kind, std::size_t size) {
  if (size <= longest_short) {
    out.push_back(static_cast<std::uint8_t>(kind + size));
    return;
  }
  const auto at = out.size();
  out.push_back(0);
  append_big_endian(out, size);
  out[at] = static_cast<std::uint8_t>(kind + longest_short + (out.size() - at - 1));
}

} // namespace

void append_rlp(bytes& out, bytes_view item) {
  if (item.size() != 1 || item[0] >= string_head) append_head(out, string_head, item.size());
  out.insert(out.end(), item.begin(), item.end());
}

void append_rlp(bytes& out, std::uint64_t number) {
  if (number >= string_head || number == 0) {
    const auto at = out.size();
    out.push_back(string_head);
    append_big_endian(out, number);
    out[at] = static_cast<std::uint8_t>(string_head + (out.size() - at - 1));
  } else {
    out.push_back(static_cast<std::uint8_t>(number));
  }
}

void append_rlp_list_head(bytes& out, std::size_t size) { append_head(out, list_head, size); }

void append_rlp_list(bytes& out, bytes_view items) {
  append_rlp_list_head(out, items.size());
  out.insert(out.end(), items.begin(), items.end());
}

} // namespace tidemark::evm
