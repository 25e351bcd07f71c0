// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/digest.hpp"
#include "evm/hex.hpp"
#include "tide/batch_items.hpp"
#include "tide/event_json.hpp"
#include "tide/fact.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace tidemark::tide {
namespace {

/// Nodes refuse longer lists; above it one topic and all addresses are the smaller question.
constexpr std::size_t max_filter_addresses = 500;

/// Of values that are not known it counts as true.
bool may_hold(const when_expression& when, argument_values values) {
  return when.holds(values).value_or(true);
}

/// Nodes refuse long lists, and few subscriptions have one: a longer one is matched here alone.
constexpr std::size_t max_filter_topics = 64;

} // namespace

std::uint64_t digest_of(const evm::log& log) {
  evm::bytes all;
  all.reserve(evm::address20::size + log.topics.size() * evm::hash32::size + log.data.size());
  all.insert(all.end(), log.address.octets.begin(), log.address.octets.end());
  for (const auto& topic : log.topics)
    all.insert(all.end(), topic.octets.begin(), topic.octets.end());
  all.insert(all.end(), log.data.begin(), log.data.end());
  return evm::digest64(all);
}

interest::interest(std::uint64_t chain_id, std::string chain_name, policy chain_policy,
                   const std::vector<subscription>& subscriptions,
                   std::vector<recipient> recipients, counting counts)
    : chain_id_(chain_id), chain_name_(std::move(chain_name)),
      chain_policy_(std::move(chain_policy)), recipients_(std::move(recipients)),
      counts_(std::move(counts)) {
  transaction_rules of_transactions;
  for (const auto& s : subscriptions) {
    const auto on_chain = s.chains.find(chain_id);
    if (on_chain == s.chains.end()) continue;
    const auto index = forms_.size();
    if (s.transaction) {
      forms_.push_back(compile(s, on_chain->second, false));
      of_transactions.add(index, *s.transaction, forms_[index].senders, forms_[index].receivers);
      continue;
    }
    add_form(compile(s, on_chain->second, false));
    if (s.batch) add_form(compile(s, on_chain->second, true));
    if (s.factory) factories_.push_back(index);
  }
  factories_text_ = text_of_factories();
  if (!of_transactions.empty())
    transactions_ = std::make_shared<const transaction_rules>(std::move(of_transactions));
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
  // A list is looked into when its topic comes.
  if (added.addresses.empty() || !added.address_lists.empty()) return place.any.push_back(index);
  for (const auto& address : added.addresses)
    place.at[address].push_back(index);
}

std::shared_ptr<const interest> interest::only(const std::string& subscription_name) const {
  std::vector<subscription> one;
  for (const auto& f : forms_)
    if (f.source.name == subscription_name && !f.of_batches) one.push_back(f.source);
  return std::make_shared<const interest>(chain_id_, chain_name_, chain_policy_, one,
                                          std::vector<recipient>{}, counts_);
}

bool interest::has(const std::string& subscription_name) const {
  return std::any_of(forms_.begin(), forms_.end(),
                     [&](const form& f) { return f.source.name == subscription_name; });
}

std::uint64_t interest::lowest(std::uint64_t otherwise) const {
  auto out = otherwise;
  for (const auto& f : forms_)
    out = std::min(out, f.from.value_or(otherwise));
  return out;
}

interest::lists interest::lists_of(const std::vector<std::string>& names) const {
  static const auto empty =
      std::make_shared<const address_list>(std::vector<address_list::entry>{});
  lists out;
  for (const auto& name : names) {
    const auto known = counts_.lists.find(name);
    out.push_back(known == counts_.lists.end() ? empty : known->second);
  }
  return out;
}

