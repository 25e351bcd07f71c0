// SPDX-License-Identifier: MIT
#include "tide/when.hpp"

#include <algorithm>

namespace tidemark::tide {
namespace {

const evm::abi_value* look_up(const std::variant<argument, evm::abi_value>& operand,
                              argument_values values) {
  if (const auto* literal = std::get_if<evm::abi_value>(&operand)) return literal;
  return value_of(std::get<argument>(operand), values);
}

bool same(const evm::abi_type& a_type, const evm::abi_value& a, const evm::abi_type& b_type,
          const evm::abi_value& b) {
  // Of an indexed text or bytes a log has the hash alone, so hashes are compared.
  const bool by_hash =
      std::holds_alternative<evm::hashed>(a.is) || std::holds_alternative<evm::hashed>(b.is);
  return by_hash ? evm::topic_of(a_type, a) == evm::topic_of(b_type, b) : a == b;
}

} // namespace

std::optional<bool> when_expression::compare(const node& n, argument_values values) {
  const auto* a = look_up(n.a, values);
  if (a == nullptr) return std::nullopt;
  if (n.is == op::is) return std::get<bool>(a->is);
  const auto* b = look_up(n.b, values);
  if (b == nullptr) return std::nullopt;
  if (n.is == op::eq || n.is == op::ne) return same(n.type, *a, n.other, *b) == (n.is == op::eq);
  const auto& x = std::get<evm::integer>(a->is);
  const auto& y = std::get<evm::integer>(b->is);
  switch (n.is) {
  case op::lt:
    return x < y;
  case op::le:
    return x <= y;
  case op::gt:
    return x > y;
  default:
    return x >= y;
  }
}

std::optional<bool> when_expression::at(std::size_t n, argument_values values) const {
  const auto& at_n = nodes_[n];
  if (at_n.is == op::negate) {
    const auto inner = at(at_n.left, values);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (at_n.is != op::any && at_n.is != op::all) return compare(at_n, values);
  // One side alone may decide.
  const bool decides = at_n.is == op::any;
  const auto left = at(at_n.left, values);
  if (left == decides) return decides;
  const auto right = at(at_n.right, values);
  if (right == decides) return decides;
  if (!left || !right) return std::nullopt;
  return !decides;
}

bool when_expression::names_from(std::size_t first) const {
  const auto is_from = [&](const operand& o) {
    const auto* a = std::get_if<argument>(&o);
    return a != nullptr && a->input >= first;
  };
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const node& n) {
    if (n.is == op::any || n.is == op::all || n.is == op::negate) return false;
    return is_from(n.a) || (n.is != op::is && is_from(n.b));
  });
}

} // namespace tidemark::tide
