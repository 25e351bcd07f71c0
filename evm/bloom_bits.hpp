// SPDX-License-Identifier: MIT
#pragma once

#include "evm/bloom.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace tidemark::evm {

/// A value's three bits of a logs bloom, each 0 to 2047.
using bloom_bits = std::array<std::uint16_t, 3>;

bloom_bits bits_of(bytes_view value);
/// False is certain; true is "may be".
bool may_contain(const bloom& in, const bloom_bits& value);

/// The bits of values that come again and again: remembering one costs a tenth of its keccak.
/// Forgets all when it is full. For one thread.
class bloom_memory {
public:
  bloom_bits of(const address20& value) { return known(addresses_, value); }
  bloom_bits of(const hash32& value) { return known(topics_, value); }

private:
  static constexpr std::size_t most = 2048;

  template <class Key>
  static bloom_bits known(std::unordered_map<Key, bloom_bits>& all, const Key& value) {
    if (const auto at = all.find(value); at != all.end()) return at->second;
    if (all.size() >= most) all.clear();
    return all.emplace(value, bits_of(value.view())).first->second;
  }

  std::unordered_map<address20, bloom_bits> addresses_;
  std::unordered_map<hash32, bloom_bits> topics_;
};

} // namespace tidemark::evm
