// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::tide {

/// An argument, or a field of one that is a tuple, or a field of that.
struct argument {
  std::size_t input = 0;            ///< which argument
  std::vector<std::size_t> members; ///< from the outermost tuple inwards
  friend bool operator==(const argument&, const argument&) = default;
};

/// What `order.maker` names; an unnamed member by its place: `order.0`. The error says the nearest
/// name, and its offset is in `dotted`.
evm::result<argument> find_argument(std::span<const evm::abi_parameter> inputs,
                                    std::string_view dotted);

const evm::abi_type& type_of(const argument& a, std::span<const evm::abi_parameter> inputs);

/// The arguments of one event, in the order of its inputs; nullptr: it is not known, because the
/// data does not decode.
using argument_values = std::span<const evm::abi_value* const>;

/// The value of `a`, or nullptr where it is not known.
const evm::abi_value* value_of(const argument& a, argument_values values);

} // namespace tidemark::tide