interest::form interest::compile(const subscription& s,
                                 const std::vector<evm::address20>& addresses,
                                 bool of_batches) const {
  form out;
  if (const auto from = counts_.from.find(s.name); from != counts_.from.end())
    out.from = from->second;
  if (const auto base = counts_.base.find(s.name); base != counts_.base.end())
    out.base = base->second;
  if (const auto named = s.address_lists.find(chain_id_); named != s.address_lists.end())
    out.address_lists = lists_of(named->second);
  if (s.transaction) {
    out.senders = lists_of(s.transaction->from_lists);
    out.receivers = lists_of(s.transaction->to_lists);
  }
  out.source = s;
  if (s.factory)
    for (const auto& a : s.factory->addresses)
      out.makers.insert(digest_of(*s.factory, a));
  out.event = of_batches ? *s.batch : s.event;
  out.of_batches = of_batches;
  const std::set<evm::address20> sorted(addresses.begin(), addresses.end());
  out.addresses.assign(sorted.begin(), sorted.end());
  if (!out.event.anonymous) out.topic0 = out.event.topic0();
  out.topic_count = out.event.topic_count();
  for (const auto& c : s.where) {
    const auto& inputs = out.event.inputs;
    if (!inputs[c.input].indexed) {
      out.data.push_back({c.input, c.members, c.one_of, lists_of(c.lists)});
      continue;
    }
    const auto before =
        std::count_if(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(c.input),
                      [](const evm::abi_parameter& p) { return p.indexed; });
    out.topics.push_back(
        {static_cast<std::size_t>(before) + (out.topic0 ? 1 : 0), {}, c.one_of, lists_of(c.lists)});
  }
  return out;
}

bool interest::may_be_in(const evm::bloom& blocks) const {
  if (may_create_in(blocks)) return true;
  const auto has = [&](const auto& value) { return blocks.may_contain(value.view()); };
  // A long list would cost more hashes than the block is worth, and is nearly always there.
  const auto in_list = [&](const std::shared_ptr<const address_list>& list) {
    return list->size() > max_filter_addresses ||
           std::any_of(list->entries().begin(), list->entries().end(),
                       [&](const address_list::entry& e) { return has(e.address); });
  };
  return std::any_of(forms_.begin(), forms_.end(), [&](const form& f) {
    return !f.source.transaction && (!f.topic0 || has(*f.topic0)) &&
           (f.any_address() || std::any_of(f.addresses.begin(), f.addresses.end(), has) ||
            std::any_of(f.address_lists.begin(), f.address_lists.end(), in_list)) &&
           std::all_of(f.topics.begin(), f.topics.end(), [&](const matcher& c) {
             return !c.in.empty() || std::any_of(c.one_of.begin(), c.one_of.end(), has);
           });
  });
}

/// All that the forms want at one topic; nothing where one takes any, or they are too many. A list
/// is looked into here alone.
std::vector<evm::hash32> interest::wanted_topic(const std::vector<form>& forms, std::size_t n) {
  std::set<evm::hash32> all;
  for (const auto& f : forms) {
    const auto m = std::find_if(f.topics.begin(), f.topics.end(),
                                [&](const matcher& t) { return t.input == n; });
    if (m == f.topics.end() || !m->in.empty() || m->one_of.size() > max_filter_topics) return {};
    all.insert(m->one_of.begin(), m->one_of.end());
  }
  if (all.size() > max_filter_topics) return {};
  return {all.begin(), all.end()};
}

interest::filter interest::node_filter() const {
  std::set<evm::address20> addresses;
  std::set<evm::hash32> topic0;
  bool any_address = false, any_topic = false, any_log = false;
  for (const auto& f : forms_) {
    if (f.source.transaction) continue;
    any_log = true;
    addresses.insert(f.addresses.begin(), f.addresses.end());
    any_address = any_address || f.any_address();
    for (const auto& list : f.address_lists) {
      any_address = any_address || list->size() > max_filter_addresses;
      if (any_address) break;
      for (const auto& e : list->entries())
        addresses.insert(e.address);
    }
    if (f.topic0)
      topic0.insert(*f.topic0);
    else
      any_topic = true;
  }
  const auto of_factories = factory_filter();
  topic0.insert(of_factories.topic0.begin(), of_factories.topic0.end());
  any_topic = any_topic || (!factories_.empty() && of_factories.topic0.empty());
  filter out;
  // Nothing is what no log has, where an empty list would ask for everything.
  if (!any_log) return {{}, {evm::hash32{}}};
  if (!any_address && addresses.size() <= max_filter_addresses)
    out.addresses.assign(addresses.begin(), addresses.end());
  if (!any_topic) out.topic0.assign(topic0.begin(), topic0.end());
  if (!factories_.empty()) return out; // their creations have other topics
  for (std::size_t n = 0; n < out.topics.size(); ++n)
    out.topics[n] = wanted_topic(forms_, n + 1);
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
                                        std::uint64_t* undecodable, const nursery* children,
                                        const std::vector<std::string>* counted) const {
  const auto fitting = fits(log, undecodable, children, counted);
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
