// SPDX-License-Identifier: MIT
#include "evm/abi.hpp"
#include "evm/keccak.hpp"

#include <algorithm>

namespace tidemark::evm {

bool abi_type::dynamic() const {
  switch (is) {
  case kind::bytes:
  case kind::string:
    return true;
  case kind::array:
    if (length < 0) return true;
    [[fallthrough]];
  case kind::tuple:
    return std::any_of(inner.begin(), inner.end(), [](const abi_type& t) { return t.dynamic(); });
  default:
    return false;
  }
}

std::uint64_t abi_type::head_size() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 40, word = 32;
  if (inner.empty() || dynamic()) return word;
  if (is == kind::array) {
    const auto element = inner.front().head_size();
    const auto count = static_cast<std::uint64_t>(length);
    return count > most / element ? most : count * element;
  }
  std::uint64_t sum = 0;
  for (const auto& member : inner)
    sum = std::min(most, sum + member.head_size());
  return sum;
}

bool abi_type::hashed_in_topic() const {
  return is == kind::bytes || is == kind::string || is == kind::array || is == kind::tuple;
}

std::string abi_type::canonical() const {
  switch (is) {
  case kind::uint:
    return "uint" + std::to_string(size);
  case kind::int_:
    return "int" + std::to_string(size);
  case kind::address:
    return "address";
  case kind::boolean:
    return "bool";
  case kind::fixed_bytes:
    return "bytes" + std::to_string(size);
  case kind::bytes:
    return "bytes";
  case kind::string:
    return "string";
  case kind::array:
    return inner.at(0).canonical() + "[" + (length < 0 ? "" : std::to_string(length)) + "]";
  case kind::tuple:
    break;
  }
  std::string out(1, '(');
  for (const auto& member : inner) {
    if (&member != &inner.front()) out += ',';
    out += member.canonical();
  }
  return out + ')';
}

std::string abi_event::signature() const {
  std::string out = name + '(';
  for (const auto& p : inputs) {
    if (&p != &inputs.front()) out += ',';
    out += p.type.canonical();
  }
  return out + ')';
}

hash32 abi_event::topic0() const { return keccak256(signature()); }

std::size_t abi_event::topic_count() const {
  const auto indexed =
      std::count_if(inputs.begin(), inputs.end(), [](const abi_parameter& p) { return p.indexed; });
  return static_cast<std::size_t>(indexed) + (anonymous ? 0 : 1);
}

} // namespace tidemark::evm
