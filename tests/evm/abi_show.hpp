// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"
#include "evm/hex.hpp"

#include <string>
#include <vector>

/// A value as text in which different values look different: "quoted" is a string, #0x… a hash.
inline std::string shown(const tidemark::evm::abi_value& value) {
  using namespace tidemark::evm;
  if (const auto* v = std::get_if<integer>(&value.is)) return to_decimal(*v);
  if (const auto* v = std::get_if<bool>(&value.is)) return *v ? "true" : "false";
  if (const auto* v = std::get_if<address20>(&value.is)) return to_hex(*v);
  if (const auto* v = std::get_if<bytes>(&value.is)) return to_hex(*v);
  if (const auto* v = std::get_if<std::string>(&value.is)) return std::string(1, '"') + *v + '"';
  if (const auto* v = std::get_if<hashed>(&value.is)) return std::string(1, '#') + to_hex(v->hash);
  std::string out = "[";
  for (const auto& v : std::get<std::vector<abi_value>>(value.is))
    out += shown(v) + " ";
  return out + "]";
}

inline std::vector<std::string> shown(const std::vector<tidemark::evm::abi_value>& values) {
  std::vector<std::string> out;
  for (const auto& v : values)
    out.push_back(shown(v));
  return out;
}

inline std::vector<tidemark::evm::hash32> hashes(const std::vector<std::string>& texts) {
  std::vector<tidemark::evm::hash32> out;
  for (const auto& t : texts)
    out.push_back(tidemark::evm::parse_hash(t).value());
  return out;
}

/// The type of the first parameter of an event with it alone.
inline tidemark::evm::abi_type type_of(const std::string& text) {
  return tidemark::evm::parse_event("E(" + text + ")").value().inputs[0].type;
}
