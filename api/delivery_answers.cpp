// SPDX-License-Identifier: MIT
#include "api/answers.hpp"
#include "api/codes.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace tidemark::api {
namespace {

/// As messages write it.
std::string padded(std::uint64_t sequence) {
  const auto digits = std::to_string(sequence);
  return std::string(20 - digits.size(), '0') + digits;
}

json::object handler_object(const store::handler_row& row,
                            const std::optional<tide::handler_status>& status, std::int64_t now) {
  // A pause is the store's word, since it holds before the handler's actor has heard of it; whether
  // the handler is broken only that actor knows.
  const bool broken = !row.paused && status && status->state == tide::handler_state::broken;
  // What the actor said last may be over: it says nothing new before it has something to send.
  const bool waits = !row.paused && status && status->state == tide::handler_state::active &&
                     status->next_probe_at.value_or(0) > now;
  const auto state = row.paused ? tide::handler_state::paused
                     : broken   ? tide::handler_state::broken
                                : tide::handler_state::active;
  const std::string reason = row.paused ? row.reason : broken || waits ? status->reason : "";
  return {{"name", row.name},
          {"state", json::string(tide::to_text(state))},
          {"reason", words_or_null(reason)},
          {"since", moment(row.paused || !status ? row.since : std::max(row.since, status->since))},
          {"due", row.due},
          {"in_flight", row.in_flight},
          {"held", row.held},
          {"blocked_keys", row.blocked_keys},
          {"parked", row.parked},
          {"oldest_at", moment(row.oldest_at)},
          {"next_probe_at", broken || waits ? moment(status->next_probe_at) : json::value(nullptr)},
          {"epoch", row.epoch}};
}

json::value head_value(const std::optional<store::key_head>& head) {
  if (!head) return nullptr;
  return json::object{{"id", head->id},
                      {"event_id", head->event_id},
                      {"sequence", padded(head->sequence)},
                      {"attempts", head->attempts},
                      {"next_at", moment(head->next_at)},
                      {"outcome", head->outcome
                                      ? json::value(json::string(tide::to_text(*head->outcome)))
                                      : json::value(nullptr)},
                      {"http_status", or_null(head->http_status)},
                      {"answer", words(head->answer)}};
}

json::object key_object(const store::key_row& k) {
  return {{"key", words(k.key)},
          {"state", json::string(tide::to_text(k.state))},
          {"since", moment(k.since)},
          {"waiting", k.waiting + k.held},
          {"head", head_value(k.head)}};
}

/// {"reason"} of a pause or a resume: a text that a person can read on a line.
evm::result<std::string> reason_of(const call& c, std::string_view otherwise) {
  const auto* given = c.body.if_contains("reason");
  if (given == nullptr) return std::string(otherwise) + " by " + c.who;
  if (!given->is_string() || given->get_string().size() > 1'000)
    return evm::fail("`reason` is a text of at most 1000 bytes");
  return std::string(given->get_string());
}

answer order_pause(const call& c, bool paused) {
  const auto* handler = find_handler(c.config, c.path[0]);
  if (handler == nullptr) return not_found("handler", c.path[0]);
  const auto reason = reason_of(c, paused ? "paused" : "resumed");
  if (!reason) return bad_request(reason.error());
  const std::string name = handler->name();
  c.order.pause(name, paused, *reason, c.who, c.slot, [name, paused] {
    return answer_json(json::object{{"name", name}, {"state", paused ? "paused" : "active"}});
  });
  return ordered{};
}

} // namespace

store::result<std::vector<json::object>> handler_objects(const call& c) {
  const auto rows = c.reader->handlers();
  if (!rows) return rows.error();
  std::vector<json::object> out;
  for (const auto& handler : c.config.handlers) {
    store::handler_row row;
    row.name = handler.name();
    for (const auto& r : *rows)
      if (r.name == handler.name()) row = r;
    out.push_back(handler_object(row, c.board.handler(handler.name()), c.now));
  }
  return out;
}

net::response answer_names(const call& c, const std::vector<json::object>& all) {
  const auto page = page_of(c, cursor::names);
  if (!page) return bad_request(page.error());
  std::size_t i = 0;
  if (page->after) {
    while (i < all.size() && all[i].at("name").as_string() != *page->after)
      ++i;
    if (i == all.size()) return bad_request(evm::fail("`after` is no cursor of this list"));
    ++i;
  }
  const std::size_t end = std::min<std::size_t>(all.size(), i + page->limit);
  std::optional<std::string> next;
  if (end < all.size()) next = std::string(all[end - 1].at("name").as_string());
  std::vector<std::string> items;
  for (; i < end; ++i)
    items.push_back(json::serialize(all[i]));
  return answer_list(items, next);
}

answer get_handlers(const call& c) {
  const auto objects = handler_objects(c);
  if (!objects) return unreadable(objects.error());
  return answer_names(c, *objects);
}

answer get_keys(const call& c) {
  if (find_handler(c.config, c.path[0]) == nullptr) return not_found("handler", c.path[0]);
  const auto page = page_of(c, cursor::names);
  if (!page) return bad_request(page.error());
  const auto state = code_of(text(c, "state"), "state", key_states);
  if (!state) return bad_request(state.error());
  const auto found = c.reader->keys(c.path[0], *state, *page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& key : found->items)
    items.push_back(json::serialize(key_object(key)));
  return answer_list(items, found->next);
}

answer post_handler_pause(const call& c) { return order_pause(c, true); }
answer post_handler_resume(const call& c) { return order_pause(c, false); }

} // namespace tidemark::api
