// SPDX-License-Identifier: MIT
#include "api/routes.hpp"

#include "api/answers.hpp"

#include <algorithm>
#include <array>

namespace tidemark::api {
namespace {

using enum access;

constexpr std::string_view paging = "limit after";

constexpr auto table = std::to_array<route>({
    {.method = "GET",
     .path = "/",
     .needs = open,
     .run = get_page,
     .says = "the dashboard",
     .by_head = true},
    {.method = "GET",
     .path = "/assets/{name}",
     .needs = open,
     .run = get_page_asset,
     .says = "the dashboard's scripts, styles and pictures",
     .by_head = true},
    {.method = "GET",
     .path = "/livez",
     .needs = open,
     .run = get_livez,
     .says = "200 while the process runs",
     .by_head = true},
    {.method = "GET",
     .path = "/readyz",
     .needs = open,
     .run = get_readyz,
     .says = "200 while webhooks can be taken; troubles of chains and handlers as `degraded`"},
    {.method = "GET",
     .path = "/v1/status",
     .run = get_status,
     .says = "chains, sources, handlers and the store at a glance"},
    {.method = "GET", .path = "/v1/chains/{name}", .run = get_chain, .says = "one chain"},
    {.method = "GET",
     .path = "/v1/chains/{name}/blocks",
     .run = get_blocks,
     .query = "from_block to_block",
     .says =
         "the blocks that are held around the mark and the head, those that left the chain too"},
    {.method = "POST",
     .path = "/v1/chains/{name}/resume",
     .needs = operate,
     .run = post_chain_resume,
     .body = "accept_reorg",
     .says = "lets a halted chain go on; 409 says what would be taken back"},
    {.method = "POST",
     .path = "/v1/chains/{name}/skip",
     .needs = operate,
     .run = post_chain_skip,
     .body = "from_block to_block reason",
     .says = "lets the mark pass blocks that no endpoint serves; a row in /v1/gaps says so"},
    {.method = "GET",
     .path = "/v1/events",
     .run = get_events,
     .query = "limit after chain status subscription address tx from_block to_block first_seen "
              "handler delivery",
     .says = "events, newest first"},
    {.method = "GET",
     .path = "/v1/events/{event_id}",
     .run = get_event,
     .says = "one event's whole life"},
    {.method = "GET",
     .path = "/v1/feed",
     .run = get_feed,
     .query = "limit after wait epoch",
     .says = "every fact, oldest first"},
    {.method = "GET",
     .path = "/v1/reorgs",
     .run = get_reorgs,
     .query = paging,
     .says = "reorgs, newest first"},
    {.method = "GET",
     .path = "/v1/gaps",
     .run = get_gaps,
     .query = paging,
     .says = "what was skipped on somebody's order"},
    {.method = "GET",
     .path = "/v1/audit",
     .run = get_audit,
     .query = paging,
     .says = "who did what, when, why"},
    {.method = "GET",
     .path = "/v1/webhooks",
     .run = get_webhooks,
     .query = "limit after source state",
     .says = "stored deliveries, newest first"},
    {.method = "GET",
     .path = "/v1/webhooks/{id}",
     .run = get_webhook,
     .says = "one delivery and what it claimed"},
    {.method = "GET", .path = "/v1/webhooks/{id}/raw", .run = get_raw, .says = "the exact bytes"},
    {.method = "POST",
     .path = "/v1/webhooks/{id}/reprocess",
     .needs = operate,
     .run = post_reprocess,
     .says = "extracts its hints again"},
    {.method = "GET",
     .path = "/v1/sources",
     .run = get_sources,
     .query = paging,
     .says = "who may post, and what came"},
    {.method = "GET",
     .path = "/v1/handlers",
     .run = get_handlers,
     .query = paging,
     .says = "who is told, and what waits"},
    {.method = "GET",
     .path = "/v1/handlers/{name}/keys",
     .run = get_keys,
     .query = "limit after state",
     .says = "keys with something to send or held"},
    {.method = "POST",
     .path = "/v1/handlers/{name}/pause",
     .needs = operate,
     .run = post_handler_pause,
     .body = "reason",
     .says = "keeps its queue, sends nothing"},
    {.method = "POST",
     .path = "/v1/handlers/{name}/resume",
     .needs = operate,
     .run = post_handler_resume,
     .body = "reason",
     .says = "sends again"},
});

} // namespace

std::span<const route> routes() { return table; }

std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> values;
  while (!pattern.empty() && !path.empty()) {
    if (pattern[0] != '{') {
      if (pattern[0] != path[0]) return std::nullopt;
      pattern.remove_prefix(1);
      path.remove_prefix(1);
      continue;
    }
    const auto segment = path.substr(0, path.find('/'));
    auto value = percent_decoded(segment, false);
    if (!value || value->empty()) return std::nullopt;
    values.push_back(std::move(*value));
    pattern.remove_prefix(pattern.find('}') + 1);
    path.remove_prefix(segment.size());
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return values;
}

} // namespace tidemark::api
