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

bool all_hold(const std::vector<condition>& data, const evm::abi_event& event,
              argument_values values) {
  return std::all_of(data.begin(), data.end(), [&](const condition& c) {
    const argument a{c.input, c.members};
    return c.one_of.contains(evm::topic_of(type_of(a, event.inputs), *value_of(a, values)));
  });
}

using pointers = std::vector<const evm::abi_value*>;

pointers pointers_to(const std::vector<evm::abi_value>& args) {
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

/// Of values that are not known it counts as true.
bool may_hold(const when_expression& when, argument_values values) {
  return when.holds(values).value_or(true);
}

/// Nodes refuse long lists, and few subscriptions have one: a longer one is matched here alone.
constexpr std::size_t max_filter_topics = 64;

/// All that the forms want at one topic; nothing where one takes any, or they are too many.
template <class Forms> std::vector<evm::hash32> wanted_topic(const Forms& forms, std::size_t n) {
  std::set<evm::hash32> all;
  for (const auto& f : forms) {
    const auto c = std::find_if(f.topics.begin(), f.topics.end(),
                                [&](const condition& t) { return t.input == n; });
    if (c == f.topics.end() || c->one_of.size() > max_filter_topics) return {};
    all.insert(c->one_of.begin(), c->one_of.end());
  }
  if (all.size() > max_filter_topics) return {};
  return {all.begin(), all.end()};
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
    add_form(compile(s, on_chain->second, false));
    if (s.batch) add_form(compile(s, on_chain->second, true));
  }
  for (const auto& r : recipients_) {
    auto& row = wants_.emplace_back();
    for (const auto& f : forms_)
      row.push_back(std::find(r.subscriptions.begin(), r.subscriptions.end(), f.source.name) !=
                    r.subscriptions.end());
  }
}

void interest::add_form(form f) {
  const auto index = forms_.size();
  forms_.push_back(std::move(f));
  const auto& added = forms_.back();
  auto& place = added.topic0 ? by_topic0_[*added.topic0] : anonymous_;
  if (added.addresses.empty()) place.any.push_back(index);
  for (const auto& address : added.addresses)
    place.at[address].push_back(index);
}

interest::form interest::compile(const subscription& s,
                                 const std::vector<evm::address20>& addresses, bool of_batches) {
  form out;
  out.source = s;
  out.event = of_batches ? *s.batch : s.event;
  out.of_batches = of_batches;
  const std::set<evm::address20> sorted(addresses.begin(), addresses.end());
  out.addresses.assign(sorted.begin(), sorted.end());
  if (!out.event.anonymous) out.topic0 = out.event.topic0();
  out.topic_count = out.event.topic_count();
  for (const auto& c : s.where) {
    const auto& inputs = out.event.inputs;
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
  for (std::size_t n = 0; n < out.topics.size(); ++n)
    out.topics[n] = wanted_topic(forms_, n + 1);
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
    evm::decode_notes notes;
    auto args = evm::decode_args(f.event, log.topics, log.data, &notes);
    const auto holds = [&](argument_values values) {
      return all_hold(f.data, f.source.event, values);
    };
    if (args && !f.data.empty() &&
        !(f.of_batches ? any_item(*args, holds) : holds(pointers_to(*args))))
      continue;
    if (!args && f.addresses.empty()) {
      lost = true;
      continue;
    }
    out.push_back({index, std::move(args), notes});
  }
  if (out.empty() && lost && undecodable != nullptr) ++*undecodable;
  return out;
}

std::vector<policy> interest::confirmations(const std::vector<fit>& fitting,
                                            const evm::log& log) const {
  std::vector<policy> out{chain_policy_};
  const auto add = [&](const policy& p) {
    if (std::find(out.begin(), out.end(), p) == out.end()) out.push_back(p);
  };
  for (const auto& one : fitting) {
    const auto& f = forms_[one.form];
    for (const auto& p : f.source.policies)
      add(p);
    if (f.source.escalations.empty()) continue;
    // Without the data the topics still tell something; what they do not tell may hold.
    const auto known = one.args ? std::vector<std::optional<evm::abi_value>>{}
                                : evm::decode_topics(f.event, log.topics);
    pointers values;
    if (one.args) values = pointers_to(*one.args);
    for (const auto& v : known)
      values.push_back(v ? &*v : nullptr);
    for (const auto& e : f.source.escalations) {
      const auto holds = [&](argument_values item) { return may_hold(e.when, item); };
      const bool of_items =
          f.of_batches && one.args && e.when.names_from(values.size() - subscription::batched);
      if (of_items ? any_item(*one.args, holds) : holds(values)) add(e.adds);
    }
  }
  return out;
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
  const auto applied = confirmations(fitting, log);
  for (const auto& p : applied)
    out.asks = out.asks + p.asks();
  add_routes(out, fitting, log);
  const auto& first = fitting.front();
  out.data = render_log({chain_id_, chain_name_, log, block_time, ordinal, out.subscriptions,
                         forms_[first.form].event, first.args, applied, first.notes});
  return out;
}

} // namespace tidemark::tide
