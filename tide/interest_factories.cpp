// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/digest.hpp"
#include "evm/hex.hpp"

#include <algorithm>
#include <set>

// Contracts that come to be: a factory's log names its child, whose logs count from there on.

namespace tidemark::tide {
namespace {

bool is_creation(const factory& f, const evm::log& l) {
  return std::find(f.addresses.begin(), f.addresses.end(), l.address) != f.addresses.end() &&
         l.topics.size() == f.event.topic_count() &&
         (f.event.anonymous || l.topics[0] == f.event.topic0());
}

/// How its logs name children.
std::string naming_of(const factory& f) {
  auto out = f.event.signature() + ' ' + std::to_string(f.input) + ' ' +
             (f.event.anonymous ? "anonymous" : "");
  for (const auto& input : f.event.inputs)
    out += input.indexed ? " i" : " -";
  return out;
}

/// In the config's words; absent: from wherever the subscription counts once it is loaded.
std::optional<std::uint64_t> first_of(const subscription& s) {
  return s.factory->from ? s.factory->from : s.start_block;
}

std::string text_of(const subscription& s) {
  const auto& f = *s.factory;
  const auto from = first_of(s);
  auto out = s.name + ' ' + naming_of(f) + ' ' + (from ? std::to_string(*from) : "-");
  auto addresses = f.addresses;
  std::sort(addresses.begin(), addresses.end());
  for (const auto& a : addresses)
    out += ' ' + evm::to_hex(a);
  return out;
}

} // namespace

std::uint64_t digest_of(const factory& f, const evm::address20& contract) {
  const auto naming = naming_of(f);
  evm::bytes all(contract.octets.begin(), contract.octets.end());
  all.insert(all.end(), naming.begin(), naming.end());
  return evm::digest64(all) >> 1;
}

std::vector<child> interest::births(const evm::log& l) const {
  std::vector<child> out;
  for (const auto index : factories_) {
    const auto& s = forms_[index].source;
    if (!is_creation(*s.factory, l)) continue;
    // A block may be read again that lies below: what was made there is none of ours.
    if (const auto first = s.factory->from ? s.factory->from : forms_[index].from;
        first && l.block.number < *first)
      continue;
    const auto args = evm::decode_args(s.factory->event, l.topics, l.data);
    if (!args) continue; // it names nothing that could be read
    if (const auto* address = std::get_if<evm::address20>(&(*args)[s.factory->input].is))
      out.push_back(
          {s.name, *address, l.block, l.tx_index, l.log_index, digest_of(*s.factory, l.address)});
  }
  return out;
}

interest::filter interest::factory_filter() const {
  std::set<evm::address20> addresses;
  std::set<evm::hash32> topic0;
  bool any_topic = false;
  for (const auto index : factories_) {
    const auto& f = *forms_[index].source.factory;
    addresses.insert(f.addresses.begin(), f.addresses.end());
    if (f.event.anonymous)
      any_topic = true;
    else
      topic0.insert(f.event.topic0());
  }
  filter out;
  out.addresses.assign(addresses.begin(), addresses.end());
  if (!any_topic) out.topic0.assign(topic0.begin(), topic0.end());
  return out;
}

std::string interest::text_of_factories() const {
  std::set<std::string> lines;
  for (const auto index : factories_)
    lines.insert(text_of(forms_[index].source));
  std::string out;
  for (const auto& line : lines)
    out += line + '\n';
  return out;
}

std::optional<std::uint64_t> interest::first_creation(const std::string& known) const {
  std::optional<std::uint64_t> first;
  for (const auto index : factories_) {
    const auto& s = forms_[index].source;
    const auto line = text_of(s) + '\n';
    const auto at = known.find(line);
    if (at != known.npos && (at == 0 || known[at - 1] == '\n')) continue;
    const auto from = first_of(s);
    if (from && (!first || *from < *first)) first = from;
  }
  return first;
}

bool interest::may_create_in(const evm::bloom& block) const {
  const auto has = [&](const auto& value) { return block.may_contain(value.view()); };
  return std::any_of(factories_.begin(), factories_.end(), [&](std::size_t index) {
    const auto& f = *forms_[index].source.factory;
    return (f.event.anonymous || has(f.event.topic0())) &&
           std::any_of(f.addresses.begin(), f.addresses.end(), has);
  });
}

} // namespace tidemark::tide
