// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace tidemark::config {
namespace {

constexpr std::uint64_t highest_block = std::numeric_limits<std::int64_t>::max();

/// The argument that names the child.
std::optional<std::size_t> read_parameter(const value& v, const evm::abi_event& event) {
  const auto name = as_filled(v);
  if (!name) return std::nullopt;
  const auto& inputs = event.inputs;
  const auto named = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const evm::abi_parameter& p) { return p.name == *name; });
  if (named == inputs.end()) {
    std::vector<std::string_view> names;
    names.reserve(inputs.size());
    for (const auto& input : inputs)
      names.push_back(input.name);
    v.wrong(event.name + " has no argument '" + *name + "'" + suggestion(*name, names));
    return std::nullopt;
  }
  if (named->type.is != evm::abi_type::kind::address) {
    v.wrong("'" + *name + "' is no address, but " + named->type.canonical());
    return std::nullopt;
  }
  return static_cast<std::size_t>(named - inputs.begin());
}

} // namespace

std::optional<tide::factory> read_factory(const value& v) {
  tide::factory out;
  section s(v);
  if (const auto at = s.need("factory"))
    out.addresses = read_fixed_addresses(*at, "it names who makes the contracts");
  const auto event = s.need("event");
  const auto parameter = s.need("parameter");
  if (const auto from = s.find("from")) out.from = count_between(*from, 0, highest_block);
  const auto text = event ? as_filled(*event) : std::nullopt;
  if (!text) return std::nullopt;
  auto parsed = evm::parse_event(*text);
  if (!parsed) {
    event->wrong(parsed.error().text + " (at character " + std::to_string(parsed.error().at + 1) +
                 ")");
    return std::nullopt;
  }
  out.event = std::move(*parsed);
  if (!parameter) return std::nullopt;
  const auto input = read_parameter(*parameter, out.event);
  if (!input) return std::nullopt;
  out.input = *input;
  return out;
}

} // namespace tidemark::config
