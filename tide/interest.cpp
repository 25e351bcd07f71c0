// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"
#include "tide/event_json.hpp"
#include "tide/fact.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace tidemark::tide {
namespace {

/// Nodes refuse longer lists; above it one topic and all addresses are the smaller question.
constexpr std::size_t max_filter_addresses = 500;
/// A key is an index in the store: a longer value stands there by its hash.
constexpr std::size_t max_key_value = 128;

std::uint64_t digest_of(const evm::log& log) {
  evm::bytes all(log.address.octets.begin(), log.address.octets.end());
  all.reserve(all.size() + log.topics.size() * evm::hash32::size + log.data.size());
  for (const auto& topic : log.topics)
    all.insert(all.end(), topic.octets.begin(), topic.octets.end());
  all.insert(all.end(), log.data.begin(), log.data.end());
  const auto hash = evm::keccak256(evm::bytes_view(all));
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < sizeof out; ++i)
    out = out << 8 | hash.octets[i];
  return out;
}

/// A value as it stands in a key: without JSON's quotes, and text even where it is not UTF-8.
struct key_text {
  std::string operator()(const evm::integer& v) const { return evm::to_decimal(v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const evm::address20& v) const { return evm::to_hex(v); }
  std::string operator()(const evm::bytes& v) const { return evm::to_hex(evm::bytes_view(v)); }
  std::string operator()(const evm::hashed& v) const { return evm::to_hex(v.hash); }
  std::string operator()(const std::string& v) const {
    if (is_utf8(v)) return v;
    return evm::to_hex({reinterpret_cast<const std::uint8_t*>(v.data()), v.size()});
  }
  std::string operator()(const std::vector<evm::abi_value>& v) const {
    std::string out;
    for (const auto& member : v) {
      if (!out.empty()) out += ',';
      out += std::visit(*this, member.is);
    }
    return '(' + out + ')';
  }
};

bool all_hold(const std::vector<condition>& data, const evm::abi_event& event,
              const std::vector<evm::abi_value>& args) {
  return std::all_of(data.begin(), data.end(), [&](const condition& c) {
    return c.one_of.contains(evm::topic_of(event.inputs[c.input].type, args[c.input]));
  });
}

} // namespace

interest::interest(std::uint64_t chain_id, std::string chain_name, policy chain_policy,
                   const std::vector<subscription>& subscriptions,
                   std::vector<recipient> recipients)
    : chain_id_(chain_id), chain_name_(std::move(chain_name)),
      chain_policy_(std::move(chain_policy)), recipients_(std::move(recipients)) {
  for (const auto& s : subscriptions) {
    const auto on_chain = s.chains.find(chain_id);
    if (on_chain == s.chains.end()) continue;
    const auto index = forms_.size();
    forms_.push_back(compile(s, on_chain->second));
    const auto& added = forms_.back();
    auto& place = added.topic0 ? by_topic0_[*added.topic0] : anonymous_;
    if (added.addresses.empty()) place.any.push_back(index);
    for (const auto& address : added.addresses)
      place.at[address].push_back(index);
  }
  for (const auto& r : recipients_) {
    auto& row = wants_.emplace_back();
    for (const auto& f : forms_)
      row.push_back(std::find(r.subscriptions.begin(), r.subscriptions.end(), f.source.name) !=
                    r.subscriptions.end());
  }
}

interest::form interest::compile(const subscription& s,
                                 const std::vector<evm::address20>& addresses) {
  form out;
  out.source = s;
  const std::set<evm::address20> sorted(addresses.begin(), addresses.end());
  out.addresses.assign(sorted.begin(), sorted.end());
  if (!s.event.anonymous) out.topic0 = s.event.topic0();
  out.topic_count = s.event.topic_count();
  for (const auto& c : s.where) {
    const auto& inputs = s.event.inputs;
    if (!inputs[c.input].indexed) {
      out.data.push_back(c);
      continue;
    }
    const auto before =
        std::count_if(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(c.input),
                      [](const evm::abi_parameter& p) { return p.indexed; });
    out.topics.push_back({static_cast<std::size_t>(before) + (out.topic0 ? 1 : 0), c.one_of});
  }
  return out;
}

bool interest::may_be_in(const evm::bloom& blocks) const {
  const auto has = [&](const auto& value) { return blocks.may_contain(value.view()); };
  return std::any_of(forms_.begin(), forms_.end(), [&](const form& f) {
    return (!f.topic0 || has(*f.topic0)) &&
           (f.addresses.empty() || std::any_of(f.addresses.begin(), f.addresses.end(), has)) &&
           std::all_of(f.topics.begin(), f.topics.end(), [&](const condition& c) {
             return std::any_of(c.one_of.begin(), c.one_of.end(), has);
           });
  });
}

interest::filter interest::node_filter() const {
  std::set<evm::address20> addresses;
  std::set<evm::hash32> topic0;
  bool any_address = false, any_topic = false;
  for (const auto& f : forms_) {
    addresses.insert(f.addresses.begin(), f.addresses.end());
    any_address = any_address || f.addresses.empty();
    if (f.topic0)
      topic0.insert(*f.topic0);
    else
      any_topic = true;
  }
  filter out;
  if (!any_address && addresses.size() <= max_filter_addresses)
    out.addresses.assign(addresses.begin(), addresses.end());
  if (!any_topic) out.topic0.assign(topic0.begin(), topic0.end());
  return out;
}

