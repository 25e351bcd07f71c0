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

answer get_sources(const call& c) {
  const auto objects = source_objects(c);
  if (!objects) return unreadable(objects.error());
  return answer_names(c, *objects);
}

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
    out.push_back({{"name", source.name},
                   {"provider", source.provider},
                   {"last_at", moment(std::max(row.last_at, seen.last_at))},
                   {"last_result", words_or_null(seen.last_result)},
                   {"received", row.received},
                   {"duplicate", row.duplicate},
                   {"late", nullptr},
                   {"missed", nullptr},
                   {"false", row.not_found},
                   {"unauthorized", seen.unauthorized}});
  }
  return out;
}

} // namespace tidemark::api
