// SPDX-License-Identifier: MIT
#include "tide/nursery.hpp"

#include <algorithm>
#include <tuple>

namespace tidemark::tide {

nursery::nursery(const std::vector<child>& known) {
  for (const auto& c : known)
    add(c);
  saved();
}

void nursery::add(const child& c) {
  auto& here = by_block_[c.block.number];
  if (std::find(here.begin(), here.end(), c) != here.end()) return;
  here.push_back(c);
  by_address_[c.address].push_back(c);
  unsaved_.insert(c.block.number);
}

void nursery::forget(std::uint64_t block) {
  const auto here = by_block_.find(block);
  if (here == by_block_.end()) return;
  for (const auto& c : here->second) {
    const auto at = by_address_.find(c.address);
    std::erase(at->second, c);
    if (at->second.empty()) by_address_.erase(at);
  }
  by_block_.erase(here);
  unsaved_.insert(block);
}

void nursery::set_block(const evm::block_id& block, const std::vector<child>& born) {
  const auto here = by_block_.find(block.number);
  if (here == by_block_.end() ? born.empty() : here->second == born) return;
  forget(block.number);
  for (const auto& c : born)
    add(c);
}

void nursery::drop_above(std::uint64_t number) {
  while (!by_block_.empty() && by_block_.rbegin()->first > number)
    forget(by_block_.rbegin()->first);
}

bool nursery::has(const std::string& subscription, const std::set<std::uint64_t>& makers,
                  const evm::log& l) const {
  const auto at = by_address_.find(l.address);
  if (at == by_address_.end()) return false;
  const std::tuple place(l.block.number, l.tx_index, l.log_index);
  return std::any_of(at->second.begin(), at->second.end(), [&](const child& c) {
    return c.subscription == subscription && makers.contains(c.made_by) &&
           std::tuple(c.block.number, c.tx_index, c.log_index) < place;
  });
}

std::vector<born> nursery::unsaved() const {
  std::vector<born> out;
  for (const auto block : unsaved_) {
    const auto here = by_block_.find(block);
    out.push_back({block, here == by_block_.end() ? std::vector<child>{} : here->second});
  }
  return out;
}

} // namespace tidemark::tide
