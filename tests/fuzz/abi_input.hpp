// SPDX-License-Identifier: MIT
#pragma once

#include "evm/abi.hpp"
#include "tests/fuzz/must.hpp"

#include <algorithm>
#include <string_view>

// What the fuzzer and its replay do with one input: a signature, a zero octet, and the data of a
// log of it.

namespace fuzz {

using namespace tidemark::evm;

/// Values and empty lists: each has 32 octets of its own in the data.
inline std::size_t leaves(const abi_value& v) {
  const auto* members = std::get_if<std::vector<abi_value>>(&v.is);
  if (members == nullptr || members->empty()) return 1;
  std::size_t sum = 0;
  for (const auto& m : *members)
    sum += leaves(m);
  return sum;
}

/// True if the signature was one and the data decoded. Ends the process where what must hold does
/// not.
inline bool abi_input(bytes_view input) {
  const auto zero = std::find(input.begin(), input.end(), std::uint8_t{0});
  const auto size = static_cast<std::size_t>(zero - input.begin());
  const std::string_view text(reinterpret_cast<const char*>(input.data()), size);
  const auto event = parse_event(text);
  if (!event) {
    must(event.error().at <= text.size() || text.size() > 16'384);
    return false;
  }
  // What it says of itself is a signature again, and the same.
  const auto again = parse_event(event->signature());
  must(again && again->signature() == event->signature());
  const auto data = input.subspan(std::min(size + 1, input.size()));
  std::vector<hash32> topics(event->topic_count(), hash32{});
  if (!event->anonymous) topics[0] = event->topic0();
  const auto values = decode_log(*event, topics, data);
  if (!values) return false;
  must(values->size() == event->inputs.size());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < values->size(); ++i) {
    sum += leaves((*values)[i]);
    topic_of(event->inputs[i].type, (*values)[i]);
  }
  must(sum <= data.size() / 32 + topics.size());
  return true;
}

} // namespace fuzz
