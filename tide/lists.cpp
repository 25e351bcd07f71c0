// SPDX-License-Identifier: MIT
#include "tide/lists.hpp"

#include <algorithm>
#include <bit>

namespace tidemark::tide {
namespace {

/// Addresses of one's own making share their ends, so all of it counts.
std::size_t hash_of(const evm::address20& a) {
  std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
  for (const auto octet : a.octets)
    h = (h ^ octet) * 0x100000001b3;
  return h ^ h >> 32;
}

} // namespace

address_list::address_list(std::vector<entry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const entry& a, const entry& b) { return a.address < b.address; });
  slots_.resize(std::bit_ceil(2 * entries_.size() + 1));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    auto at = hash_of(entries_[i].address);
    while (slots_[at & (slots_.size() - 1)] != 0)
      ++at;
    slots_[at & (slots_.size() - 1)] = static_cast<std::uint32_t>(i + 1);
  }
}

const address_list::entry* address_list::find(const evm::address20& a) const {
  for (auto at = hash_of(a);; ++at) {
    const auto slot = slots_[at & (slots_.size() - 1)];
    if (slot == 0) return nullptr;
    if (entries_[slot - 1].address == a) return &entries_[slot - 1];
  }
}

std::uint64_t list_gate::from_of(std::uint64_t change) const {
  if (change <= base_) return from_;
  const auto at =
      std::lower_bound(starts_.begin(), starts_.end(), change,
                       [](const list_start& s, std::uint64_t c) { return s.change < c; });
  if (at == starts_.end() || at->change != change) return from_;
  return at->given ? at->from : std::max(from_, at->from);
}

bool list_gate::pass(const std::vector<std::shared_ptr<const address_list>>& lists,
                     const evm::address20& a) {
  std::optional<std::uint64_t> lowest; // one that is in two of them counts from the earlier
  for (const auto& list : lists)
    if (const auto* found = list->find(a))
      lowest = std::min(lowest.value_or(UINT64_MAX), from_of(found->change));
  if (lowest) by_lists_ = std::max(by_lists_.value_or(0), *lowest);
  return lowest.has_value();
}

} // namespace tidemark::tide
