// SPDX-License-Identifier: MIT
#include "api/admin_api.hpp"

#include "api/guard.hpp"
#include "api/routes.hpp"

#include <functional>

namespace tidemark::api {
namespace {

/// The route that a request takes and the values in its path, or why it takes none.
struct choice {
  const route* row = nullptr;
  std::vector<std::string> path;
  net::response refusal;
};

choice choose(const config::config& config, const net::request& request) {
  choice out;
  if (auto refused = check_place(config.admin, request)) {
    out.refusal = std::move(*refused);
    return out;
  }
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allow;
  for (const route& row : routes()) {
    auto path = match(row.path, request.target);
    if (!path) continue;
    if (row.method == method) {
      out.row = &row;
      out.path = std::move(*path);
      break;
    }
    if (!allow.empty()) allow += ", ";
    allow += row.method == "GET" ? "GET, HEAD" : row.method;
  }
  if (out.row == nullptr && allow.empty()) {
    out.refusal = net::problem(404, "there is nothing at this path");
  } else if (out.row == nullptr) {
    out.refusal = net::problem(405, "this path takes " + allow);
    out.refusal.headers.emplace_back("Allow", allow);
  } else if (auto refused = check_access(config.admin, out.row->needs, request)) {
    out.refusal = std::move(*refused);
    out.row = nullptr;
  } else if ((out.row->method == "POST" || out.row->method == "PATCH") && !is_json(request)) {
    out.refusal =
        net::problem(415, "a " + std::string(out.row->method) + " here is application/json");
    out.row = nullptr;
  }
  return out;
}

/// `c` holds what comes from outside the request already.
answer run(call c, choice chosen, const net::request& request) {
  auto query = parse_query(request.query, chosen.row->query);
  if (!query) return bad_request(query.error());
  auto body = parse_body(chosen.row->method != "GET" ? std::string_view(request.body) : "",
                         chosen.row->body);
  if (!body) return bad_request(body.error());
  c.who = find_caller(c.config.admin, request).value_or(caller{}).name;
  if (const auto id = request.header("Last-Event-ID")) c.last_event_id = std::string(*id);
  c.path = std::move(chosen.path);
  c.query = std::move(*query);
  c.body = std::move(*body);
  return chosen.row->run(c);
}

/// Writes the audit row of a request that never became an order, or whose order failed.
std::function<void(const net::response&)> noter(const orders& to, const std::string& who,
                                                const net::request& of) {
  constexpr std::size_t most = 200;
  return [write = to.note, who,
          what = of.method + ' ' + of.target.substr(0, most)](const net::response& r) {
    if (write)
      write(who, what, std::to_string(r.status) + (r.detail.empty() ? "" : ": ") + r.detail);
  };
}

} // namespace

std::optional<net::response> admin_api::at_head(const net::request& request) const {
  auto chosen = choose(config_, request);
  if (chosen.row == nullptr) return std::move(chosen.refusal);
  if (!chosen.row->by_head) return std::nullopt;
  const net::reply_slot none;
  auto done = run({.config = config_,
                   .board = board_,
                   .order = orders_,
                   .reader = nullptr,
                   .slot = none,
                   .request = &request},
                  std::move(chosen), request);
  return std::get<net::response>(std::move(done));
}

answer admin_api::answer(const net::request& request, store::reader& reader, std::int64_t now,
                         const net::reply_slot& slot, std::optional<wait_for_feed> waited) const {
  auto chosen = choose(config_, request);
  if (chosen.row == nullptr) return std::move(chosen.refusal);
  const bool is_order = chosen.row->needs == access::operate;
  const auto run_with = [&](const net::reply_slot& to) {
    return run({.config = config_,
                .board = board_,
                .order = orders_,
                .reader = &reader,
                .slot = to,
                .request = &request,
                .now = now,
                .waited = waited},
               std::move(chosen), request);
  };
  if (!is_order) return run_with(slot);
  const auto note =
      noter(orders_, find_caller(config_.admin, request).value_or(caller{}).name, request);
  const net::reply_slot watched([slot, note](net::response r) {
    if (r.status >= 500) note(r);
    slot.deliver(std::move(r));
  });
  auto done = run_with(watched);
  if (auto* at_once = std::get_if<net::response>(&done)) {
    if (at_once->status < 500) note(*at_once);
    watched.deliver(std::move(*at_once));
    return ordered{};
  }
  return done;
}

} // namespace tidemark::api
