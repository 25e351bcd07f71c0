// SPDX-License-Identifier: MIT
#include "api/answers.hpp"
#include "api/codes.hpp"

#include "evm/hex.hpp"
#include "tide/fact.hpp"

namespace tidemark::api {
namespace {

json::object processing_object(const store::event_item& item) {
  json::object states;
  for (const auto& one : item.processing)
    states.emplace(one.first, json::string(tide::to_text(one.second)));
  return {{"processing", std::move(states)}};
}

json::object history_object(const tide::fact& f) {
  return {{"version", f.version},
          {"status", json::string(tide::to_text(f.status))},
          {"block_hash", evm::to_hex(f.block.hash)},
          {"at", moment(f.at)},
          {"why", f.why == tide::why::none ? json::value(nullptr)
                                           : json::value(json::string(tide::to_text(f.why)))},
          {"id", tide::message_id(f)}};
}

json::object attempt_object(const store::attempt_row& a) {
  return {{"handler", a.handler},
          {"id", a.message_id},
          {"at", moment(a.at)},
          {"outcome", json::string(tide::to_text(a.outcome))},
          {"http_status", or_null(a.http_status)},
          {"duration_ms", or_null(a.ms)},
          {"answer", words(a.answer)}};
}

bool is_origin(const std::string& text) {
  return text == "head" || text == "reconcile" || (text.starts_with("webhook:") && text.size() > 8);
}

/// The part of the filter that is about where an event is on the chain.
evm::result<void> place_of(const call& c, store::event_filter& out) {
  if (const auto name = text(c, "chain")) {
    const auto* chain = find_chain(c.config, *name);
    if (chain == nullptr) return evm::fail("there is no chain `" + *name + "`");
    out.chain_id = chain->id;
  }
  if (const auto address = text(c, "address")) {
    out.address = evm::parse_user_address(*address);
    if (!out.address)
      return evm::fail("`address` is 0x and 40 hex digits, with a right checksum if in mixed case");
  }
  if (const auto tx = text(c, "tx")) {
    out.tx = evm::parse_hash(*tx);
    if (!out.tx) return evm::fail("`tx` is 0x and 64 hex digits");
  }
  const auto from = number(c, "from_block"), to = number(c, "to_block");
  if (!from) return from.error();
  if (!to) return to.error();
  if ((*from || *to) && !out.chain_id) {
    // A height means something on one chain only.
    if (c.config.chains.size() != 1) return evm::fail("`from_block` and `to_block` need `chain`");
    out.chain_id = c.config.chains.front().id;
  }
  out.from_block = *from;
  out.to_block = *to;
  return {};
}

evm::result<store::event_filter> filter_of(const call& c) {
  store::event_filter out;
  const auto place = place_of(c, out);
  if (!place) return place.error();
  const auto status = code_of(text(c, "status"), "status", statuses);
  if (!status) return status.error();
  const auto delivery = code_of(text(c, "delivery"), "delivery", message_states);
  if (!delivery) return delivery.error();
  out.status = *status;
  out.delivery = *delivery;
  out.subscription = text(c, "subscription");
  out.handler = text(c, "handler");
  if (out.delivery && !out.handler) return evm::fail("`delivery` needs `handler`");
  out.first_seen = text(c, "first_seen");
  if (out.first_seen && !is_origin(*out.first_seen))
    return evm::fail("`first_seen` is head, reconcile or webhook:NAME");
  return out;
}

} // namespace

answer get_events(const call& c) {
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto filter = filter_of(c);
  if (!filter) return bad_request(filter.error());
  const auto found = c.reader->events(*filter, *page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& item : found->items)
    items.push_back(with_members(tide::compose_data(item.fact), processing_object(item)));
  return answer_list(items, found->next);
}

answer get_event(const call& c) {
  const auto key = tide::parse_event_id(c.path[0]);
  if (!key) return not_found("event", c.path[0]);
  const auto found = c.reader->event(*key);
  if (!found) return unreadable(found.error());
  if (!*found) return not_found("event", c.path[0]);
  const store::event_life& life = **found;
  json::object more = processing_object(life.item);
  json::array history, attempts;
  for (const auto& f : life.history)
    history.push_back(history_object(f));
  for (const auto& a : life.attempts)
    attempts.push_back(attempt_object(a));
  more.emplace("history", std::move(history));
  more.emplace("webhooks", json::array(life.webhooks.begin(), life.webhooks.end()));
  more.emplace("attempts", std::move(attempts));
  return answer_json(with_members(tide::compose_data(life.item.fact), more));
}

} // namespace tidemark::api