void interest::candidates(const bucket& b, const evm::address20& address, indexes& out) const {
  out.insert(out.end(), b.any.begin(), b.any.end());
  const auto at = b.at.find(address);
  if (at != b.at.end()) out.insert(out.end(), at->second.begin(), at->second.end());
}

std::vector<interest::fit> interest::fits(const evm::log& log, std::uint64_t* undecodable) const {
  indexes maybe;
  if (!log.topics.empty()) {
    const auto b = by_topic0_.find(log.topics[0]);
    if (b != by_topic0_.end()) candidates(b->second, log.address, maybe);
  }
  candidates(anonymous_, log.address, maybe);
  std::sort(maybe.begin(), maybe.end());

  std::vector<fit> out;
  bool lost = false;
  for (const auto index : maybe) {
    const auto& f = forms_[index];
    if (log.topics.size() != f.topic_count) continue;
    const bool topics_fit = std::all_of(f.topics.begin(), f.topics.end(), [&](const condition& c) {
      return c.one_of.contains(log.topics[c.input]);
    });
    if (!topics_fit) continue;
    auto args = evm::decode_args(f.source.event, log.topics, log.data);
    if (args && !all_hold(f.data, f.source.event, *args)) continue;
    if (!args && f.addresses.empty()) {
      lost = true;
      continue;
    }
    out.push_back({index, std::move(args)});
  }
  if (out.empty() && lost && undecodable != nullptr) ++*undecodable;
  return out;
}

std::vector<policy> interest::confirmations(const std::vector<fit>& fitting) const {
  std::vector<policy> out{chain_policy_};
  for (const auto& f : fitting) {
    for (const auto& p : forms_[f.form].source.policies) {
      if (std::find(out.begin(), out.end(), p) == out.end()) out.push_back(p);
    }
  }
  return out;
}

std::string interest::key(const recipient& r, const fit& first, const evm::log& log,
                          std::optional<std::uint32_t> ordinal) const {
  auto chain = std::to_string(chain_id_);
  const auto& s = forms_[first.form].source;
  switch (r.order) {
  case order_by::chain:
    return chain;
  case order_by::subscription:
    return chain + ':' + s.name;
  case order_by::none:
    return ordinal ? logical_id(chain_id_, log.tx, *ordinal)
                   : event_id(chain_id_, log.tx, static_cast<std::int32_t>(log.log_index));
  case order_by::contract:
  case order_by::argument:
    break;
  }
  auto out = chain + ':' + evm::to_hex(log.address);
  if (r.order == order_by::contract || !first.args) return out;
  const auto& inputs = s.event.inputs;
  const auto named = std::find_if(inputs.begin(), inputs.end(), [&](const evm::abi_parameter& p) {
    return p.name == r.argument;
  });
  if (named == inputs.end()) return out;
  const auto& value = (*first.args)[static_cast<std::size_t>(named - inputs.begin())];
  const auto text = std::visit(key_text{}, value.is);
  out += ':';
  out += text.size() <= max_key_value ? text : evm::to_hex(evm::keccak256(text));
  return out;
}

void interest::add_routes(sighting& out, const std::vector<fit>& fitting,
                          const evm::log& log) const {
  for (std::size_t i = 0; i < recipients_.size(); ++i) {
    const auto& r = recipients_[i];
    const auto first = std::find_if(fitting.begin(), fitting.end(),
                                    [&](const fit& f) { return wants_[i][f.form]; });
    if (first == fitting.end()) continue;
    out.routes.push_back({r.name, key(r, *first, log, out.ordinal), forms_[first->form].source.name,
                          r.pending, r.confirmed});
  }
}

std::optional<sighting> interest::match(const evm::log& log, std::uint64_t block_time,
                                        std::optional<std::uint32_t> ordinal, std::string origin,
                                        std::uint64_t* undecodable) const {
  const auto fitting = fits(log, undecodable);
  if (fitting.empty()) return std::nullopt;
  sighting out;
  out.block = log.block;
  out.time = block_time;
  out.tx = log.tx;
  out.tx_index = log.tx_index;
  out.log_index = static_cast<std::int32_t>(log.log_index);
  out.ordinal = ordinal;
  out.address = log.address;
  out.digest = digest_of(log);
  out.origin = std::move(origin);
  for (const auto& f : fitting)
    out.subscriptions.push_back(forms_[f.form].source.name);
  const auto applied = confirmations(fitting);
  for (const auto& p : applied)
    out.asks = out.asks + p.asks();
  add_routes(out, fitting, log);
  const auto& first = fitting.front();
  out.data = render_log({chain_id_, chain_name_, log, block_time, ordinal, out.subscriptions,
                         forms_[first.form].source.event, first.args, applied});
  return out;
}

} // namespace tidemark::tide
