// SPDX-License-Identifier: MIT
#include "tide/interest.hpp"

#include "evm/hex.hpp"
#include "evm/keccak.hpp"
#include "tide/event_json.hpp"
#include "tide/fact.hpp"

#include <algorithm>

// Who is told of an event, and under which key (contract §4.2).

namespace tidemark::tide {
namespace {

/// A key is an index in the store: a longer value stands there by its hash.
constexpr std::size_t max_key_value = 128;

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

} // namespace

std::string interest::key(const recipient& r, const fit& first, const evm::log& log,
                          std::optional<std::uint32_t> ordinal) const {
  auto chain = std::to_string(chain_id_);
  const auto& s = forms_[first.form].source;
  const auto& inputs = forms_[first.form].event.inputs;
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

std::optional<route> interest::route_of(const std::string& handler, const evm::log& log,
                                        std::optional<std::uint32_t> ordinal,
                                        const std::vector<std::string>& having) const {
  const auto r = std::find_if(recipients_.begin(), recipients_.end(),
                              [&](const recipient& x) { return x.name == handler; });
  if (r == recipients_.end()) return std::nullopt;
  const auto& wanted = wants_[static_cast<std::size_t>(r - recipients_.begin())];
  const auto is_of = [&](const form& f) {
    return log.topics.size() == f.topic_count && (!f.topic0 || log.topics[0] == *f.topic0);
  };
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    const auto& f = forms_[i];
    if (!wanted[i] || std::find(having.begin(), having.end(), f.source.name) == having.end())
      continue;
    // One with a batch is two forms, and the log is of one of them.
    if (first && (forms_[*first].source.name != f.source.name || is_of(forms_[*first]))) break;
    first = i;
  }
  if (!first) return std::nullopt;
  const auto& f = forms_[*first];
  fit by{*first, evm::fail("another event by now"), {}};
  if (is_of(f)) by.args = evm::decode_args(f.event, log.topics, log.data);
  return route{r->name, key(*r, by, log, ordinal), f.source.name, r->pending, r->confirmed};
}

} // namespace tidemark::tide
