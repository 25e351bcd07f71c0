// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"

#include <random>
#include <string>
#include <vector>

// Random types and values, and an encoder for them that follows the ABI specification and not the
// decoder.

namespace abi_random {

using namespace tidemark::evm;
using kind = abi_type::kind;
using engine = std::mt19937_64;

inline std::uint64_t below(engine& random, std::uint64_t n) { return random() % n; }

inline abi_type elementary(engine& random) {
  abi_type t;
  t.is = static_cast<kind>(below(random, 7));
  if (t.is == kind::uint || t.is == kind::int_)
    t.size = static_cast<std::uint16_t>(8 * (1 + below(random, 32)));
  if (t.is == kind::fixed_bytes) t.size = static_cast<std::uint16_t>(1 + below(random, 32));
  return t;
}

inline abi_type type(engine& random, int depth) {
  const auto choice = depth == 0 ? 0 : below(random, 10);
  if (choice < 5) return elementary(random);
  abi_type t;
  if (choice < 8) {
    t.is = kind::array;
    t.length = below(random, 2) == 0 ? -1 : static_cast<std::int64_t>(1 + below(random, 3));
    t.inner.push_back(type(random, depth - 1));
    return t;
  }
  t.is = kind::tuple;
  for (auto n = 1 + below(random, 3); n > 0; --n)
    t.inner.push_back(type(random, depth - 1));
  t.names.resize(t.inner.size());
  return t;
}

inline bytes octets(engine& random, std::size_t n) {
  bytes out(n);
  for (auto& octet : out)
    octet = static_cast<std::uint8_t>(random());
  return out;
}

inline abi_value value(engine& random, const abi_type& t) {
  switch (t.is) {
  case kind::uint:
  case kind::int_: {
    integer v = 0;
    for (const auto octet : octets(random, t.size / 8u))
      v = v * 256 + octet;
    const integer half = integer(1) << (t.size - 1);
    if (t.is == kind::int_ && v >= half) v -= half * 2;
    return {v};
  }
  case kind::address: {
    address20 a;
    const auto content = octets(random, address20::size);
    std::copy(content.begin(), content.end(), a.octets.begin());
    return {a};
  }
  case kind::boolean:
    return {below(random, 2) == 1};
  case kind::fixed_bytes:
    return {octets(random, t.size)};
  case kind::bytes:
    return {octets(random, below(random, 70))};
  case kind::string: {
    const auto content = octets(random, below(random, 70));
    return {std::string(content.begin(), content.end())};
  }
  case kind::array:
  case kind::tuple:
    break;
  }
  const bool list = t.is == kind::array;
  const auto count = !list          ? t.inner.size()
                     : t.length < 0 ? static_cast<std::size_t>(below(random, 4))
                                    : static_cast<std::size_t>(t.length);
  std::vector<abi_value> members;
  for (std::size_t i = 0; i < count; ++i)
    members.push_back(value(random, t.inner[list ? 0 : i]));
  return {std::move(members)};
}

inline void append_word(bytes& out, std::uint64_t n) {
  out.resize(out.size() + 24);
  for (int shift = 56; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(n >> shift));
}

inline bytes encode(const abi_type& t, const abi_value& v);

/// Heads, then tails: what a tuple, an array's elements and an event's arguments have in common.
inline bytes encode_members(const std::vector<const abi_type*>& types,
                            const std::vector<abi_value>& values) {
  std::vector<bytes> parts;
  std::size_t heads = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    parts.push_back(encode(*types[i], values[i]));
    heads += types[i]->dynamic() ? 32 : parts.back().size();
  }
  bytes out, tails;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (types[i]->dynamic()) {
      append_word(out, heads + tails.size());
      tails.insert(tails.end(), parts[i].begin(), parts[i].end());
    } else {
      out.insert(out.end(), parts[i].begin(), parts[i].end());
    }
  }
  out.insert(out.end(), tails.begin(), tails.end());
  return out;
}

inline bytes encode(const abi_type& t, const abi_value& v) {
  if (t.is == kind::bytes || t.is == kind::string) {
    bytes content;
    if (t.is == kind::bytes) {
      content = std::get<bytes>(v.is);
    } else {
      const auto& text = std::get<std::string>(v.is);
      content.assign(text.begin(), text.end());
    }
    bytes out;
    append_word(out, content.size());
    out.insert(out.end(), content.begin(), content.end());
    out.resize((out.size() + 31) / 32 * 32);
    return out;
  }
  if (t.inner.empty()) {
    const auto word = topic_of(t, v);
    return {word.octets.begin(), word.octets.end()};
  }
  const auto& members = std::get<std::vector<abi_value>>(v.is);
  std::vector<const abi_type*> types;
  for (std::size_t i = 0; i < members.size(); ++i)
    types.push_back(&t.inner[t.is == kind::array ? 0 : i]);
  bytes out;
  if (t.is == kind::array && t.length < 0) append_word(out, members.size());
  const auto content = encode_members(types, members);
  out.insert(out.end(), content.begin(), content.end());
  return out;
}

} // namespace abi_random
