// SPDX-License-Identifier: MIT
#include "api/answers.hpp"
#include "api/codes.hpp"

#include "evm/hex.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::api {
namespace {

std::optional<std::int64_t> webhook_id(const std::string& text) {
  std::int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, id);
  if (read.ec != std::errc{} || read.ptr != end || id < 1) return std::nullopt;
  return id;
}

json::object row_object(const store::webhook_row& r) {
  return {{"id", r.id},
          {"source", r.source},
          {"at", moment(r.at)},
          {"state", json::string(tide::to_text(r.state))},
          {"hints", r.hints},
          {"seen", r.seen},
          {"last_at", moment(r.last_at)},
          {"bytes", r.bytes}};
}

json::object claim_object(const config::config& c, const store::hint_row& h) {
  json::object out{{"chain", h.chain_id ? json::value(chain_name(c, *h.chain_id)) : nullptr},
                   {"tx", h.tx ? json::value(evm::to_hex(*h.tx)) : nullptr},
                   {"block", or_null(h.block)},
                   {"log_index", or_null(h.log_index)},
                   {"state", json::string(tide::to_text(h.state))},
                   {"event_id", nullptr},
                   {"tries", h.tries},
                   {"due", moment(h.due)}};
  if (h.event_id) out["event_id"] = *h.event_id;
  return out;
}

/// As they were stored, which leaves the credentials out.
json::value headers_value(const std::string& stored) {
  boost::system::error_code ec;
  json::value all = json::parse(stored, ec);
  if (ec) return nullptr;
  return all;
}

} // namespace

answer get_webhooks(const call& c) {
  const auto page = page_of(c);
  if (!page) return bad_request(page.error());
  const auto state = code_of(text(c, "state"), "state", hint_states);
  if (!state) return bad_request(state.error());
  const auto found = c.reader->webhooks(text(c, "source"), *state, *page);
  if (!found) return unreadable(found.error());
  std::vector<std::string> items;
  for (const auto& row : found->items)
    items.push_back(json::serialize(row_object(row)));
  return answer_list(items, found->next);
}

answer get_webhook(const call& c) {
  const auto id = webhook_id(c.path[0]);
  if (!id) return not_found("webhook", c.path[0]);
  const auto found = c.reader->webhook(*id);
  if (!found) return unreadable(found.error());
  if (!*found) return not_found("webhook", c.path[0]);
  json::object out = row_object((*found)->row);
  json::array claims;
  for (const auto& hint : (*found)->hints)
    claims.push_back(claim_object(c.config, hint));
  out.emplace("headers", headers_value((*found)->headers));
  out.emplace("claims", std::move(claims));
  return answer_json(out);
}

answer get_raw(const call& c) {
  const auto id = webhook_id(c.path[0]);
  if (!id) return not_found("webhook", c.path[0]);
  auto found = c.reader->raw(*id);
  if (!found) return unreadable(found.error());
  if (!*found) return not_found("webhook", c.path[0]);
  // A stranger wrote these bytes: a browser must neither guess what they are nor show them.
  net::response r = answer_json(std::move(**found));
  r.content_type = "application/octet-stream";
  r.headers.emplace_back("Content-Disposition", "attachment");
  return r;
}

answer post_reprocess(const call& c) {
  const auto id = webhook_id(c.path[0]);
  if (!id) return not_found("webhook", c.path[0]);
  const auto found = c.reader->webhook(*id);
  if (!found) return unreadable(found.error());
  if (!*found) return not_found("webhook", c.path[0]);
  c.order.reprocess({*id}, c.who, c.slot, [](std::uint64_t count) {
    return answer_json(json::object{{"count", count}}, 202);
  });
  return ordered{};
}

