// SPDX-License-Identifier: MIT
#pragma once

#include "tide/argument.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// `escalate: [{when: EXPR, …}]` (contract §2):
//
//   expr       = and_expr { "or" and_expr }
//   and_expr   = unary { "and" unary }
//   unary      = "not" unary | "(" expr ")" | comparison
//   comparison = operand [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) operand ]
//   operand    = name { "." field } | number | 0x… | "text" | 'text' | true | false
//
// Numbers are evm::parse_number's. There is no arithmetic; integers compare exactly, whatever their
// sizes and signs. An operand alone must be a bool.

namespace tidemark::tide {

/// One expression, checked against the types of what it names. Immutable; any thread may ask it.
class when_expression {
public:
  /// What it says of these values, which are those of the inputs it was parsed for. Nothing where
  /// that hangs on a value that is not known.
  std::optional<bool> holds(argument_values values) const { return at(root_, values); }
  /// Whether it names one of the inputs from `first` on.
  bool names_from(std::size_t first) const;
  const std::string& text() const { return text_; }
  /// Of the same inputs.
  friend bool operator==(const when_expression& a, const when_expression& b) {
    return a.text_ == b.text_;
  }

private:
  friend class when_parser;

  enum class op : std::uint8_t { any, all, negate, is, eq, ne, lt, le, gt, ge };
  using operand = std::variant<argument, evm::abi_value>;
  struct node {
    op is = op::is;
    std::size_t left = 0, right = 0; ///< nodes, of any, all and negate (left alone)
    operand a{}, b{};                ///< of the others; of `is` a alone
    evm::abi_type type{};            ///< of what is compared; of two names the first's
    evm::abi_type other{};           ///< the second's
  };

  std::optional<bool> at(std::size_t n, argument_values values) const;
  static std::optional<bool> compare(const node& n, argument_values values);

  std::string text_;
  std::vector<node> nodes_;
  std::size_t root_ = 0;
};

/// The expression over these names; the error's offset is in `text`. At most 4 KiB, nested at most
/// 64 deep.
evm::result<when_expression> parse_when(std::string_view text,
                                        std::span<const evm::abi_parameter> inputs);

} // namespace tidemark::tide
