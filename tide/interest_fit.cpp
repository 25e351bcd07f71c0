// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "tide/batch_items.hpp"

#include <algorithm>

// Which subscriptions a log fits.

namespace tidemark::tide {
namespace {

/// An address as a topic holds it; nothing for what is none.
std::optional<evm::address20> address_in(const evm::hash32& topic) {
  constexpr auto pad = evm::hash32::size - evm::address20::size;
  const auto& octets = topic.octets;
  if (std::any_of(octets.begin(), octets.begin() + pad, [](std::uint8_t b) { return b != 0; }))
    return std::nullopt;
  evm::address20 out;
  std::copy(octets.begin() + pad, octets.end(), out.octets.begin());
  return out;
}

} // namespace

/// One of those that are written out, or an address in one of the lists.
bool interest::matcher::holds(const evm::hash32& topic, list_gate& gate) const {
  if (one_of.contains(topic)) return true;
  if (in.empty()) return false;
  const auto address = address_in(topic);
  return address && gate.pass(in, *address);
}

/// The conditions on what stands in the data.
bool interest::data_holds(const form& f, argument_values values, list_gate& gate) {
  const auto& inputs = f.source.event.inputs;
  return std::all_of(f.data.begin(), f.data.end(), [&](const matcher& m) {
    const argument a{m.input, m.members};
    return m.holds(evm::topic_of(type_of(a, inputs), *value_of(a, values)), gate);
  });
}

const std::vector<list_start>& interest::list_starts() const {
  static const std::vector<list_start> none;
  return counts_.list_starts ? *counts_.list_starts : none;
}

void interest::candidates(const bucket& b, const evm::address20& address, indexes& out) const {
  out.insert(out.end(), b.any.begin(), b.any.end());
  const auto at = b.at.find(address);
  if (at != b.at.end()) out.insert(out.end(), at->second.begin(), at->second.end());
}

std::vector<interest::fit> interest::fits(const evm::log& log, std::uint64_t* undecodable,
                                          const nursery* children,
                                          const std::vector<std::string>* counted) const {
  indexes maybe;
  if (!log.topics.empty()) {
    const auto b = by_topic0_.find(log.topics[0]);
    if (b != by_topic0_.end()) candidates(b->second, log.address, maybe);
  }
  candidates(anonymous_, log.address, maybe);
  std::sort(maybe.begin(), maybe.end());

  std::vector<fit> out;
  bool lost = false;
  const auto& starts = list_starts();
  for (const auto index : maybe) {
    const auto& f = forms_[index];
    if (log.topics.size() != f.topic_count) continue;
    if (f.source.factory && (!children || !children->has(f.source.name, f.makers, log))) continue;
    list_gate gate(f.from.value_or(0), f.base, starts);
    if (!f.address_lists.empty() &&
        !std::binary_search(f.addresses.begin(), f.addresses.end(), log.address) &&
        !gate.pass(f.address_lists, log.address))
      continue;
    const bool topics_fit = std::all_of(f.topics.begin(), f.topics.end(), [&](const matcher& m) {
      return m.holds(log.topics[m.input], gate);
    });
    const bool counts =
        counted && std::find(counted->begin(), counted->end(), f.source.name) != counted->end();
    if (!topics_fit || (!counts && log.block.number < gate.from())) continue;
    evm::decode_notes notes;
    auto args = evm::decode_args(f.event, log.topics, log.data, &notes);
    const auto holds = [&](argument_values values) {
      auto of_item = gate; // each item of a batch by itself
      return data_holds(f, values, of_item) && (counts || log.block.number >= of_item.from());
    };
    if (args && !f.data.empty() &&
        !(f.of_batches ? any_item(*args, holds) : holds(pointers_to(*args))))
      continue;
    if (!args && f.any_address() && !f.source.factory) {
      lost = true;
      continue;
    }
    out.push_back({index, std::move(args), notes});
  }
  if (out.empty() && lost && undecodable != nullptr) ++*undecodable;
  return out;
}

} // namespace tidemark::tide
