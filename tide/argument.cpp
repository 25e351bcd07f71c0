// SPDX-License-Identifier: MIT
#include "tide/argument.hpp"

#include "tide/nearest.hpp"

#include <algorithm>
#include <string>

namespace tidemark::tide {
namespace {

using kind = evm::abi_type::kind;

/// The place of a member by its name, or by its number.
std::optional<std::size_t> member_of(const evm::abi_type& tuple, std::string_view name) {
  const auto named = std::find(tuple.names.begin(), tuple.names.end(), name);
  if (!name.empty() && named != tuple.names.end())
    return static_cast<std::size_t>(named - tuple.names.begin());
  const bool number =
      !name.empty() && name.size() <= 4 &&
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return std::nullopt;
  std::size_t n = 0;
  for (const char c : name)
    n = 10 * n + static_cast<std::size_t>(c - '0');
  return n < tuple.inner.size() ? std::optional(n) : std::nullopt;
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

evm::error no_argument(std::span<const evm::abi_parameter> inputs, std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(inputs.size());
  for (const auto& p : inputs)
    names.push_back(p.name);
  return evm::fail("there is no argument " + quoted(name) + suggestion(name, names));
}

evm::error no_member(const evm::abi_type& tuple, std::string_view of, std::string_view name,
                     std::size_t at) {
  std::vector<std::string_view> names;
  std::copy_if(tuple.names.begin(), tuple.names.end(), std::back_inserter(names),
               [](const std::string& n) { return !n.empty(); });
  return evm::fail(quoted(of) + " has no field " + quoted(name) + suggestion(name, names), at);
}

} // namespace

evm::result<argument> find_argument(std::span<const evm::abi_parameter> inputs,
                                    std::string_view dotted) {
  argument out;
  auto end = std::min(dotted.find('.'), dotted.size());
  const auto first = dotted.substr(0, end);
  const auto input = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const evm::abi_parameter& p) { return p.name == first; });
  if (input == inputs.end()) return no_argument(inputs, first);
  out.input = static_cast<std::size_t>(input - inputs.begin());
  const evm::abi_type* type = &input->type;
  while (end < dotted.size()) {
    const auto of = dotted.substr(0, end);
    const auto start = end + 1;
    end = std::min(dotted.find('.', start), dotted.size());
    const auto name = dotted.substr(start, end - start);
    if (type->is != kind::tuple)
      return evm::fail(quoted(of) + " is " + type->canonical() + ", which has no fields", start);
    if (input->indexed)
      return evm::fail(quoted(first) + " is indexed: a log has only its hash, no fields", start);
    const auto member = member_of(*type, name);
    if (!member) return no_member(*type, of, name, start);
    out.members.push_back(*member);
    type = &type->inner[*member];
  }
  return out;
}

const evm::abi_type& type_of(const argument& a, std::span<const evm::abi_parameter> inputs) {
  const evm::abi_type* type = &inputs[a.input].type;
  for (const auto member : a.members)
    type = &type->inner[member];
  return *type;
}

const evm::abi_value* value_of(const argument& a, argument_values values) {
  const evm::abi_value* value = values[a.input];
  for (const auto member : a.members) {
    if (value == nullptr) return nullptr;
    value = &std::get<std::vector<evm::abi_value>>(value->is)[member];
  }
  return value;
}

} // namespace tidemark::tide