namespace {

/// So many at a time, so that webhooks that come meanwhile do not wait for long.
constexpr std::size_t most_again = 100'000;

evm::result<std::optional<std::string>> text_in(const json::object& body, std::string_view name) {
  const auto* v = body.if_contains(name);
  if (!v || v->is_null()) return std::optional<std::string>{};
  if (!v->is_string()) return evm::fail(std::string(name) + " must be a text");
  return std::optional(std::string(v->get_string()));
}

struct chosen_webhooks {
  std::vector<std::int64_t> ids;
  std::optional<std::string> next;
};

store::result<chosen_webhooks> choose(const call& c, const std::optional<std::string>& source,
                                      const std::optional<tide::hint_state>& state,
                                      std::optional<std::string> after) {
  chosen_webhooks out;
  while (out.ids.size() < most_again) {
    const store::page_request from{most_items, after};
    const auto page = state ? c.reader->webhooks_with(source, *state, from)
                            : c.reader->webhooks(source, state, from);
    if (!page) return page.error();
    for (const auto& row : page->items)
      out.ids.push_back(row.id);
    after = out.next = page->next;
    if (!after) break;
  }
  return out;
}

} // namespace

answer post_reprocess_all(const call& c) {
  const auto source = text_in(c.body, "source"), state_text = text_in(c.body, "state"),
             after = text_in(c.body, "after");
  for (const auto* given : {&source, &state_text, &after})
    if (!*given) return bad_request(given->error());
  const auto state = code_of(*state_text, "state", hint_states);
  if (!state) return bad_request(state.error());
  const auto* dry = c.body.if_contains("dry_run");
  if (dry && !dry->is_bool()) return bad_request(evm::fail("dry_run must be true or false"));
  auto chosen = choose(c, *source, *state, *after);
  if (!chosen) return unreadable(chosen.error());
  json::value next = nullptr;
  if (chosen->next) next = json::string(*chosen->next);
  if (dry && dry->get_bool())
    return answer_json(json::object{{"count", chosen->ids.size()}, {"next", next}}, 202);
  c.order.reprocess(std::move(chosen->ids), c.who, c.slot, [next](std::uint64_t count) {
    return answer_json(json::object{{"count", count}, {"next", next}}, 202);
  });
  return ordered{};
}

answer get_sources(const call& c) {
  const auto objects = source_objects(c);
  if (!objects) return unreadable(objects.error());
  return answer_names(c, *objects);
}

namespace {

/// Why a source is degraded: nothing accepted for as long as the config expects something.
std::string silent_for(const call& c, const config::source& s, std::int64_t last_accepted) {
  const auto expected = s.expect_every.count();
  const auto since = std::max(last_accepted, c.board.who().started_at);
  if (expected == 0 || c.now - since <= expected) return {};
  return "no webhook was accepted for " + std::to_string((c.now - since) / 1'000) +
         " s, and one is expected every " + std::to_string(expected / 1'000) +
         " s: look at the provider's dashboard, and whether `unauthorized` grows here";
}

} // namespace

store::result<std::vector<json::object>> source_objects(const call& c) {
  const auto rows = c.reader->sources();
  if (!rows) return rows.error();
  const auto counts = c.board.sources();
  std::vector<json::object> out;
  for (const auto& source : c.config.sources) {
    store::source_row row;
    for (const auto& r : *rows)
      if (r.name == source.name) row = r;
    const auto found = counts.find(source.name);
    const auto seen = found == counts.end() ? source_counts{} : found->second;
    const auto why = silent_for(c, source, row.last_at);
    out.push_back({{"name", source.name},
                   {"provider", source.provider},
                   {"last_at", moment(std::max(row.last_at, seen.last_at))},
                   {"last_result", words_or_null(seen.last_result)},
                   {"received", row.received},
                   {"duplicate", row.duplicate},
                   {"late", row.late},
                   {"missed", row.missed},
                   {"false", row.not_found},
                   {"unauthorized", seen.unauthorized},
                   {"state", why.empty() ? "ok" : "degraded"},
                   {"reason", words_or_null(why)},
                   {"out_of_order", row.out_of_order},
                   {"delay_p50_ms", or_null(row.delay_p50)},
                   {"delay_p99_ms", or_null(row.delay_p99)}});
  }
  return out;
}

} // namespace tidemark::api
