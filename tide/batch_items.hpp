// SPDX-License-Identifier: MIT
#pragma once

#include "tide/subscription.hpp"

#include <algorithm>
#include <variant>
#include <vector>

// The arguments of an event as `where` and `when` ask for them, and a batch's item by item.

namespace tidemark::tide {

using pointers = std::vector<const evm::abi_value*>;

inline pointers pointers_to(const std::vector<evm::abi_value>& args) {
  pointers out;
  out.reserve(args.size());
  for (const auto& a : args)
    out.push_back(&a);
  return out;
}

/// Whether `holds` says yes to one of a batch's items: the arguments with one element of each array
/// in its place. Arrays of different lengths, as no contract should write them, end with the
/// shortest.
template <class Holds> bool any_item(const std::vector<evm::abi_value>& args, const Holds& holds) {
  auto values = pointers_to(args);
  const auto first = values.size() - subscription::batched;
  std::vector<const std::vector<evm::abi_value>*> arrays;
  for (auto i = first; i < values.size(); ++i)
    arrays.push_back(&std::get<std::vector<evm::abi_value>>(args[i].is));
  const auto shortest = std::min_element(arrays.begin(), arrays.end(),
                                         [](auto* a, auto* b) { return a->size() < b->size(); });
  for (std::size_t item = 0; item < (*shortest)->size(); ++item) {
    for (auto i = first; i < values.size(); ++i)
      values[i] = &(*arrays[i - first])[item];
    if (holds(argument_values(values))) return true;
  }
  return false;
}

} // namespace tidemark::tide
