// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bytes.hpp"
#include "evm/hex.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::tide {

/// Reads fields of one JSON-RPC object and remembers the first that is wrong; what follows it is
/// not read. Refers to the value.
class json_fields {
public:
  /// `what` begins the sentence: "the block header".
  json_fields(const boost::json::value& v, std::string what)
      : object_(v.if_object()), what_(std::move(what)) {
    if (!object_) complain("is no object");
  }

  const std::string& trouble() const { return trouble_; }
  bool good() const { return trouble_.empty(); }

  template <class T> void hex(std::string_view name, T& out) {
    if (const auto* s = text(name); s && !evm::parse_hex_into(*s, octets(out))) wrong(name);
  }
  void hex(std::string_view name, evm::bytes& out) {
    const auto* s = text(name);
    if (!s) return;
    // Some endpoints say "" where the rest say "0x".
    auto read = evm::parse_hex(s->empty() ? std::string_view("0x") : std::string_view(*s));
    read ? void(out = std::move(*read)) : wrong(name);
  }
  template <class T> void quantity(std::string_view name, T& out) {
    const auto* s = text(name);
    if (!s) return;
    const auto read = evm::parse_quantity(*s);
    if (!read || *read > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
      return wrong(name);
    out = static_cast<T>(*read);
  }
  /// Up to 256 bits, big-endian without leading zeros.
  void quantity(std::string_view name, evm::bytes& out) {
    const auto* s = text(name);
    if (!s) return;
    auto digits = std::string_view(*s);
    if (digits.substr(0, 2) != "0x" || digits.size() < 3) return wrong(name);
    digits.remove_prefix(2);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    auto read = evm::parse_hex((digits.size() % 2 != 0 ? "0x0" : "0x") + std::string(digits));
    if (!read || read->size() > 32) return wrong(name);
    out = std::move(*read);
  }

  const boost::json::value* find(std::string_view name) const {
    return object_ ? object_->if_contains(name) : nullptr;
  }
  /// Neither left out nor null, which endpoints take for the same.
  bool has(std::string_view name) const {
    const auto* v = find(name);
    return v && !v->is_null();
  }
  void wrong(std::string_view name) { complain("has a wrong " + std::string(name)); }

private:
  template <std::size_t N> static std::span<std::uint8_t> octets(evm::fixed_bytes<N>& v) {
    return v.octets;
  }
  template <std::size_t N> static std::span<std::uint8_t> octets(std::array<std::uint8_t, N>& v) {
    return v;
  }
  const boost::json::string* text(std::string_view name) {
    if (!good()) return nullptr;
    const auto* v = find(name);
    const auto* s = v ? v->if_string() : nullptr;
    if (!s) complain("has no " + std::string(name));
    return s;
  }
  void complain(const std::string& why) {
    if (trouble_.empty()) trouble_ = what_ + " " + why;
  }

  const boost::json::object* object_;
  std::string what_, trouble_;
};

} // namespace tidemark::tide
