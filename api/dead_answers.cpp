// SPDX-License-Identifier: MIT
#include "api/answers.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::api {
namespace {

constexpr std::size_t most_ids = 1'000;

json::object dead_object(const store::dead_row& d) {
  const auto digits = std::to_string(d.sequence);
  return {{"id", d.id},
          {"message_id", words(d.message_id)},
          {"handler", words(d.handler)},
          {"key", words(d.key)},
          {"event_id", words(d.event_id)},
          {"sequence", std::string(20 - std::min<std::size_t>(digits.size(), 20), '0') + digits},
          {"parked_at", moment(d.parked_at)},
          {"attempts", d.attempts},
          {"outcome",
           d.outcome ? json::value(json::string(tide::to_text(*d.outcome))) : json::value(nullptr)},
          {"http_status", or_null(d.http_status)},
          {"answer", words(d.answer)}};
}

std::optional<std::int64_t> parse_id(std::string_view text) {
  std::int64_t id = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || id < 1)
    return std::nullopt;
  return id;
}

std::string text_of(store::dead_fault f) {
  switch (f) {
  case store::dead_fault::none:
    return "there is no such parked message";
  case store::dead_fault::undone:
    return "its event was undone, or a later message about it went already: it can only be skipped";
  case store::dead_fault::behind:
    break;
  }
  return "an earlier message of its key is parked: retry or skip that one, and this goes behind it";
}

/// A skip needs a reason; who skips answers for it.
evm::result<std::string> reason_of(const call& c) {
  const auto* given = c.body.if_contains("reason");
  const auto* text = given ? given->if_string() : nullptr;
  if (text == nullptr || text->empty() || text->size() > 1'000)
    return evm::fail(
        "`reason` is a text of 1 to 1000 bytes: it stands in the audit and in /v1/gaps");
  return std::string(*text);
}

evm::result<std::vector<std::int64_t>> ids_of(const json::value& given) {
  const auto bad = evm::fail("`ids` is a list of at most 1000 ids of /v1/dead");
  const auto* list = given.if_array();
  if (list == nullptr || list->empty() || list->size() > most_ids) return bad;
  std::vector<std::int64_t> out;
  for (const auto& one : *list) {
    const auto* n = one.if_int64();
    const auto* text = one.if_string();
    const auto id = n ? std::optional(*n) : text ? parse_id(*text) : std::nullopt;
    if (!id) return bad;
    out.push_back(*id);
  }
  return out;
}

answer order_one(const call& c, bool skip) {
  const auto id = parse_id(c.path[0]);
  if (!id) return not_found("parked message", c.path[0]);
  store::dead_order o;
  o.ids = {*id};
  o.skip = skip;
  o.who = c.who;
  if (skip) {
    const auto reason = reason_of(c);
    if (!reason) return bad_request(reason.error());
    o.reason = *reason;
  }
  c.order.dead(std::move(o), c.slot, [id = *id, skip](const store::dead_done& done) {
    if (done.refused.empty())
      return answer_json(json::object{{"id", id}, {"state", skip ? "skipped" : "queued"}});
    const auto fault = done.refused.front().second;
    return net::problem(fault == store::dead_fault::none ? 404 : 409, text_of(fault));
  });
  return ordered{};
}

answer order_many(const call& c, bool skip) {
  store::dead_order o;
  o.skip = skip;
  o.who = c.who;
  if (skip) {
    const auto reason = reason_of(c);
    if (!reason) return bad_request(reason.error());
    o.reason = *reason;
  }
  if (const auto* handler = c.body.if_contains("handler")) {
    const auto* name = handler->if_string();
    if (name == nullptr || name->empty()) return bad_request(evm::fail("`handler` is a name"));
    o.handler = *name;
  }
  if (const auto* given = c.body.if_contains("ids")) {
    auto ids = ids_of(*given);
    if (!ids) return bad_request(ids.error());
    o.ids = std::move(*ids);
  } else {
    o.all = true;
  }
  c.order.dead(std::move(o), c.slot, [](const store::dead_done& done) {
    json::array refused;
    for (const auto& [id, fault] : done.refused)
      refused.push_back(json::object{{"id", id}, {"detail", text_of(fault)}});
    return answer_json(json::object{{"count", done.count}, {"refused", std::move(refused)}});
  });
  return ordered{};
}

} // namespace

answer get_dead(const call& c) {
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto found = c.reader->dead(*page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& d : found->items)
    items.push_back(json::serialize(dead_object(d)));
  return answer_list(items, found->next);
}

answer post_dead_retry(const call& c) { return order_many(c, false); }
answer post_dead_skip(const call& c) { return order_many(c, true); }
answer post_dead_retry_one(const call& c) { return order_one(c, false); }
answer post_dead_skip_one(const call& c) { return order_one(c, true); }

} // namespace tidemark::api
